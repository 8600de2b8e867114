import { rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const CustomerRow = graphql(`
  fragment CustomerRow on Organization {
    id customerNumber name paymentTerms updatedAt
  }
`);

export const Customers = rows('organizations', CustomerRow);

export const CustomerPage = graphql(
  `
  query CustomerPage($id: ID!) {
    organization(id: $id) {
      ...CustomerRow attributes createdAt
      addresses { type name street postalCode city country }
    }
  }
`,
  [CustomerRow],
);

export const ContactsOfCustomer = graphql(`
  query ContactsOfCustomer($id: ID!, $first: Int, $after: String) {
    organization(id: $id) {
      id
      contacts(first: $first, after: $after) {
        edges { node { id email firstName lastName role approvalLimit } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const CostCentresOfCustomer = graphql(`
  query CostCentresOfCustomer($id: ID!, $first: Int, $after: String) {
    organization(id: $id) {
      id
      costCentres(first: $first, after: $after) {
        edges { node { id code name budget } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);
