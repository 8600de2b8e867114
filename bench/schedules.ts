import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { measureDueSchedules } from './lib/due-schedules.ts';
import { printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant } from './lib/stats.ts';

/**
 * Active schedules that come due in the same minute, on one worker that also does the runs they start.
 * `node bench/schedules.ts [schedules] [tenants] [minutes]`
 */
const [schedules = 10_000, tenants = 100, minutes = 2] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('schedules');
  await migrate(url, declarations.jobs);
  const measured = await measureDueSchedules(url, { schedules, tenants, minutes, postgresPid: postgres.pid });
  const worst = measured.reduce((one, other) => (one.lateness.p99 > other.lateness.p99 ? one : other));
  const { lateness } = worst;
  const detail = { schedules, tenants, p50: lateness.p50, max: lateness.max, minutes: measured };
  const sum = (of: 'missing' | 'doubled' | 'deadLetters') => measured.reduce((total, minute) => total + minute[of], 0);
  const [within, none] = [{ of: 'value', atMost: 5_000 } as const, { of: 'value', atMost: 0 } as const];
  printFigure({ figure: 'schedule-lateness-p99', value: significant(lateness.p99), unit: 'ms', reach: within, detail });
  printFigure({ figure: 'schedule-ticks-missing', value: sum('missing'), unit: 'ticks', reach: none });
  printFigure({ figure: 'schedule-ticks-doubled', value: sum('doubled'), unit: 'ticks', reach: none });
});
