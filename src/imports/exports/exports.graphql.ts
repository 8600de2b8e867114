import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { logAccepted } from '#src/graphql/log-accepted.ts';
import { mutationInput } from '#src/graphql/mutation-input.ts';
import { startExport } from './export-start.service.ts';
import { startExportInput } from './exports.inputs.ts';

builder.relayMutationField(
  'startExport',
  mutationInput(startExportInput),
  {
    description: 'Writes records to a file, from one snapshot, as a job; `downloadUrl` is where it is read.',
    authScopes: { admin: true, scope: 'io:write' },
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { imports, actor } = inTenant(context);
      const bulkJob = await startExport(imports, actor, input);
      logAccepted(context, { bulkJobId: Number(bulkJob.id) });
      return { bulkJob };
    },
  },
  { outputFields: (t) => ({ bulkJob: t.field({ type: 'BulkJob', resolve: ({ bulkJob }) => bulkJob }) }) },
);
