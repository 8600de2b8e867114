import { graphql } from '#console/graph/graphql.ts';

export const CostCentres = graphql(`
  query CostCentres($first: Int, $after: String, $filter: CostCentreFilter, $orderBy: CostCentreOrder) {
    costCentres(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
      edges {
        node {
          id
          code
          name
          budget
          updatedAt
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
