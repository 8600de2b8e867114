import * as format from '#console/ui/formats.tsx';
import { list, type Screens } from '#console/ui/screens/screen.ts';
import { Schedules } from './schedules.documents.ts';
import { scheduleWords as w } from './schedules.words.ts';

const scheduleList = list('schedules', Schedules, {
  columns: [
    { key: 'name', label: w.trigger, show: format.text(({ trigger }) => trigger.name), width: 'minmax(144px, 2fr)' },
    {
      key: 'workflow',
      label: w.workflow,
      show: format.text((schedule) => schedule.workflowName),
      width: 'minmax(144px, 2fr)',
    },
    { key: 'active', label: w.active, show: format.state(({ active }) => (active ? 'ACTIVE' : 'INACTIVE')) },
    { key: 'cron', label: w.cron, show: format.text((schedule) => schedule.cron), width: '144px' },
    { key: 'timezone', label: w.timezone, show: format.text((schedule) => schedule.timezone), width: '128px' },
    { key: 'misfire', label: w.misfire, show: format.word((schedule) => schedule.misfire), width: '112px' },
    { key: 'next', label: w.next, show: format.time((schedule) => schedule.nextFireAt) },
    { key: 'last', label: w.last, show: format.time((schedule) => schedule.lastFiredAt) },
    { key: 'lastRun', label: w.lastRun, show: format.state((schedule) => schedule.lastRunStatus) },
  ],
  orders: { next: 'NEXT_FIRE_AT', last: 'LAST_FIRED_AT' },
  filters: [
    { kind: 'text', key: 'q', member: 'search', label: w.search },
    { kind: 'flag', key: 'active', label: w.active },
    { kind: 'choice', key: 'misfire', label: w.misfire, many: true, options: ['SKIP', 'FIRE_ONCE', 'CATCH_UP'] },
    { kind: 'lookup', key: 'workflow', member: 'workflowId', noun: 'workflows', label: w.workflow },
  ],
  open: ({ trigger }) => ({ noun: 'triggers', id: trigger.id }),
  empty: w.empty,
});

/** A schedule is shown on the page of its trigger. */
export const schedules: Screens = { list: scheduleList };
