import { type Chore, dayMs, hourMs, inBatches, minuteMs } from './chores.ts';
import { sweepRates } from './rate-limits.ts';

/** The repeating work that belongs to no domain. */
export const infraChores: readonly Chore[] = [
  {
    // The function takes a lock and returns at once where no partition is missing.
    name: 'make-partitions',
    everyMs: hourMs,
    work: ({ database }) => database.system.query('SELECT ensure_partitions()'),
    fault: 'Partitions could not be created ahead of time.',
  },
  {
    name: 'sweep-rates',
    everyMs: hourMs,
    work: ({ database }) => sweepRates(database),
    fault: 'Old rate windows could not be deleted.',
  },
  {
    // No file takes a day to arrive.
    name: 'sweep-half-written-files',
    everyMs: hourMs,
    firstMs: minuteMs,
    work: inBatches(({ storage }) => storage.sweep(new Date(Date.now() - dayMs))),
    fault: 'Files that killed processes left half written could not be deleted.',
  },
];
