import { mutation } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';
import { Refusal } from '#console/graph/refusal.ts';
import { ImportProfileRow } from '#console/imports/import-profiles.documents.ts';

export const ImportChoices = graphql(
  `
  query ImportChoices {
    importTargets { name fields { name isRequired isKey default } }
    importProfiles(first: 100, orderBy: {field: NAME, direction: ASC}) {
      edges { node { ...ImportProfileRow } }
    }
  }
`,
  [ImportProfileRow],
);

export const CreateUpload = mutation('createUpload', 'upload { id } target { url method headers }');

export const ProposeImport = graphql(
  `
  mutation ProposeImport($input: ProposeImportProfileInput!) {
    proposeImportProfile(input: $input) {
      ... on ProposeImportProfilePayload {
        proposal { format delimiter encoding decimalSeparator header skipLines columns }
      }
      ...Refusal
    }
  }
`,
  [Refusal],
);

export const PreviewImport = mutation('previewImport', 'rows { line values errors { column reason } }');

export const StartImport = mutation('startImport', 'bulkJob { id }');
