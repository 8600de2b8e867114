import { setTimeout as delay } from 'node:timers/promises';
import type { Automation } from '#src/automation/automation.ts';
import { claimRuns } from '#src/automation/runs/engine/run-claims.service.ts';
import { LeaseLostError } from '#src/automation/runs/engine/run-journal.service.ts';
import { releaseUnknownRuns } from '#src/automation/runs/engine/run-leases.service.ts';
import { registerWorker } from '#src/automation/runs/engine/run-leases.store.ts';
import type { createBundleCache } from './bundle.ts';
import { driveRun } from './drive-run.ts';
import { Journal } from './journal.ts';
import { keepLease } from './lease.ts';
import { createStepPorts } from './ports.ts';
import type { StopReason } from './stopping.ts';

/** One tenant holds at most this share of a worker's slots. */
const tenantShare = 0.75;
/**
 * When to look for runs that were claimed over a connection that broke: the claim may still commit until its statement times
 * out.
 */
const recheckAfterMs = [0, 5_000, 35_000];

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
  const active = new Map<string, { runId: number; stop: AbortController }>();
  const perTenant = new Map<string, number>();
  const onIdle = new Set<() => void>();
  let isLost = false;
  let recheckAt: number[] = [];
  const lease = keepLease(deps, workerId, options.leaseMs);
  const journal = new Journal({ deps, workerId, lease, onLeaseLost: lose });
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

  /** Claims runs. After a claim whose result was lost, the runs that it may have claimed are released first. */
  async function takeRuns(limit: number): ReturnType<typeof claimRuns> {
    const ignoreTenants = [...perTenant].flatMap(([tenant, count]) => (count >= tenantLimit ? [tenant] : []));
    try {
      while (recheckAt[0] !== undefined && recheckAt[0] <= performance.now()) {
        const underWay = [...active.values()].map(({ runId }) => runId);
        await releaseUnknownRuns(deps, workerId, underWay);
        recheckAt.shift();
      }
      return await lease.under(() => claimRuns(deps, { workerId, limit, ignoreTenants }));
    } catch (error) {
      const now = performance.now();
      recheckAt = recheckAfterMs.map((ms) => now + ms);
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
    /** Claims at most `limit` runs and starts them; returns how many jobs the claim took from the queue. */
    async claim(limit: number): Promise<number> {
      const { runs, fetched } = await takeRuns(limit);
      for (const run of runs) {
        const key = `${run.tenantId}/${run.id}`;
        const entry = { runId: run.id, stop: new AbortController() };
        active.set(key, entry);
        perTenant.set(run.tenantId, (perTenant.get(run.tenantId) ?? 0) + 1);
        const { bundleOf } = options;
        void driveRun({ deps, run, bundleOf, journal, ports, stop: entry.stop, onLeaseLost: lose }).finally(() => {
          // A run that suspended may have been claimed again before its suspension was reported here.
          if (active.get(key) === entry) active.delete(key);
          const left = (perTenant.get(run.tenantId) ?? 1) - 1;
          if (left > 0) perTenant.set(run.tenantId, left);
          else perTenant.delete(run.tenantId);
          options.onRunEnded();
          if (active.size === 0) for (const resolve of onIdle) resolve();
        });
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
