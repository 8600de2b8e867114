import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#src/infra/errors.ts';

const firstPauseMs = 100;
const lastPauseMs = 1_000;

/**
 * Stores what cannot be had a second time, `forMs` at most. Whatever goes wrong is tried again: a database that is away, one
 * that only reads while it fails over, a disk that is full for a while.
 */
export async function persisting<T>(store: () => Promise<T>, forMs: number): Promise<T> {
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
