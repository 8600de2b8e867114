import { ClaimError, claimTicks, putAside } from '#src/automation/schedules/schedule-claims.service.ts';
import { reconcileSchedules, sweepTicks } from '#src/automation/schedules/schedule-upkeep.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { pause } from '#src/infra/pause.ts';

const maxBatch = 500;
/** Ticks fall on whole seconds, so that is when to look: a moment after, by the database's clock. */
const secondMs = 1_000;
const momentMs = 3;
const retryMs = 300;
const reconcileMs = 10_000;
const sweepMs = 3_600_000;
/** So long runs wait for ticks, and no longer: who has schedules of every second must not keep all runs from running. */
const longestHoldMs = 10_000;

export interface Scheduler {
  /** There are more ticks due than are taken at a time: the runs they start had better wait (10,000 ticks on a busy machine: 5 s late, not 9). */
  isBehind: () => boolean;
  stop(): Promise<void>;
}

/**
 * Fires schedules: takes the ticks that are due from the queue, in batches, and sees to it that none is lost. Every worker runs
 * one; they take different ticks.
 */
export function startScheduler(deps: Deps): Scheduler {
  const stopping = new AbortController();
  const { signal } = stopping;
  let behindSince = Infinity;
  const loops = [
    claimLoop(deps, signal, (isBehind) => {
      behindSince = isBehind ? Math.min(behindSince, performance.now()) : Infinity;
    }),
    every(
      reconcileMs,
      signal,
      async () => {
        for (let more = true; more && !signal.aborted;) {
          const made = await reconcileSchedules(deps);
          if (made.resent > 0) deps.log.warn(made, 'Due schedules had no job; they were given one.');
          ({ more } = made);
        }
      },
      (error) => deps.log.warn({ err: error }, 'Schedules could not be reconciled; the next try follows.'),
    ),
    every(
      sweepMs,
      signal,
      async () => {
        while (!signal.aborted && (await sweepTicks(deps)));
      },
      (error) => deps.log.warn({ err: error }, 'Old ticks could not be deleted; the next try is in an hour.'),
    ),
  ];
  return {
    isBehind: () => Math.abs(performance.now() - behindSince) < longestHoldMs,
    async stop() {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function claimLoop(deps: Deps, signal: AbortSignal, tell: (isBehind: boolean) => void): Promise<void> {
  let limit = maxBatch;
  while (!signal.aborted) {
    try {
      const { taken, now } = await claimTicks(deps, limit);
      const isBehind = taken >= limit;
      limit = maxBatch;
      tell(isBehind);
      if (!isBehind) await pause(secondMs - (now.getTime() % secondMs) + momentMs, signal);
    } catch (error) {
      tell(false);
      limit = await afterFailure(deps, error, limit);
      await pause(retryMs, signal);
    }
  }
}

/** One tick must not hold up the others: a batch that failed is tried again as ever smaller ones. Answers the next limit. */
async function afterFailure(deps: Deps, error: unknown, limit: number): Promise<number> {
  if (!(error instanceof ClaimError)) {
    deps.log.warn({ err: error }, 'Ticks could not be taken; the next try follows.');
    return limit;
  }
  const { jobIds, cause } = error;
  const [jobId] = jobIds;
  if (jobIds.length > 1 || jobId === undefined) {
    deps.log.warn(
      { err: cause, ticks: jobIds.length },
      'Ticks could not be fired; they are tried again in smaller numbers.',
    );
    return Math.max(1, Math.floor(jobIds.length / 4));
  }
  deps.log.error({ err: cause, jobId }, 'A tick could not be fired and was put aside; it is tried again later.');
  await putAside(deps, jobId, cause).catch((failure: unknown) => {
    deps.log.warn({ err: failure, jobId }, 'Nor could it be put aside.');
  });
  return maxBatch;
}

async function every(
  ms: number,
  signal: AbortSignal,
  work: () => Promise<void>,
  onError: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    await work().catch(onError);
    await pause(ms, signal);
  }
}
