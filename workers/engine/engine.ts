import { setTimeout as delay } from 'node:timers/promises';
import type { Automation } from '#src/automation/automation.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import { every } from '#src/infra/background/every.ts';
import { jobsChannel } from '#src/infra/jobs.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import { createRepeatedWarning } from '#src/infra/logs/repeated-warning.ts';
import { createWakeUp } from '#src/infra/timing/wake-up.ts';
import { createBundleCache } from './bundle.ts';
import { reconcileRuns, retireWorker } from './run-leases.ts';
import { isQueueLate } from './statements/run-claims.ts';
import { openWorkerSession } from './worker-session.ts';

export interface EngineOptions {
  /** Concurrent runs. */
  concurrency: number;
  /** How long after its last renewal the lease holds, in milliseconds. */
  leaseMs: number;
  /** How long a stop waits for runs under way before they are handed back. */
  drainMs?: number;
  /** No further runs are claimed while it returns true. */
  isHeldBack?: () => boolean;
}

export interface Engine {
  /** Claims no more runs, waits for those under way, and hands back those that do not end in time. */
  stop(): Promise<void>;
  stats(): { workerId: string; active: number };
}

const pollMs = 500;
/** How many runs a claim takes at most; few sizes, because each is a prepared statement. */
const claimSizes = [100, 64, 32, 16, 8, 4, 2, 1];
/** A worker with a backlog waits this long after a run has ended, so that one claim fills the places of many. */
const refillPauseMs = 4;
/** The pause between claims grows with the runs under way, up to 10 ms, so that one claim takes many runs. */
const gatherMs = (active: number): number => Math.min(active / 8, 10);
/**
 * A worker with predecessors claims only when a run has waited this long, which leaves the runs to the predecessors: the commits of
 * one worker hold more than those of two that share its runs. A busy machine commits a firing in 50 ms, and a claim in 50 ms.
 */
const yieldMs = 200;
const reconcileMs = 2_000;
const retryMs = 300;
const defaultDrainMs = 20_000;
/** After an outage, other workers have this long to renew their leases; they retry every `retryMs`. */
const graceMs = 1_000;

const everything = '*';
/** Entries are keys of runs: `tenant/run`. */
const cancelChannel: Channel<string> = {
  name: channels.cancel,
  parse: (raw) => (Array.isArray(raw) ? `${raw[0]}/${raw[1]}` : undefined),
  keys: () => [everything],
};

const warnOfClaim = createRepeatedWarning('Runs could not be claimed; retrying.');
const warnOfCancels = createRepeatedWarning('Requests to cancel runs could not be read.');

/** Starts the engine: it claims runs, drives them, renews its lease, and takes over the runs of workers that died. */
export async function startEngine(deps: Automation, options: EngineOptions): Promise<Engine> {
  const { log } = deps;
  const bundleOf = createBundleCache(deps);
  const wakeUp = createWakeUp();
  // True when the last claim left runs in the queue.
  let hasBacklog = false;
  const onRunEnded = () => {
    if (hasBacklog) wakeUp.signal();
  };
  const open = () => openWorkerSession(deps, { ...options, bundleOf, onRunEnded });
  let session = await open();
  const stopping = new AbortController();

  const unsubscribe = [
    deps.live.subscribe(jobsChannel, executeRunJob.name, { onEntry: wakeUp.signal, onResync: wakeUp.signal }),
    deps.live.subscribe(cancelChannel, everything, {
      onEntry: (key) => session.cancel(key),
      onResync: () => {
        session.cancelRequested().catch((error: unknown) => warnOfCancels(log, error));
      },
    }),
  ];

  /** True when this worker may claim: no worker precedes it, its last claim left a backlog, or the queue is late. */
  async function isOurTurn(): Promise<boolean> {
    if (hasBacklog || session.lease.before === 0) return true;
    const late = await isQueueLate(deps, yieldMs);
    // A run that has not waited long is looked at again, since no notice follows.
    if (late === false) wakeUp.signal();
    return late === true;
  }

  async function claimLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        if (!session.isLost) await session.compare();
        const free = options.concurrency - session.active.size;
        const size = claimSizes.find((each) => each <= free);
        if (size !== undefined && !session.isLost && !options.isHeldBack?.() && (await isOurTurn())) {
          hasBacklog = (await session.claim(size)) >= size;
          if (hasBacklog && size < free) wakeUp.signal();
        }
      } catch (error) {
        warnOfClaim(log, error);
      }
      await wakeUp.wait(pollMs);
      const pauseMs = hasBacklog
        ? refillPauseMs
        : session.lease.before > 0
          ? yieldMs / 2
          : gatherMs(session.active.size);
      if (pauseMs >= 1) await delay(pauseMs);
    }
  }

  /** No worker is declared dead before this time: infinite while this worker's own lease cannot be renewed. */
  let graceUntil = 0;

  async function isRenewed(): Promise<boolean> {
    if (session.isLost) return false;
    try {
      const renewed = await session.lease.renew();
      if (graceUntil === Infinity) graceUntil = performance.now() + graceMs;
      return renewed;
    } catch (error) {
      graceUntil = Infinity;
      throw error;
    }
  }

  async function renewLease(): Promise<void> {
    const { workerId } = session;
    if (await isRenewed()) return;
    log.error({ workerId }, 'The lease of this worker was lost; its runs are left to other workers.');
    session.lose();
    // Its runs are put back into the queue now, before another worker finds that the lease has ended.
    await retireWorker(deps, workerId, { lost: true });
    session = await open();
    wakeUp.signal();
  }

  async function reconcile(): Promise<void> {
    if (performance.now() < graceUntil) return;
    const made = await reconcileRuns(deps, session.workerId);
    if (made.recovered + made.requeued > 0) log.info(made, 'Runs were put back into the queue.');
  }

  const claiming = claimLoop();
  const renewMs = options.leaseMs / 3;
  const renewing = every({
    everyMs: renewMs,
    firstMs: renewMs,
    retryMs: Math.min(renewMs, retryMs),
    work: renewLease,
    log,
    fault: 'The lease could not be renewed; retrying.',
    level: 'warn',
  });
  // Runs immediately the first time: if every worker died soon after its start, nothing would be reconciled otherwise.
  const reconciling = every({
    everyMs: reconcileMs,
    retryMs,
    work: reconcile,
    log,
    fault: 'Runs could not be reconciled; retrying.',
    level: 'warn',
  });
  return {
    stats: () => ({ workerId: session.workerId, active: session.active.size }),
    async stop() {
      stopping.abort();
      wakeUp.signal();
      await claiming;
      await session.drained(options.drainMs ?? defaultDrainMs);
      session.abandon('draining');
      await session.drained(5_000);
      await Promise.all([renewing.stop(), reconciling.stop()]);
      for (const end of unsubscribe) end();
      session.lease.end();
      await retireWorker(deps, session.workerId, { lost: false }).catch((error: unknown) =>
        log.warn({ err: error }, 'Runs could not be handed back; other workers take them over when the lease ends.'),
      );
    },
  };
}
