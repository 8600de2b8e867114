import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#src/infra/errors.ts';

const firstPauseMs = 100;
const lastPauseMs = 1_000;

/**
 * Stores something that cannot be obtained a second time, retrying for at most `forMs`. Every failure is retried: an outage, a
 * database that is read-only during a failover, a full disk.
 */
export async function storeWithRetries<T>(store: () => Promise<T>, forMs: number): Promise<T> {
  const until = performance.now() + forMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, lastPauseMs)) {
    try {
      return await store();
    } catch (error) {
      if (error instanceof AppError || performance.now() + pause > until) throw error;
      await delay(pause);
    }
  }
}
