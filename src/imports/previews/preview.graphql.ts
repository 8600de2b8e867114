import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { settingsPreviewInput } from '#src/imports/profiles/profiles.inputs.ts';
import { readId } from '#src/infra/inputs.ts';
import { type PreviewRow, previewImport } from './preview.service.ts';

const PreviewError = builder.objectRef<PreviewRow['errors'][number]>('ImportPreviewError').implement({
  description: 'Why a row would be rejected.',
  fields: (t) => ({
    column: t.exposeString('column', {
      nullable: true,
      description: 'As the file names it; null: the row as a whole.',
    }),
    reason: t.exposeString('reason', { description: 'What to use instead.' }),
  }),
});
const PreviewRowRef = builder.objectRef<PreviewRow>('ImportPreviewRow').implement({
  description: 'A row as an import would read it.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'Where the row begins in the file.' }),
    values: t.field({
      type: 'JSON',
      description: 'By field; null where it has none.',
      resolve: ({ values }) => values,
    }),
    errors: t.field({
      type: [PreviewError],
      description: 'Empty where the row is good.',
      resolve: ({ errors }) => errors,
    }),
  }),
});

builder.relayMutationField(
  'previewImport',
  mutationInput(settingsPreviewInput, (t) => ({ id: t.id({ description: 'The profile, in place of `settings`.' }) })),
  {
    description:
      'Tries to import the first rows of an uploaded file by a profile or by settings, with what would be rejected, and writes nothing.',
    authScopes: { admin: true, scope: 'io:write' },
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...given } }, context) => {
      const { imports, tenantId } = inTenant(context);
      const profileId = id == null ? null : readId('ImportProfile', id);
      return { rows: await previewImport(imports, tenantId, profileId, given) };
    },
  },
  { outputFields: (t) => ({ rows: t.field({ type: [PreviewRowRef], resolve: ({ rows }) => rows }) }) },
);
