import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { FileFormatEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { startExport } from './export-start.service.ts';
import { startExportInput } from './exports.inputs.ts';

builder.relayMutationField(
  'startExport',
  {
    inputFields: (t) => ({
      target: t.string({ description: 'What to export: `stock`, `orders`. Left out: that of the profile.' }),
      format: t.field({ type: FileFormatEnum, description: 'Left out: that of the profile, or `CSV`.' }),
      profile: t.string({ description: 'The name of an import profile, whose mapping is reversed.' }),
      filter: t.field({
        type: 'JSON',
        description: 'Exports rows that have these values, by field; `updated_since`: that changed then or later.',
      }),
    }),
  },
  {
    extensions: takes(startExportInput),
    description: 'Writes records to a file, from one snapshot, as a job; `downloadUrl` is where it is read.',
    authScopes: { admin: true, scope: 'io:write' },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { imports, actor } = inTenant(context);
      return { bulkJob: await startExport(imports, actor, input) };
    },
  },
  { outputFields: (t) => ({ bulkJob: t.field({ type: 'BulkJob', resolve: ({ bulkJob }) => bulkJob }) }) },
);
