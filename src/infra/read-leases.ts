import { pause } from './pause.ts';

/**
 * For this many milliseconds after it began, a leased read also answers later reads of its process. What changes the row waits with
 * `untilLeasesEnd` after its commit and before it answers, so that no process goes on with what was there before.
 */
export const readLeaseMs = 50;

/** Timers may be early by a millisecond, and clocks of two machines differ in their pace. */
const marginMs = 10;

/** Resolves when every read that began before this was called is no longer used. */
export const untilLeasesEnd = (): Promise<void> => pause(readLeaseMs + marginMs);
