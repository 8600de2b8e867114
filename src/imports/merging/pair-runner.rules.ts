import { setTimeout as delay } from 'node:timers/promises';

/** Runs work in order; each ends after the one before it. */
export interface PairRunner {
  /** Starts work, which gets the promise of the work before it, and resolves when the next may start. */
  add: (work: (before: Promise<void>) => Promise<void>) => Promise<void>;
  /** Resolves when all work has ended; rejects if one failed. */
  ended: () => Promise<void>;
  /** Resolves when all work has ended, failed or not. */
  settled: () => Promise<void>;
}

/** Runs one work at a time, or two where `inPairs` is true. */
export function createPairRunner(inPairs: boolean): PairRunner {
  let last: Promise<void> = Promise.resolve();
  return {
    add(work) {
      const before = last;
      last = work(before);
      // Awaited by the next, or by `ended`.
      last.catch(() => undefined);
      return inPairs ? before : last;
    },
    ended: () => last,
    settled: () => last.catch(() => undefined),
  };
}

/** The chunk before took longer than a transaction may wait for it with its locks. */
export class WaitTimeout extends Error {}

/**
 * How long a transaction waits for the one before it with what it has locked. That one may wait for somebody who waits for this one, which
 * Postgres cannot see.
 */
const longestMs = 1_000;

/** Waits for the one before. Throws WaitTimeout, and what that one failed with. */
export async function waitWithTimeout(before: Promise<void>): Promise<void> {
  const over = new AbortController();
  const late = delay(longestMs, undefined, { signal: over.signal }).then(() => {
    throw new WaitTimeout('The chunk before took too long.');
  });
  late.catch(() => undefined);
  await Promise.race([before, late]).finally(() => over.abort());
}
