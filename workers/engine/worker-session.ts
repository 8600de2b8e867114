import { setTimeout as delay } from 'node:timers/promises';
import type { Automation } from '#src/automation/automation.ts';
import type { NotHeld } from '#src/automation/runs/held-runs.store.ts';
import type { createBundleCache } from './bundle.ts';
import { claimRuns } from './claim-runs.ts';
import { driveRun } from './drive-run.ts';
import { keepLease } from './lease.ts';
import { createStepPorts } from './ports.ts';
import { compareHeldRuns, releaseUnknownRuns } from './run-leases.ts';
import { registerWorker } from './statements/run-leases.ts';
import { StepLog } from './step-log.ts';
import type { StopReason } from './stopping.ts';
import type { RunUnderWay } from './types.ts';
import { LeaseLostError } from './write-step-log.ts';

/** One tenant holds at most this share of a worker's slots. */
const tenantShare = 0.75;
/**
 * How often the runs that the database says are held are compared with the runs under way. They differ after a claim whose response
 * was lost, because it may commit until its statement times out, and after a failover to a standby that lacks the last commits.
 */
const compareMs = 2_000;

export interface WorkerSessionOptions {
  concurrency: number;
  leaseMs: number;
  bundleOf: ReturnType<typeof createBundleCache>;
  onRunEnded: () => void;
}

/**
 * Registers a worker and holds its lease and its runs. A session whose lease is lost gives up all of its runs, and the engine
 * opens another.
 */
export async function openWorkerSession(deps: Automation, options: WorkerSessionOptions) {
  const workerId = await registerWorker(deps, options.leaseMs);
  const active = new Map<string, RunUnderWay>();
  const perTenant = new Map<string, number>();
  const onIdle = new Set<() => void>();
  let isLost = false;
  let compareAt = performance.now() + compareMs;
  const lease = keepLease(deps, workerId, options.leaseMs, compareHeld);
  const stepLog = new StepLog({ deps, workerId, lease, onLeaseLost: lose, onNotHeld: disown });
  const ports = createStepPorts({ deps, workerId, lease });
  const tenantLimit = Math.max(1, Math.floor(options.concurrency * tenantShare));

  function abandon(reason: StopReason): void {
    for (const { stop } of active.values()) stop.abort(reason);
  }

  function lose(): void {
    isLost = true;
    lease.end();
    abandon('lease-lost');
  }

  /** Gives up a run. If the database still says that this worker holds it, it is released and driven again from its recorded steps. */
  function disown(run: RunUnderWay, { isLost }: Pick<NotHeld, 'isLost'>): void {
    if (!run.isHeld) return;
    run.isHeld = false;
    run.stop.abort('not-held' satisfies StopReason);
    if (!isLost) return;
    compareAt = 0;
    const { tenantId, runId } = run.claim;
    deps.log.warn(
      { tenantId, runId },
      'The database has lost commits about a run; what this worker did since is dropped.',
    );
  }

  /** Gives up the runs that are under way and that the database does not know of, and names the server. */
  async function compareHeld(): Promise<string> {
    const runs = [...active.values()];
    const { server, notHeld } = await compareHeldRuns(deps, workerId, runs);
    for (const found of notHeld) disown(runs[found.place - 1] as RunUnderWay, found);
    return server;
  }

  /** Claims runs. */
  async function takeRuns(limit: number): ReturnType<typeof claimRuns> {
    const ignoreTenants = [...perTenant].flatMap(([tenant, count]) => (count >= tenantLimit ? [tenant] : []));
    try {
      return await lease.under(() => claimRuns(deps, { workerId, limit, ignoreTenants }));
    } catch (error) {
      compareAt = 0;
      if (error instanceof LeaseLostError) lose();
      throw error;
    }
  }

  return {
    workerId,
    active,
    abandon,
    lose,
    lease,
    get isLost() {
      return isLost;
    },
    /** Compares the runs that the database says are held with the runs under way, when that is due. Call it between claims. */
    async compare(): Promise<void> {
      if (performance.now() < compareAt) return;
      compareAt = performance.now() + compareMs;
      try {
        await compareHeld();
        const held = [...active.values()].filter(({ isHeld }) => isHeld);
        const released = await releaseUnknownRuns(
          deps,
          workerId,
          held.map(({ claim }) => claim.runId),
        );
        if (released > 0)
          deps.log.warn({ released }, 'Runs that this worker held without knowing went back to the queue.');
      } catch (error) {
        compareAt = 0;
        throw error;
      }
    },
    /** Claims at most `limit` runs and starts them; returns how many jobs the claim took from the queue. */
    async claim(limit: number): Promise<number> {
      const { runs, fetched } = await takeRuns(limit);
      for (const run of runs) {
        const key = `${run.tenantId}/${run.id}`;
        const former = active.get(key);
        // One that has just suspended or ended is no longer held either.
        if (former) disown(former, { isLost: run.claim.version <= former.claim.version });
        const entry: RunUnderWay = { claim: run.claim, stop: new AbortController(), isHeld: true };
        active.set(key, entry);
        perTenant.set(run.tenantId, (perTenant.get(run.tenantId) ?? 0) + 1);
        const { bundleOf } = options;
        const onNotHeld = () => disown(entry, { isLost: true });
        void driveRun({ deps, run, bundleOf, stepLog, ports, underWay: entry, onLeaseLost: lose, onNotHeld }).finally(
          () => {
            // A run that suspended may have been claimed again before its suspension was reported here.
            if (active.get(key) === entry) active.delete(key);
            const left = (perTenant.get(run.tenantId) ?? 1) - 1;
            if (left > 0) perTenant.set(run.tenantId, left);
            else perTenant.delete(run.tenantId);
            options.onRunEnded();
            if (active.size === 0) for (const resolve of onIdle) resolve();
          },
        );
      }
      return fetched;
    },
    cancel(key: string): void {
      active.get(key)?.stop.abort('cancelled');
    },
    /** Cancels the runs whose cancellation was requested while notices were not received. */
    async cancelRequested(): Promise<void> {
      const { rows } = await deps.database.system.query<{ tenant_id: string; id: number }>(
        `SELECT tenant_id, id FROM runs WHERE worker_id = $1 AND status = 'running' AND cancel_requested_at IS NOT NULL`,
        [workerId],
      );
      for (const row of rows) active.get(`${row.tenant_id}/${row.id}`)?.stop.abort('cancelled');
    },
    /** Resolves when no run is under way, or after `ms`. */
    async drained(ms: number): Promise<void> {
      if (active.size === 0) return;
      await Promise.race([new Promise<void>((resolve) => onIdle.add(resolve)), delay(ms)]);
    },
  };
}
