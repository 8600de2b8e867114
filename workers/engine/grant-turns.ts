import { grantTurns, isAnyQueued, sweepTurns, wakeRuns } from '#src/automation/credentials/rates/turns.store.ts';
import { enqueue, type RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Deps } from '#src/infra/deps.ts';

/** How often turns are granted. They are granted up to 1.2 s ahead, so that a worker has most of a second to claim the run. */
export const grantMs = 300;
/** While no step waits, only every fourth pass looks at the queues. */
const idlePasses = 4;
const sweepEveryMs = 60_000;

/**
 * Returns the periodic work that grants turns to steps which wait for the rate limit of a credential. All workers run it, and the first one
 * grants the turns for all.
 */
export function createTurnGranter(deps: Pick<Deps, 'database'> & RunQueue): () => Promise<void> {
  let skipped = 0;
  let isQueued = false;
  let sweepAt = performance.now() + sweepEveryMs;
  return async () => {
    if (performance.now() > sweepAt) {
      sweepAt = performance.now() + sweepEveryMs;
      await sweepTurns(deps.database);
    }
    skipped += 1;
    if (!isQueued && skipped < idlePasses) return;
    skipped = 0;
    isQueued = await isAnyQueued(deps.database);
    if (!isQueued) return;
    await deps.database.withSystem(async (tx) => {
      const granted = await grantTurns(tx);
      if (granted.length > 0) await enqueue(tx, deps, await wakeRuns(tx, granted));
    });
  };
}
