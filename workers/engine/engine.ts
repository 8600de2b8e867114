import { setTimeout as delay } from 'node:timers/promises';
import { claimRuns } from '#src/automation/runs/engine/run-claims.service.ts';
import { LeaseLostError } from '#src/automation/runs/engine/run-journal.service.ts';
import {
  reconcileRuns,
  registerWorker,
  releaseUnknownRuns,
  retireWorker,
} from '#src/automation/runs/engine/run-leases.service.ts';
import { channels } from '#src/automation/runs/run-notices.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import type { Channel } from '#src/infra/live/pubsub.ts';
import { pause } from '#src/infra/pause.ts';
import type { Runtime } from '#workers/runtime/runtime.ts';
import { createBell } from './bell.ts';
import { createBundleCache } from './bundle.ts';
import { driveRun } from './drive-run.ts';
import { Journal } from './journal.ts';
import { keepLease } from './lease.ts';
import { createStepPorts } from './ports.ts';
import type { StopReason } from './stopping.ts';

export interface EngineOptions {
  egress: Egress;
  runtime: Runtime;
  /** Runs under way at a time. */
  concurrency: number;
  /** How long the others believe in this worker after its last sign of life. */
  leaseMs: number;
  /** How long a stop waits for runs under way before they are handed back. */
  drainMs?: number;
  /** While it answers true no further runs are claimed: what accepts runs in this process goes before what does them. */
  isHeldBack?: () => boolean;
}

export interface Engine {
  /** Takes no more runs, lets those under way end, hands the rest back. */
  stop(): Promise<void>;
  stats(): { workerId: string; active: number };
}

const pollMs = 500;
const maxClaim = 100;
/** A busy worker refills its places in handfuls: one claim for many runs. */
const refillPauseMs = 4;
const reconcileMs = 2_000;
/** A claim whose connection broke may be committed still, until its statement's time is over. */
const recheckAfterMs = [0, 5_000, 35_000];
const defaultDrainMs = 20_000;
/** No tenant holds more of a worker's places than this. */
const tenantShare = 0.75;

const everything = '*';
const queueChannel: Channel<true> = { name: channels.queue, parse: () => true, keys: () => [everything] };
/** Keys of runs: `tenant/run`. */
const cancelChannel: Channel<string> = {
  name: channels.cancel,
  parse: (raw) => (Array.isArray(raw) ? `${raw[0]}/${raw[1]}` : undefined),
  keys: () => [everything],
};

/** Starts the engine: it claims runs, drives them, keeps its lease, and picks up what dead workers left. */
export async function startEngine(deps: Deps, options: EngineOptions): Promise<Engine> {
  const bundleOf = createBundleCache(deps);
  const bell = createBell();
  const wakeUp = () => bell.ring();
  // There was more in the queue than there were places.
  let backlog = false;
  const onPlaceFree = () => {
    if (backlog) bell.ring();
  };
  const begin = () => newIncarnation(deps, options, bundleOf, onPlaceFree);
  let incarnation = await begin();
  const stopping = new AbortController();

  const detach = [
    deps.live.subscribe(queueChannel, everything, { onEntry: wakeUp, onResync: wakeUp }),
    deps.live.subscribe(cancelChannel, everything, {
      onEntry: (key) => incarnation.cancel(key),
      onResync: () => {
        incarnation
          .cancelRequested()
          .catch((error: unknown) => deps.log.warn({ err: error }, 'cancellations could not be read'));
      },
    }),
  ];

  async function claimLoop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const limit = Math.min(options.concurrency - incarnation.active.size, maxClaim);
        if (limit > 0 && !incarnation.lost && !options.isHeldBack?.())
          backlog = (await incarnation.claim(limit)) >= limit;
      } catch (error) {
        deps.log.warn({ err: error }, 'runs could not be claimed; trying again');
      }
      await bell.wait(pollMs);
      if (backlog) await delay(refillPauseMs);
    }
  }

  async function stayAlive(): Promise<void> {
    const { workerId } = incarnation;
    if (!incarnation.lost && (await incarnation.lease.renew())) return;
    deps.log.error({ workerId }, 'the lease was lost; runs under way are given up');
    incarnation.lose();
    // Nobody may have noticed yet; what it held need not wait until somebody does.
    await retireWorker(deps, workerId, { lost: true });
    incarnation = await begin();
    wakeUp();
  }

  async function reconcile(): Promise<void> {
    const made = await reconcileRuns(deps);
    if (made.recovered + made.requeued > 0) deps.log.info(made, 'runs were put back into the queue');
  }

  const ended = new AbortController();
  const warn = (what: string) => (error: unknown) => deps.log.warn({ err: error }, what);
  const claiming = claimLoop();
  const chores = [
    every(options.leaseMs / 3, stayAlive, ended.signal, warn('the lease could not be renewed; trying again')),
    // At once, too: where workers die soon after they start, none would come to it.
    every(reconcileMs, reconcile, ended.signal, warn('runs could not be reconciled; trying again'), 0),
  ];
  return {
    stats: () => ({ workerId: incarnation.workerId, active: incarnation.active.size }),
    async stop() {
      stopping.abort();
      wakeUp();
      await claiming;
      await incarnation.drained(options.drainMs ?? defaultDrainMs);
      incarnation.abandon('draining');
      await incarnation.drained(5_000);
      ended.abort();
      await Promise.all(chores);
      for (const off of detach) off();
      incarnation.lease.end();
      await retireWorker(deps, incarnation.workerId, { lost: false }).catch(
        warn('what is left could not be handed back; others take it over when the lease ends'),
      );
    },
  };
}

