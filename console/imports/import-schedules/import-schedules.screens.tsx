import type { ResultOf } from '#console/graph/graphql.ts';
import { importWords as w } from '#console/imports/imports.words.ts';
import { pathText } from '#console/imports/path-text.ts';
import { lastErrorSection, scheduleColumns, scheduleFacts, scheduleState } from '#console/imports/schedule-state.tsx';
import * as format from '#console/ui/formats.tsx';
import { column, member, valuesOf } from '#console/ui/screens/columns.ts';
import { detail, list, type RowOf, type Screens } from '#console/ui/screens/screen.ts';
import {
  CreateImportSchedule,
  DeleteImportSchedule,
  ImportSchedulePage,
  ImportSchedules,
  RunImportSchedule,
  UpdateImportSchedule,
} from './import-schedules.documents.ts';

type Row = RowOf<ResultOf<typeof ImportSchedules>, 'importSchedules'>;

const members = [
  'profile',
  'accountId',
  'path',
  'pattern',
  'sourceId',
  'cron',
  'timezone',
  'afterwards',
  'movedTo',
  'maxFiles',
  'active',
] as const;
const lookups = {
  profile: { noun: 'import-profiles', by: 'name' },
  accountId: 'sftp-accounts',
  sourceId: 'http-sources',
};

/** Where its files come from: `ERP: out/stock-*.csv`, or the name of a source. */
const origin = ({ account, source, path, pattern }: Row) => source?.name ?? pathText(account?.name, path, pattern);

const scheduleList = list('importSchedules', ImportSchedules, {
  columns: [
    column(
      'profile',
      format.text((schedule) => schedule.profile),
      'minmax(128px, 2fr)',
    ),
    { key: 'from', label: w.from, show: format.text(origin), width: 'minmax(128px, 2fr)' },
    ...scheduleColumns,
  ],
  orders: {},
  actions: [
    {
      key: 'add',
      label: w.newSchedule,
      creates: true,
      document: CreateImportSchedule,
      form: { fields: members, lookups, initial: () => ({ active: true }) },
      done: w.added,
      opens: (payload) => ({ noun: 'import-schedules', id: (payload['importSchedule'] as { id: string }).id }),
    },
  ],
  empty: w.importSchedulesEmpty,
});

const schedulePage = detail('importSchedule', ImportSchedulePage, {
  title: (schedule) => schedule.profile,
  state: scheduleState,
  facts: [
    column(
      'accountId',
      format.link(
        'sftp-accounts',
        (schedule) => schedule.account,
        (schedule) => schedule.account?.name,
      ),
    ),
    column(
      'sourceId',
      format.link(
        'http-sources',
        (schedule) => schedule.source,
        (schedule) => schedule.source?.name,
      ),
    ),
    column(
      'path',
      format.text(({ account, path }) => account && (path === '.' ? null : path)),
    ),
    column(
      'pattern',
      format.text(({ account, pattern }) => account && pattern),
    ),
    column(
      'afterwards',
      format.word(({ account, afterwards }) => account && afterwards),
    ),
    column(
      'movedTo',
      format.text(({ account, afterwards, movedTo }) => (account && afterwards === 'MOVE' ? movedTo : null)),
    ),
    member('maxFiles', format.number),
    ...scheduleFacts,
  ],
  sections: [lastErrorSection],
  actions: [
    {
      key: 'run',
      label: w.run,
      document: RunImportSchedule,
      allowed: (schedule) => schedule.viewerCan.run,
      confirm: () => w.runAbout,
      done: w.runStarted,
    },
    {
      key: 'edit',
      saves: true,
      label: w.editSchedule,
      document: UpdateImportSchedule,
      allowed: (schedule) => schedule.viewerCan.update,
      form: {
        fields: members,
        lookups,
        initial: (schedule) => ({
          ...valuesOf<Row>(
            'profile',
            'path',
            'pattern',
            'cron',
            'timezone',
            'afterwards',
            'movedTo',
            'maxFiles',
            'active',
          )(schedule),
          ...(schedule.account && { accountId: schedule.account.id }),
          ...(schedule.source && { sourceId: schedule.source.id }),
        }),
      },
      done: w.saved,
    },
    {
      key: 'delete',
      label: w.deleteSchedule,
      document: DeleteImportSchedule,
      allowed: (schedule) => schedule.viewerCan.delete,
      confirm: (schedule) => w.deleteImportScheduleConfirm(schedule.profile),
      isDanger: true,
      done: w.deleted,
    },
  ],
});

export const importSchedules: Screens = { list: scheduleList, detail: schedulePage };
