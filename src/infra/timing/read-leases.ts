import { pause } from './timers.ts';

/**
 * A leased read also answers later reads of its process, for this many milliseconds after it began. A transaction that changes a leased row
 * calls `tx.expireLeases()`: it then waits after its commit, before it returns, so that no process still uses the old row.
 */
export const readLeaseMs = 50;

/** Timers may be early by a millisecond, and clocks of two machines differ in their pace. */
const marginMs = 10;

/** Resolves when every read that began before this was called is no longer used. */
export const untilLeasesEnd = (): Promise<void> => pause(readLeaseMs + marginMs);
