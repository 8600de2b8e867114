import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const CreateContact = graphql(
  `
    mutation CreateContact($input: CreateContactInput!) {
      createContact(input: $input) {
        ... on CreateContactPayload {
          contact {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpsertCostCentre = graphql(
  `
    mutation UpsertCostCentre($input: UpsertCostCentreInput!) {
      upsertCostCentre(input: $input) {
        ... on UpsertCostCentrePayload {
          costCentre {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

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
