import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { ImportScheduleRef } from './import-schedules.graphql.ts';
import { createImportScheduleInput, updateImportScheduleInput } from './import-schedules.inputs.ts';
import {
  createImportSchedule,
  deleteImportSchedule,
  runImportSchedule,
  updateImportSchedule,
} from './import-schedules.service.ts';

const writes = { admin: true, scope: 'io:write' } as const;

builder.relayMutationField(
  'createImportSchedule',
  mutationInput(createImportScheduleInput),
  {
    description: 'Adds a schedule by which files are fetched and imported.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { imports, actor } = inTenant(context);
      return { importSchedule: await createImportSchedule(imports, actor, input) };
    },
  },
  {
    outputFields: (t) => ({
      importSchedule: t.field({ type: ImportScheduleRef, resolve: ({ importSchedule }) => importSchedule }),
    }),
  },
);

builder.relayMutationField(
  'updateImportSchedule',
  mutationInput(updateImportScheduleInput, idField),
  {
    description: 'Changes what is given and leaves the rest. Files that were fetched are not fetched again.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => {
      const { imports, actor } = inTenant(context);
      return { importSchedule: await updateImportSchedule(imports, actor, readId('ImportSchedule', id), changes) };
    },
  },
  {
    outputFields: (t) => ({
      importSchedule: t.field({ type: ImportScheduleRef, resolve: ({ importSchedule }) => importSchedule }),
    }),
  },
);

builder.relayMutationField(
  'runImportSchedule',
  { inputFields: idField },
  {
    description:
      'Looks for files now, also for those whose import failed. `lastRunAt` and `lastError` of the schedule tell what came of it.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const { imports, actor } = inTenant(context);
      return { importSchedule: await runImportSchedule(imports, actor, readId('ImportSchedule', id)) };
    },
  },
  {
    outputFields: (t) => ({
      importSchedule: t.field({ type: ImportScheduleRef, resolve: ({ importSchedule }) => importSchedule }),
    }),
  },
);

builder.relayMutationField(
  'deleteImportSchedule',
  { inputFields: idField },
  {
    description: 'Deletes an import schedule and what it knows of fetched files. Imports that it started go on.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('ImportSchedule', id);
      const { imports, actor } = inTenant(context);
      await deleteImportSchedule(imports, actor, key);
      return { deletedId: encodeGlobalID('ImportSchedule', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted schedule.' }),
    }),
  },
);
