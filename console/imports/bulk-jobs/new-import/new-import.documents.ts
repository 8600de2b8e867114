import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';
import { ImportProfileRow } from '#console/imports/import-profiles.documents.ts';

export const ImportChoices = graphql(
  `
    query ImportChoices {
      importTargets {
        name
        fields {
          name
          isRequired
          isKey
          default
        }
      }
      importProfiles(first: 100, orderBy: { field: NAME, direction: ASC }) {
        edges {
          node {
            ...ImportProfileRow
          }
        }
      }
    }
  `,
  [ImportProfileRow],
);

export const CreateUpload = graphql(
  `
    mutation CreateUpload($input: CreateUploadInput!) {
      createUpload(input: $input) {
        ... on CreateUploadPayload {
          upload {
            id
          }
          target {
            url
            method
            headers
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const ProposeImport = graphql(
  `
    mutation ProposeImport($input: ProposeImportProfileInput!) {
      proposeImportProfile(input: $input) {
        ... on ProposeImportProfilePayload {
          proposal {
            format
            delimiter
            encoding
            decimalSeparator
            header
            skipLines
            columns
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const PreviewImport = graphql(
  `
    mutation PreviewImport($input: PreviewImportInput!) {
      previewImport(input: $input) {
        ... on PreviewImportPayload {
          rows {
            line
            values
            errors {
              column
              reason
            }
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);

export const StartImport = graphql(
  `
    mutation StartImport($input: StartImportInput!) {
      startImport(input: $input) {
        ... on StartImportPayload {
          bulkJob {
            id
          }
        }
        ...Refusal
      }
    }
  `,
  [Refusal],
);
