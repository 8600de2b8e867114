import { FileFormatEnum } from '#src/graphql/enums.ts';
import { createExportScheduleInput, updateExportScheduleInput } from './export-schedules.inputs.ts';
import { createExportSchedule, updateExportSchedule } from './export-schedules.service.ts';
import { addScheduleKind } from './schedules.graphql.ts';
import { runSchedule } from './schedules.service.ts';

addScheduleKind({
  name: 'ExportSchedule',
  direction: 'export',
  description: 'A file that is exported and put to a server at the times of a cron.',
  lastRunAt: 'When it last exported.',
  lastSuccessAt: 'When it last put a file.',
  fields: (t) => ({
    account: t.relation('account', { nullable: true, description: 'Where the files go.' }),
    profile: t.exposeString('profile', {
      nullable: true,
      description: 'The name of the import profile whose mapping is reversed; null: columns are named as fields.',
    }),
    target: t.exposeString('target', { nullable: true, description: 'What is exported; null: that of the profile.' }),
    format: t.field({
      type: FileFormatEnum,
      nullable: true,
      description: 'Null: that of the profile, or `CSV`.',
      select: { format: true },
      resolve: ({ format }) => format as never,
    }),
    filter: t.field({
      type: 'JSON',
      description: 'Which rows, by the values of fields.',
      select: { filter: true },
      resolve: ({ filter }) => filter,
    }),
    filename: t.string({
      description: 'The name of each file; `{date}`, `{time}` and `{job}` stand for those of the export.',
      select: { filename: true },
      resolve: ({ filename }) => filename ?? '',
    }),
  }),
  create: {
    description: 'Adds a schedule by which files are exported and put to a server.',
    input: createExportScheduleInput,
    run: createExportSchedule,
  },
  update: {
    description: 'Changes what is given and leaves the rest.',
    input: updateExportScheduleInput,
    run: updateExportSchedule,
  },
  run: {
    description: 'Exports now. `lastRunAt` and `lastError` of the schedule tell what came of it.',
    run: (deps, actor, id) => runSchedule(deps, actor, { direction: 'export', id }),
  },
  delete: {
    description: 'Deletes an export schedule. An export that it started goes on, and its file is put nowhere.',
  },
});
