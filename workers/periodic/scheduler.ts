import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { ClaimError, claimTicks, putAside } from '#src/automation/schedules/schedule-claims.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { pause } from '#src/infra/timing/timers.ts';

const maxBatch = 500;
/** Ticks are due on whole seconds of the database's clock, so they are claimed then, plus a margin. */
const secondMs = 1_000;
const marginMs = 3;
const retryMs = 300;
/** Runs wait at most this long for ticks: a tenant with many schedules that fire every second must not stop all runs. */
const maxHoldMs = 10_000;

export interface Scheduler {
  /**
   * True when more ticks are due than one batch takes. The engine claims no runs meanwhile: 10,000 ticks on a busy machine then
   * fire 5 s late instead of 9.
   */
  isBehind: () => boolean;
  stop(): Promise<void>;
}

/** Fires schedules: claims the ticks that are due, in batches. Every worker runs one, and each claims different ticks. */
export function startScheduler(deps: Deps & RunQueue): Scheduler {
  const stopping = new AbortController();
  let behindSince = Infinity;
  const claiming = claimLoop(deps, stopping.signal, (isBehind) => {
    behindSince = isBehind ? Math.min(behindSince, performance.now()) : Infinity;
  });
  return {
    isBehind: () => Math.abs(performance.now() - behindSince) < maxHoldMs,
    async stop() {
      stopping.abort();
      await claiming;
    },
  };
}

async function claimLoop(
  deps: Deps & RunQueue,
  signal: AbortSignal,
  report: (isBehind: boolean) => void,
): Promise<void> {
  let limit = maxBatch;
  while (!signal.aborted) {
    try {
      const { taken, now } = await claimTicks(deps, limit);
      const isBehind = taken >= limit;
      limit = maxBatch;
      report(isBehind);
      if (!isBehind) await pause(secondMs - (now.getTime() % secondMs) + marginMs, signal);
    } catch (error) {
      report(false);
      limit = await limitAfterFailure(deps, error, limit);
      await pause(retryMs, signal);
    }
  }
}

const warnOfClaim = createRepeatedWarning('Ticks could not be claimed; retrying.');

/**
 * The limit of the next claim. A batch that failed is retried in smaller and smaller batches, until the failing tick is alone.
 * That one is put aside, so that it does not hold up the others.
 */
async function limitAfterFailure(deps: Deps & RunQueue, error: unknown, limit: number): Promise<number> {
  if (!(error instanceof ClaimError)) {
    warnOfClaim(deps.log, error);
    return limit;
  }
  const { jobIds, cause } = error;
  const [jobId] = jobIds;
  if (jobIds.length > 1 || jobId === undefined) {
    const details = { err: cause, ticks: jobIds.length };
    deps.log.warn(details, 'Ticks could not be fired; retrying them in smaller batches.');
    return Math.max(1, Math.floor(jobIds.length / 4));
  }
  deps.log.error({ err: cause, jobId }, 'A tick could not be fired and was put aside; it will be retried later.');
  await putAside(deps, jobId, cause).catch((failure: unknown) => {
    deps.log.warn({ err: failure, jobId }, 'The tick that failed could not be put aside.');
  });
  return maxBatch;
}
