import { encodeGlobalID } from '@pothos/plugin-relay';
import { builder } from '#src/graphql/builder.ts';
import { inTenant } from '#src/graphql/context.ts';
import { errorTypes } from '#src/graphql/error-types.ts';
import { takes } from '#src/graphql/mutation-input.ts';
import { readId } from '#src/infra/inputs.ts';
import { AfterwardsEnum, ImportScheduleRef } from './import-schedules.graphql.ts';
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
  {
    inputFields: (t) => ({
      accountId: t.id({ description: 'The SFTP account whose server has the files.' }),
      sourceId: t.id({ description: 'The HTTP source, where files are not on an SFTP server.' }),
      profile: t.string({ description: "An import profile's name.", required: true }),
      path: t.string({ description: 'The directory of the files; left out: where the user is put.' }),
      pattern: t.string({ description: 'Such as `stock-*.csv`; left out: all files of the directory.' }),
      cron: t.string({ description: 'Five fields, or six with seconds first.', required: true }),
      timezone: t.string({ description: 'An IANA time zone; left out: UTC.' }),
      afterwards: t.field({ type: AfterwardsEnum, description: 'Left out: `MOVE`.' }),
      movedTo: t.string({ description: 'Below `path`, or from the root on; left out: `processed`.' }),
      maxFiles: t.int({ description: 'Of one run, 1 to 1,000; left out: 100.' }),
      active: t.boolean({ description: 'Left out: true.' }),
    }),
  },
  {
    extensions: takes(createImportScheduleInput),
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
  {
    inputFields: (t) => ({
      id: t.id({ required: true }),
      accountId: t.id({ description: 'Replaces the account or source.' }),
      sourceId: t.id({ description: 'Replaces the account or source.' }),
      profile: t.string({ description: 'Null leaves it as it is.' }),
      path: t.string({ description: 'Null leaves it as it is.' }),
      pattern: t.string({ description: 'Null leaves it as it is.' }),
      cron: t.string({ description: 'Null leaves it as it is.' }),
      timezone: t.string({ description: 'Null leaves it as it is.' }),
      afterwards: t.field({ type: AfterwardsEnum, description: 'Null leaves it as it is.' }),
      movedTo: t.string({ description: 'Null leaves it as it is.' }),
      maxFiles: t.int({ description: 'Null leaves it as it is.' }),
      active: t.boolean({ description: 'Null leaves it as it is.' }),
    }),
  },
  {
    extensions: takes(updateImportScheduleInput, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
  { inputFields: (t) => ({ id: t.id({ required: true }) }) },
  {
    extensions: takes(null, 'id'),
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
