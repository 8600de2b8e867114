import type { ResultOf } from '#console/graph/graphql.ts';
import { importWords as w } from '#console/imports/imports.words.ts';
import { pathText } from '#console/imports/path-text.ts';
import { lastErrorSection, scheduleColumns, scheduleFacts, scheduleState } from '#console/imports/schedule-state.tsx';
import { exportTargets, targetName } from '#console/imports/targets.words.ts';
import * as format from '#console/ui/formats.tsx';
import { JsonTree } from '#console/ui/json-tree.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import {
  CreateExportSchedule,
  DeleteExportSchedule,
  ExportSchedulePage,
  ExportSchedules,
  RunExportSchedule,
  UpdateExportSchedule,
} from './export-schedules.documents.ts';

type Row = RowOf<ResultOf<typeof ExportSchedules>, 'exportSchedules'>;

const members = [
  'target',
  'profile',
  'format',
  'filter',
  'accountId',
  'path',
  'filename',
  'cron',
  'timezone',
  'active',
] as const;
const lookups = { profile: { noun: 'import-profiles', by: 'name' }, accountId: 'sftp-accounts' };
const choices = { target: () => exportTargets };

/** Where its files go: `ERP/in/stock-{date}.csv`. */
const destination = ({ account, path, filename }: Row) => pathText(account?.name, path, filename);

const scheduleList = list('exportSchedules', ExportSchedules, {
  columns: [
    column(
      'target',
      format.text(({ target, profile }) => (target === null ? profile : targetName(target))),
      'minmax(112px, 1fr)',
    ),
    { key: 'to', label: w.to, show: format.text(destination), width: 'minmax(128px, 3fr)' },
    ...scheduleColumns,
  ],
  orders: {},
  actions: [
    {
      key: 'add',
      label: w.newSchedule,
      creates: true,
      document: CreateExportSchedule,
      form: { fields: members, lookups, choices, initial: () => ({ active: true }) },
      done: w.added,
      opens: (payload) => ({ noun: 'export-schedules', id: (payload['exportSchedule'] as { id: string }).id }),
    },
  ],
  empty: w.exportSchedulesEmpty,
});

const schedulePage = detail('exportSchedule', ExportSchedulePage, {
  title: (schedule) => schedule.filename,
  state: scheduleState,
  facts: [
    column(
      'target',
      format.text(({ target }) => target && targetName(target)),
    ),
    member('profile', format.text),
    member('format', format.word),
    column(
      'accountId',
      format.link(
        'sftp-accounts',
        (schedule) => schedule.account,
        (schedule) => schedule.account?.name,
      ),
    ),
    column(
      'path',
      format.text(({ path }) => (path === '.' ? null : path)),
    ),
    ...scheduleFacts,
  ],
  sections: [
    lastErrorSection,
    {
      key: 'filter',
      title: w.filter,
      when: ({ filter }) => Object.keys(filter ?? {}).length > 0,
      draw: (schedule) => <JsonTree value={schedule.filter} />,
    },
  ],
  actions: [
    {
      key: 'run',
      label: w.run,
      document: RunExportSchedule,
      allowed: (schedule) => schedule.viewerCan.run,
      confirm: () => w.exportNowAbout,
      done: w.runStarted,
    },
    {
      key: 'edit',
      saves: true,
      label: w.editSchedule,
      document: UpdateExportSchedule,
      allowed: (schedule) => schedule.viewerCan.update,
      form: {
        fields: members,
        lookups,
        choices,
        initial: (schedule) => ({
          ...valuesOf<Row>(
            'target',
            'profile',
            'format',
            'filter',
            'path',
            'filename',
            'cron',
            'timezone',
            'active',
          )(schedule),
          ...(schedule.account && { accountId: schedule.account.id }),
        }),
      },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.deleteSchedule,
      document: DeleteExportSchedule,
      allowed: (schedule) => schedule.viewerCan.delete,
      confirm: (schedule) => w.deleteExportScheduleConfirm(schedule.filename),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const exportSchedules: Screens = { list: scheduleList, detail: schedulePage };
