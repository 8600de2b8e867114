import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { idField, mutationInput } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { ExportScheduleRef } from './export-schedules.graphql.ts';
import { createExportScheduleInput, updateExportScheduleInput } from './export-schedules.inputs.ts';
import {
  createExportSchedule,
  deleteExportSchedule,
  runExportSchedule,
  updateExportSchedule,
} from './export-schedules.service.ts';

const writes = { admin: true, scope: 'io:write' } as const;

builder.relayMutationField(
  'createExportSchedule',
  mutationInput(createExportScheduleInput),
  {
    description: 'Adds a schedule by which files are exported and put to a server.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input }, context) => {
      const { imports, actor } = inTenant(context);
      return { exportSchedule: await createExportSchedule(imports, actor, input) };
    },
  },
  {
    outputFields: (t) => ({
      exportSchedule: t.field({ type: ExportScheduleRef, resolve: ({ exportSchedule }) => exportSchedule }),
    }),
  },
);

builder.relayMutationField(
  'updateExportSchedule',
  mutationInput(updateExportScheduleInput, idField),
  {
    description: 'Changes what is given and leaves the rest.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id, ...changes } }, context) => {
      const { imports, actor } = inTenant(context);
      return { exportSchedule: await updateExportSchedule(imports, actor, readId('ExportSchedule', id), changes) };
    },
  },
  {
    outputFields: (t) => ({
      exportSchedule: t.field({ type: ExportScheduleRef, resolve: ({ exportSchedule }) => exportSchedule }),
    }),
  },
);

builder.relayMutationField(
  'runExportSchedule',
  { inputFields: idField },
  {
    description: 'Exports now. `lastRunAt` and `lastError` of the schedule tell what came of it.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const { imports, actor } = inTenant(context);
      return { exportSchedule: await runExportSchedule(imports, actor, readId('ExportSchedule', id)) };
    },
  },
  {
    outputFields: (t) => ({
      exportSchedule: t.field({ type: ExportScheduleRef, resolve: ({ exportSchedule }) => exportSchedule }),
    }),
  },
);

builder.relayMutationField(
  'deleteExportSchedule',
  { inputFields: idField },
  {
    description: 'Deletes an export schedule. An export that it started goes on, and its file is put nowhere.',
    authScopes: writes,
    errors: errorTypes,
    resolve: async (_root, { input: { id } }, context) => {
      const key = readId('ExportSchedule', id);
      const { imports, actor } = inTenant(context);
      await deleteExportSchedule(imports, actor, key);
      return { deletedId: encodeGlobalID('ExportSchedule', key) };
    },
  },
  {
    outputFields: (t) => ({
      deletedId: t.exposeID('deletedId', { description: 'The global id of the deleted schedule.' }),
    }),
  },
);
