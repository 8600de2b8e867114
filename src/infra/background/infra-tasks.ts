import { sweepRates } from '#src/infra/http/rate-limits.ts';
import { type PeriodicTask, dayMs, hourMs, inBatches, minuteMs } from './periodic-tasks.ts';

/** The repeating work that belongs to no domain. */
export const infraTasks: readonly PeriodicTask[] = [
  {
    // The function takes a lock and returns immediately if no partition is missing. Adding a partition locks its table and every query of
    // that table waits meanwhile. A spare partition is missing only if five million ids were allocated while no worker ran, so this gives
    // up after a short wait and tries again soon.
    name: 'make-partitions',
    everyMs: hourMs,
    retryMs: minuteMs,
    work: ({ database }) =>
      database.withSystem(async (tx) => {
        await tx.query(`SET LOCAL lock_timeout = '2s'`);
        await tx.query('SELECT ensure_partitions()');
      }),
    fault: 'Partitions could not be created ahead of time.',
  },
  {
    name: 'sweep-rates',
    everyMs: hourMs,
    work: ({ database }) => sweepRates(database),
    fault: 'Old rate windows could not be deleted.',
  },
  {
    // No upload takes a day.
    name: 'sweep-half-written-files',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: inBatches(({ storage }) => storage.sweep(new Date(Date.now() - dayMs))),
    fault: 'Files that killed processes left half written could not be deleted.',
  },
];
