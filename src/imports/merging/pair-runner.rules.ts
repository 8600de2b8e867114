import { setTimeout as delay } from 'node:timers/promises';

/** Work that ends in the order in which it began, two at a time or one. */
export interface Turns {
  /** Begins work, perhaps beside the one before it, which it is given to wait for, and resolves when the next may begin. */
  add: (work: (before: Promise<void>) => Promise<void>) => Promise<void>;
  /** When all have ended; it fails with them. */
  ended: () => Promise<void>;
  /** The same, whether they failed or not. */
  settled: () => Promise<void>;
}

/** How much of a core has to have been idle beside a work for the next ones to be done in pairs. */
const idleEnough = 0.6;
/** Works that are done in pairs before one is done alone again, to see whether a core is still idle. */
const paired = 8;

/** `watchIdle` begins to watch how many cores are idle. */
export function takeTurns(watchIdle: () => () => number): Turns {
  let last: Promise<void> = Promise.resolve();
  let inPairs = 0;
  return {
    async add(work) {
      const before = last;
      const idleCores = watchIdle();
      last = work(before);
      // Awaited by the next, or by `ended`.
      last.catch(() => undefined);
      if (inPairs > 1) {
        inPairs -= 1;
        return before;
      }
      await last;
      inPairs = inPairs === 0 && idleCores() >= idleEnough ? paired : 0;
    },
    ended: () => last,
    settled: () => last.catch(() => undefined),
  };
}

/** The one before took too long. */
export class OutOfTurn extends Error {}

/**
 * How long a transaction waits for the one before it with what it has locked. That one may wait for somebody who waits for this one, which
 * Postgres cannot see.
 */
const longestMs = 1_000;

/** Waits for the one before. Throws OutOfTurn, and what that one failed with. */
export async function inTime(before: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = delay(longestMs, undefined, { signal: over.signal }).then(() => {
    throw new OutOfTurn('The chunk before took too long.');
  });
  late.catch(() => undefined);
  await Promise.race([before, late]).finally(() => over.abort());
}
