import type { Deps } from '#src/infra/deps.ts';
import { createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import { isPassing, outageRetryMs } from '#src/infra/postgres/outages.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { record, type Reported } from './sending.ts';
import type { Slots } from './slots.ts';

export interface ResultRecorder {
  /** Writes a result; resolves when it is durable, and rejects when it is given up. */
  record: (result: Reported) => Promise<void>;
  drain(): Promise<void>;
}

/**
 * How many attempts of this process may be under way or wait for their record at the same time: to destinations that answer
 * (initially, minimum and maximum), to those that answer late, and to those that do not answer.
 */
export const attemptSlots = { initial: 64, min: 32, max: 512, slow: 256, failing: 128 };
/** A record that takes longer than this lowers the number of attempts under way; a faster one raises it. */
const promptMs = 50;
const retries = { firstMs: 100, giveUpAfterMs: 60_000 };

/**
 * Writes the results of attempts; those that end together share one commit. A delivery that was answered but not recorded when a
 * worker dies is sent again, so slower records allow fewer attempts under way.
 */
export function createResultRecorder(deps: Deps, slots: Pick<Slots, 'resize'>): ResultRecorder {
  let open = attemptSlots.initial;
  const results = createBatcher<{ result: Reported; sinceMs: number }, void>({
    async write(batch) {
      const written = await record(
        deps,
        batch.map(({ result }) => result),
      );
      const oldestMs = performance.now() - Math.min(...batch.map(({ sinceMs }) => sinceMs));
      open =
        oldestMs > promptMs ? Math.max(attemptSlots.min, Math.floor(open * 0.8)) : Math.min(attemptSlots.max, open + 8);
      slots.resize(open);
      return written;
    },
    maxBatch: 500,
    concurrency: 2,
    patienceMs: 20,
    // When results arrive fast, statements and commits cost more than their rows. Ordered destinations, which wait for each record, have
    // few at a time.
    spacing: { items: 16, ms: 20 },
  });

  return {
    /** Retries during an outage, because an attempt without a record is made again. */
    async record(result) {
      const sinceMs = performance.now();
      const until = sinceMs + retries.giveUpAfterMs;
      for (let wait = retries.firstMs; ; wait = Math.min(outageRetryMs, wait * 2)) {
        try {
          return await results.add({ result, sinceMs });
        } catch (error) {
          if (!isPassing(error) || performance.now() > until) throw error;
          await pause(wait);
        }
      }
    },
    drain: () => results.drain(),
  };
}
