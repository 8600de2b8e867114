import { graphql } from '#console/graph/graphql.ts';

export const CustomerFigures = graphql(`
  query CustomerFigures($first: Int, $after: String, $filter: OrganizationMetricsFilter) {
    organizationMetrics(first: $first, after: $after, filter: $filter) {
      edges {
        node {
          id
          customerNumber
          currency
          revenue30d
          revenue90d
          revenue365d
          orders30d
          orders90d
          orders365d
          lastOrderAt
          organization {
            id
            name
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
