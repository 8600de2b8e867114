import { mutation, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ContactRow = graphql(`
  fragment ContactRow on Contact {
    id email firstName lastName role approvalLimit updatedAt
    organization { id name }
  }
`);

export const Contacts = rows('contacts', ContactRow);

export const ContactPage = graphql(
  `
  query ContactPage($id: ID!) {
    contact(id: $id) { ...ContactRow createdAt viewerCan { update } }
  }
`,
  [ContactRow],
);

export const UpdateContact = mutation('updateContact', 'contact { ...ContactRow }', [ContactRow]);
