import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';

export const ImportProfileRow = graphql(`
  fragment ImportProfileRow on ImportProfile {
    id
    name
    target
    format
    mapping
    recordPath
    namespaces
    sheet
    delimiter
    quote
    header
    skipLines
    encoding
    decimalSeparator
    quantityBasis
    mode
    absent
    maxRejected
    asOf
    viewerCan {
      update
      delete
    }
    createdAt
    updatedAt
  }
`);

export const ImportProfiles = graphql(
  `
    query ImportProfiles($first: Int, $after: String, $orderBy: ImportProfileOrder) {
      importProfiles(first: $first, after: $after, orderBy: $orderBy) {
        edges {
          node {
            ...ImportProfileRow
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  `,
  [ImportProfileRow],
);

export const ImportProfilePage = graphql(
  `
    query ImportProfilePage($id: ID!) {
      importProfile(id: $id) {
        ...ImportProfileRow
      }
    }
  `,
  [ImportProfileRow],
);

export const CreateImportProfile = graphql(
  `
    mutation CreateImportProfile($input: CreateImportProfileInput!) {
      createImportProfile(input: $input) {
        ... on CreateImportProfilePayload {
          importProfile {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const UpdateImportProfile = graphql(
  `
    mutation UpdateImportProfile($input: UpdateImportProfileInput!) {
      updateImportProfile(input: $input) {
        ... on UpdateImportProfilePayload {
          importProfile {
            ...ImportProfileRow
          }
        }
        ...Refusal
      }
    }
  `,
  [ImportProfileRow, Refusal],
);

export const DeleteImportProfile = graphql(
  `
    mutation DeleteImportProfile($input: DeleteImportProfileInput!) {
      deleteImportProfile(input: $input) {
        ... on DeleteImportProfilePayload {
          deletedId
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
