import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { FileFormatEnum } from '#src/graphql/enums.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
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
  {
    inputFields: (t) => ({
      accountId: t.id({ description: 'The SFTP account whose server gets the files.', required: true }),
      profile: t.string({ description: 'The name of an import profile, whose mapping is reversed.' }),
      target: t.string({ description: 'What to export: `stock`, `orders`. Left out: that of the profile.' }),
      format: t.field({ type: FileFormatEnum, description: 'Left out: that of the profile, or `CSV`.' }),
      filter: t.field({
        type: 'JSON',
        description: 'Exports rows that have these values, by field; `updated_since`: that changed then or later.',
      }),
      path: t.string({ description: 'The directory that files are put into; left out: where the user is put.' }),
      filename: t.string({
        description: 'Such as `stock-{date}.csv`; `{time}` and `{job}` make it another name each time.',
        required: true,
      }),
      cron: t.string({ description: 'Five fields, or six with seconds first.', required: true }),
      timezone: t.string({ description: 'An IANA time zone, also of `{date}` and `{time}`; left out: UTC.' }),
      active: t.boolean({ description: 'Left out: true.' }),
    }),
  },
  {
    extensions: takes(createExportScheduleInput),
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
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      accountId: t.id({ description: 'Null leaves it as it is.' }),
      profile: t.string({ description: 'Null: none; left out, it stays.' }),
      target: t.string({ description: 'Null: that of the profile; left out, it stays.' }),
      format: t.field({ type: FileFormatEnum, description: 'Null: that of the profile; left out, it stays.' }),
      filter: t.field({ type: 'JSON', description: 'Null: none; left out, it stays.' }),
      path: t.string({ description: 'Null leaves it as it is.' }),
      filename: t.string({ description: 'Null leaves it as it is.' }),
      cron: t.string({ description: 'Null leaves it as it is.' }),
      timezone: t.string({ description: 'Null leaves it as it is.' }),
      active: t.boolean({ description: 'Null leaves it as it is.' }),
    }),
  },
  {
    extensions: takes(updateExportScheduleInput, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
