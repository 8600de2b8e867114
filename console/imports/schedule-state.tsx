import * as format from '#console/ui/formats.tsx';
import { column, member } from '#console/ui/screens/columns.ts';
import type { Column } from '#console/ui/screens/screen.ts';
import { importWords as w } from './imports.words.ts';

export interface Schedule {
  cron: string;
  timezone: string;
  active: boolean;
  nextRunAt: string | null;
  lastRunAt: string | null;
  lastSuccessAt: string | null;
  lastError: string | null;
  failures: number;
}

/** A schedule that runs by itself fails, works or has not run; one that does not is disabled. */
export const scheduleState = ({ active, lastError, lastRunAt }: Schedule): string =>
  !active ? 'DISABLED' : lastError !== null ? 'FAILED' : lastRunAt !== null ? 'OK' : 'WAITING';

/** When a schedule runs and how it went, for its list. */
export const scheduleColumns: readonly Column<Schedule>[] = [
  { key: 'state', label: w.state, show: format.state(scheduleState) },
  member('cron', format.text),
  member('nextRunAt', format.time),
  member('lastSuccessAt', format.time),
  column(
    'lastError',
    format.text((schedule) => schedule.lastError),
    'minmax(128px, 3fr)',
  ),
];

/** The same for its page. */
export const scheduleFacts: readonly Column<Schedule>[] = [
  member('cron', format.handle),
  member('timezone', format.text),
  member('active', format.flag),
  member('nextRunAt', format.exactTime),
  member('lastRunAt', format.time),
  member('lastSuccessAt', format.time),
  member('failures', format.number),
];

/** Why the last run failed, on its page. */
export const lastErrorSection = {
  key: 'lastError',
  title: w.lastError,
  when: (schedule: Schedule) => schedule.lastError !== null,
  draw: (schedule: Schedule) => <pre className="error-text">{schedule.lastError}</pre>,
};
