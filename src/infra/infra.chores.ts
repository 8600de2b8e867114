import { type Chore, hourMs } from './chores.ts';
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
];