const retryMs = 300;

/** Does `work` every `ms` until the signal is aborted, one at a time, and sooner again where it failed. */
async function every(
  ms: number,
  work: () => Promise<void>,
  signal: AbortSignal,
  onError: (error: unknown) => void,
  firstMs = ms,
): Promise<void> {
  let waitMs = firstMs;
  while (!signal.aborted) {
    await pause(waitMs, signal);
    waitMs = ms;
    if (signal.aborted) return;
    await work().catch((error: unknown) => {
      waitMs = Math.min(ms, retryMs);
      onError(error);
    });
  }
}

/** A worker identity and the runs it holds. When its lease is lost it is given up whole, and another takes its place. */
async function newIncarnation(
  deps: Deps,
  options: EngineOptions,
  bundleOf: ReturnType<typeof createBundleCache>,
  onPlaceFree: () => void,
) {
  const workerId = await registerWorker(deps, options.leaseMs);
  const active = new Map<string, { runId: number; stop: AbortController }>();
  const perTenant = new Map<string, number>();
  const idle = new Set<() => void>();
  const state = { lost: false, recheckAt: [] as number[] };
  const lease = keepLease(deps, workerId, options.leaseMs);
  const journal = new Journal({ deps, workerId, lease, onLeaseLost: lose });
  const ports = createStepPorts({ deps, workerId, lease, egress: options.egress, runtime: options.runtime });
  const tenantLimit = Math.max(1, Math.floor(options.concurrency * tenantShare));

  function abandon(reason: StopReason): void {
    for (const { stop } of active.values()) stop.abort(reason);
  }

  function lose(): void {
    state.lost = true;
    lease.end();
    abandon('lease-lost');
  }

  /** Claims runs; after a claim whose answer was lost, what it may have brought is handed back first. */
  async function takeRuns(limit: number): ReturnType<typeof claimRuns> {
    const ignoreTenants = [...perTenant].flatMap(([tenant, count]) => (count >= tenantLimit ? [tenant] : []));
    try {
      while (state.recheckAt[0] !== undefined && state.recheckAt[0] <= performance.now()) {
        const underWay = [...active.values()].map(({ runId }) => runId);
        await releaseUnknownRuns(deps, workerId, underWay);
        state.recheckAt.shift();
      }
      return await lease.under(() => claimRuns(deps, { workerId, limit, ignoreTenants }));
    } catch (error) {
      const now = performance.now();
      state.recheckAt = recheckAfterMs.map((ms) => now + ms);
      if (error instanceof LeaseLostError) lose();
      throw error;
    }
  }

  async function claim(limit: number): Promise<number> {
    const { runs, fetched } = await takeRuns(limit);
    for (const run of runs) {
      const key = `${run.tenantId}/${run.id}`;
      const entry = { runId: run.id, stop: new AbortController() };
      active.set(key, entry);
      perTenant.set(run.tenantId, (perTenant.get(run.tenantId) ?? 0) + 1);
      void driveRun({ deps, run, bundleOf, journal, ports, stop: entry.stop, onLeaseLost: lose }).finally(() => {
        // A run that suspended may have been claimed again before the news of its suspension was heard here.
        if (active.get(key) === entry) active.delete(key);
        const left = (perTenant.get(run.tenantId) ?? 1) - 1;
        if (left > 0) perTenant.set(run.tenantId, left);
        else perTenant.delete(run.tenantId);
        onPlaceFree();
        if (active.size === 0) for (const resolve of idle) resolve();
      });
    }
    return fetched;
  }

  return {
    workerId,
    active,
    claim,
    abandon,
    lose,
    lease,
    get lost() {
      return state.lost;
    },
    cancel(key: string): void {
      active.get(key)?.stop.abort('cancelled');
    },
    /** Cancels what was asked for while notices did not come through. */
    async cancelRequested(): Promise<void> {
      const { rows } = await deps.database.system.query<{ tenant_id: string; id: number }>(
        `SELECT tenant_id, id FROM runs WHERE worker_id = $1 AND status = 'running' AND cancel_requested_at IS NOT NULL`,
        [workerId],
      );
      for (const row of rows) active.get(`${row.tenant_id}/${row.id}`)?.stop.abort('cancelled');
    },
    /** Resolves when nothing is under way, or after `ms`. */
    async drained(ms: number): Promise<void> {
      if (active.size === 0) return;
      await Promise.race([new Promise<void>((resolve) => idle.add(resolve)), delay(ms)]);
    },
  };
}
