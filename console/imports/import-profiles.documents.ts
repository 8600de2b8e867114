import { mutation, page, rows } from '#console/graph/documents.ts';
import { graphql } from '#console/graph/graphql.ts';

export const ImportProfileRow = graphql(`
  fragment ImportProfileRow on ImportProfile {
    id name target format mapping recordPath namespaces sheet delimiter quote header skipLines encoding
    decimalSeparator quantityBasis mode absent maxRejected asOf
    viewerCan { update delete }
    createdAt updatedAt
  }
`);

export const ImportProfiles = rows('importProfiles', ImportProfileRow);

export const ImportProfilePage = page('importProfile', ImportProfileRow);

export const CreateImportProfile = mutation('createImportProfile', 'importProfile { id }');

export const UpdateImportProfile = mutation('updateImportProfile', 'importProfile { ...ImportProfileRow }', [
  ImportProfileRow,
]);

export const DeleteImportProfile = mutation('deleteImportProfile', 'deletedId');
