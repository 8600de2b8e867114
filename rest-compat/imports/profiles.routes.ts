import { z } from 'zod';
import { inputBody } from '#rest/bodies.ts';
import { nothing, one } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import {
  createImportProfileInput,
  previewInput,
  proposalInput,
  updateImportProfileInput,
} from '#src/imports/profiles/profiles.inputs.ts';
import { instantText } from '#src/infra/text/instant-text.ts';
import { importTag as tag, uploadId } from './import-parts.ts';

const profileFields = `fragment Profile on ImportProfile {
  id: databaseId name target format mapping record_path: recordPath namespaces sheet delimiter quote header skip_lines: skipLines encoding decimal_separator: decimalSeparator
  quantity_basis: quantityBasis mode absent as_of: asOf max_rejected: maxRejected created_at: createdAt updated_at: updatedAt
}`;
const asOf = instantText.nullish();
/** A number of rows may be JSON's. */
const maxRejected = z.union([
  z.int().min(0).max(9_999_999).transform(String),
  createImportProfileInput.shape.maxRejected,
]);

export const importProfileRoutes = [
  route({
    method: 'GET',
    path: '/io/import-profiles',
    name: 'listImportProfiles',
    tag,
    summary: 'The import profiles of the tenant.',
    document: `query ($orderBy: ImportProfileOrder, $first: Int, $offset: Int) {
      importProfiles(orderBy: $orderBy, first: $first, offset: $offset) { totalCount edges { node { ...Profile } } }
    } ${profileFields}`,
    list: { order: { fields: ['created_at', 'name'], byDefault: 'created_at.desc' } },
    variables: ({ page }) => ({ ...page }),
  }),
  route({
    method: 'POST',
    path: '/io/import-profiles',
    name: 'createImportProfile',
    tag,
    summary: 'Adds an import profile.',
    document: `mutation ($input: CreateImportProfileInput!) {
      createImportProfile(input: $input) { ... on CreateImportProfilePayload { importProfile { ...Profile } } ...Failure }
    } ${profileFields}`,
    body: inputBody(createImportProfileInput.extend({ asOf, maxRejected })),
    variables: ({ body }) => ({ input: body }),
    reply: one({ status: 201, at: 'importProfile' }),
    example: {
      body: {
        name: 'Warehouse stock',
        target: 'stock',
        format: 'csv',
        mapping: { sku: 'Article', quantity: { column: 'Quantity', transforms: ['trim'] } },
      },
    },
  }),
  route({
    method: 'GET',
    path: '/io/import-profiles/{id}',
    name: 'getImportProfile',
    tag,
    summary: 'An import profile.',
    document: `query ($id: ID!) { importProfile(id: $id) { ...Profile } } ${profileFields}`,
    variables: ({ params }) => ({ id: params.id }),
    reply: one(),
  }),
  route({
    method: 'PATCH',
    path: '/io/import-profiles/{id}',
    name: 'updateImportProfile',
    tag,
    summary: 'Changes what is given and leaves the rest.',
    document: `mutation ($input: UpdateImportProfileInput!) {
      updateImportProfile(input: $input) { ... on UpdateImportProfilePayload { importProfile { ...Profile } } ...Failure }
    } ${profileFields}`,
    body: inputBody(updateImportProfileInput.extend({ asOf, maxRejected })),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    reply: one({ at: 'importProfile' }),
    example: { body: { delimiter: ';', decimal_separator: ',' } },
  }),
  route({
    method: 'DELETE',
    path: '/io/import-profiles/{id}',
    name: 'deleteImportProfile',
    tag,
    summary: 'Deletes an import profile; jobs keep it as it was.',
    document: `mutation ($input: DeleteImportProfileInput!) {
      deleteImportProfile(input: $input) { ... on DeleteImportProfilePayload { deletedId } ...Failure }
    }`,
    variables: ({ params }) => ({ input: { id: params.id } }),
    reply: nothing,
  }),
  route({
    method: 'POST',
    path: '/io/import-profiles/{id}/preview',
    name: 'previewImport',
    tag,
    summary: 'The first rows of an uploaded file as an import by the profile would read them.',
    document: `mutation ($input: PreviewImportInput!) {
      previewImport(input: $input) {
        ... on PreviewImportPayload { rows { line values errors { column reason } } }
        ...Failure
      }
    }`,
    body: inputBody(previewInput.extend({ uploadId })),
    variables: ({ params, body }) => ({ input: { ...body, id: params.id } }),
    refuses: ['CONFLICT'],
    reply: one(),
    example: { body: { upload_id: 1, rows: 10 } },
  }),
  route({
    method: 'POST',
    path: '/io/import-profiles/propose',
    name: 'proposeImportProfile',
    tag,
    summary: 'What a profile for an uploaded file may say, by the beginning of the file.',
    document: `mutation ($input: ProposeImportProfileInput!) {
      proposeImportProfile(input: $input) {
        ... on ProposeImportProfilePayload {
          proposal { format delimiter header skip_lines: skipLines encoding decimal_separator: decimalSeparator columns mapping }
        }
        ...Failure
      }
    }`,
    body: inputBody(proposalInput.extend({ uploadId })),
    variables: ({ body }) => ({ input: body }),
    refuses: ['CONFLICT'],
    reply: one({ at: 'proposal' }),
    example: { body: { upload_id: 1, target: 'stock' } },
  }),
];
