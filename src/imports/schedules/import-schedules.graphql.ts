import { defineEnum } from '#src/graphql/enums.ts';
import { type Afterwards, afterwards } from '#src/imports/transfers/transfers.inputs.ts';
import { createImportScheduleInput, updateImportScheduleInput } from './import-schedules.inputs.ts';
import { createImportSchedule, runImportSchedule, updateImportSchedule } from './import-schedules.service.ts';
import { addScheduleKind } from './schedules.graphql.ts';

const AfterwardsEnum = defineEnum('ImportedFile', afterwards, {
  description: 'What becomes of a file once its import has ended.',
  values: {
    move: 'It is moved into `movedTo`, or into `failed` where the import failed, with the id of its job before its name.',
    delete: 'It is deleted, or moved into `failed` where the import failed.',
    leave: 'It stays.',
  },
});

addScheduleKind({
  name: 'ImportSchedule',
  direction: 'import',
  description: 'Files that are fetched and imported at the times of a cron, each once.',
  lastRunAt: 'When it last looked for files.',
  lastSuccessAt: 'When it last could fetch all that was there.',
  fields: (t) => ({
    account: t.relation('account', { nullable: true, description: 'Where the files are; null where a source is.' }),
    source: t.relation('source', { nullable: true, description: 'What is fetched; null where there is an account.' }),
    profile: t.string({
      description: 'The name of the import profile that files are read by.',
      select: { profile: true },
      resolve: ({ profile }) => profile ?? '',
    }),
    pattern: t.string({
      description: 'Which files: `*` is any text, `?` any character.',
      select: { pattern: true },
      resolve: ({ pattern }) => pattern ?? '*',
    }),
    afterwards: t.field({
      type: AfterwardsEnum,
      description: 'What becomes of a file once its import has ended.',
      select: { afterwards: true },
      resolve: ({ afterwards: chosen }) => chosen as Afterwards,
    }),
    movedTo: t.exposeString('movedTo', { description: 'The directory that imported files are moved into.' }),
    maxFiles: t.exposeInt('maxFiles', { description: 'Files that one run fetches at most; the oldest come first.' }),
  }),
  create: {
    description: 'Adds a schedule by which files are fetched and imported.',
    input: createImportScheduleInput,
    run: createImportSchedule,
  },
  update: {
    description: 'Changes what is given and leaves the rest. Files that were fetched are not fetched again.',
    input: updateImportScheduleInput,
    run: updateImportSchedule,
  },
  run: {
    description:
      'Looks for files now, also for those whose import failed. `lastRunAt` and `lastError` of the schedule tell what came of it.',
    run: runImportSchedule,
  },
  delete: {
    description: 'Deletes an import schedule and what it knows of fetched files. Imports that it started go on.',
  },
});
