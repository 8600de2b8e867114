import { setTimeout as delay } from 'node:timers/promises';
import { RateLimitedError } from '#src/automation/node-api/rate-limited-error.ts';
import { createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { readClosedMs } from './rate-headers.rules.ts';
import { closeCredential, takeTurns, type Turn, type TurnRequest } from './turns.store.ts';

type Asking = Omit<TurnRequest, 'inPlace'>;

interface TakeOptions {
  maySuspend: boolean;
  isRefused: boolean;
  signal: AbortSignal;
}

/** Takes turns with limited credentials for the steps that a process executes. */
export interface Turns {
  /**
   * Resolves when the step may send its request. A wait of more than a second rejects with a RateLimitedError if the step `maySuspend`;
   * otherwise the step waits in place until the signal is aborted.
   */
  take(asking: Asking, options: TakeOptions): Promise<void>;
  /** Records the limit that an answer states, for all processes. True if the API refused the request because of the limit. */
  learn(credential: Pick<Asking, 'tenantId' | 'credentialId'>, answer: Answer, isLimited: boolean): Promise<boolean>;
}

interface Answer {
  status: number;
  headers: Readonly<Record<string, string | string[]>>;
}

/** Shorter waits keep the step on this worker; longer ones suspend its run, which frees the worker's slot. */
const maxSleepMs = 1_000;
/** How often a step that waits in place asks for its turn. */
const askMs = 250;
const rememberedCloses = 1_000;

export function createTurns(database: Pick<Database, 'system'>): Turns {
  const batcher = createBatcher<TurnRequest, Turn>({
    maxBatch: 200,
    concurrency: 1,
    patienceMs: 0,
    write: (asked) => takeTurns(database, asked),
  });
  /** The time until which each credential is known to be closed. Avoids writing the same closing many times. */
  const closes = new Map<string, number>();

  async function take(asking: Asking, { maySuspend, isRefused, signal }: TakeOptions): Promise<void> {
    let inPlace = !maySuspend;
    let hasMissed = false;
    for (;;) {
      const { granted, waitMs, lateMs } = await batcher.add({ ...asking, inPlace });
      const dueAt = performance.now() + waitMs;
      if (!granted) {
        if (!inPlace && waitMs > maxSleepMs) {
          const expectedAt = new Date(Date.now() + waitMs);
          throw new RateLimitedError({ credentialId: asking.credentialId, expectedAt, isRefused });
        }
        inPlace = true;
        await delay(askMs, undefined, { signal });
        continue;
      }
      if (waitMs > 0) await delay(waitMs, undefined, { signal });
      // A worker that is always late would never send anything, so it uses its second turn even if that is late.
      if (hasMissed || performance.now() - dueAt <= lateMs) return;
      hasMissed = true;
    }
  }

  async function learn(
    { tenantId, credentialId }: Pick<Asking, 'tenantId' | 'credentialId'>,
    { status, headers }: Answer,
    isLimited: boolean,
  ): Promise<boolean> {
    const now = Date.now();
    const ms = readClosedMs(status, headers, now);
    const isRefusal = status === 429 && (isLimited || ms !== undefined);
    if (ms === undefined && !isRefusal) return false;
    const key = `${tenantId}/${credentialId}`;
    const until = now + (ms ?? 0);
    if (isRefusal || until > (closes.get(key) ?? 0) + askMs) {
      if (closes.size >= rememberedCloses) closes.clear();
      closes.set(key, until);
      await closeCredential(database, { tenantId, credentialId, ms: ms ?? 0, isRefusal });
    }
    return isRefusal;
  }

  return { take, learn };
}
