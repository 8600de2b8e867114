import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const ContactRow = graphql(`
  fragment ContactRow on Contact {
    id
    email
    firstName
    lastName
    role
    approvalLimit
    updatedAt
    organization {
      id
      name
    }
  }
`);

export const Contacts = graphql(
  `
    query Contacts($first: Int, $after: String, $filter: ContactFilter, $orderBy: ContactOrder) {
      contacts(first: $first, after: $after, filter: $filter, orderBy: $orderBy) {
        edges {
          node {
            ...ContactRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ContactRow],
);

export const ContactPage = graphql(
  `
    query ContactPage($id: ID!) {
      contact(id: $id) {
        ...ContactRow
        createdAt
        viewerCan {
          update
        }
      }
    }
  `,
  [ContactRow],
);

export const UpdateContact = graphql(
  `
    mutation UpdateContact($input: UpdateContactInput!) {
      updateContact(input: $input) {
        ... on UpdateContactPayload {
          contact {
            ...ContactRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ContactRow, Refusal],
);
