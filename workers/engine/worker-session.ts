import { setTimeout as delay } from 'node:timers/promises';
import type { Automation } from '#src/automation/automation.ts';
import type { NotHeld } from '#src/automation/runs/held-runs.store.ts';
import { observations } from '#src/infra/observations/observations.ts';
import type { createBundleCache } from './bundle.ts';
import { type ClaimedRun, claimRuns } from './claim-runs.ts';
import { driveRun } from './drive-run.ts';
import { keepLease, type Lease } from './lease.ts';
import { createStepPorts } from './ports.ts';
import { compareHeldRuns, releaseUnknownRuns } from './run-leases.ts';
import { findRunSpan } from './spans.ts';
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
  loadBundle: ReturnType<typeof createBundleCache>;
  onRunEnded: () => void;
}

/** Registers a worker and opens its session. */
export async function openWorkerSession(deps: Automation, options: WorkerSessionOptions): Promise<WorkerSession> {
  return new WorkerSession(deps, options, await registerWorker(deps, options.leaseMs));
}

/**
 * A registered worker with its lease and its runs. A session whose lease is lost gives up all of its runs, and the engine opens
 * another.
 */
export class WorkerSession {
  readonly workerId: string;
  readonly lease: Lease;
  readonly #deps: Automation;
  readonly #options: WorkerSessionOptions;
  readonly #tenantLimit: number;
  readonly #stepLog: StepLog;
  readonly #ports: ReturnType<typeof createStepPorts>;
  /** The runs under way, by `tenant/run`. */
  readonly #active = new Map<string, RunUnderWay>();
  readonly #activePerTenant = new Map<string, number>();
  readonly #onIdle = new Set<() => void>();
  #isLost = false;
  #compareAt = performance.now() + compareMs;

  constructor(deps: Automation, options: WorkerSessionOptions, workerId: string) {
    this.workerId = workerId;
    this.#deps = deps;
    this.#options = options;
    this.#tenantLimit = Math.max(1, Math.floor(options.concurrency * tenantShare));
    this.lease = keepLease(deps, workerId, options.leaseMs, () => this.#compareHeld());
    this.#stepLog = new StepLog({
      deps,
      workerId,
      lease: this.lease,
      onLeaseLost: this.lose,
      onNotHeld: (run, found) => this.#disown(run, found),
    });
    this.#ports = createStepPorts({ deps, workerId, lease: this.lease });
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get activeCount(): number {
    return this.#active.size;
  }

  abandon(reason: StopReason): void {
    for (const { stop } of this.#active.values()) stop.abort(reason);
  }

  readonly lose = (): void => {
    if (!this.#isLost) observations.leaseLost.tell(undefined);
    this.#isLost = true;
    this.lease.end();
    this.abandon('lease-lost');
  };

  /** Compares the runs that the database says are held with the runs under way, when that is due. Call it between claims. */
  async compare(): Promise<void> {
    if (performance.now() < this.#compareAt) return;
    this.#compareAt = performance.now() + compareMs;
    try {
      await this.#compareHeld();
      const held = [...this.#active.values()].filter(({ isHeld }) => isHeld);
      const heldIds = held.map(({ claim }) => claim.runId);
      const released = await releaseUnknownRuns(this.#deps, this.workerId, heldIds);
      if (released > 0)
        this.#deps.log.warn({ released }, 'Runs that this worker held without knowing went back to the queue.');
    } catch (error) {
      this.#compareAt = 0;
      throw error;
    }
  }

  /** Claims at most `limit` runs and starts them; returns how many jobs the claim took from the queue. */
  async claim(limit: number): Promise<number> {
    const { runs, fetched } = await this.#claimRuns(limit);
    for (const run of runs) this.#start(run);
    return fetched;
  }

  cancel(key: string): void {
    this.#active.get(key)?.stop.abort('cancelled');
  }

  /** Cancels the runs whose cancellation was requested while notices were not received. */
  async cancelRequested(): Promise<void> {
    const { rows } = await this.#deps.database.system.query<{ tenant_id: string; id: number }>(
      `SELECT tenant_id, id FROM runs WHERE worker_id = $1 AND status = 'running' AND cancel_requested_at IS NOT NULL`,
      [this.workerId],
    );
    for (const row of rows) this.cancel(`${row.tenant_id}/${row.id}`);
  }

  /** Resolves when no run is under way, or after `ms`. */
  async drained(ms: number): Promise<void> {
    if (this.#active.size === 0) return;
    await Promise.race([new Promise<void>((resolve) => this.#onIdle.add(resolve)), delay(ms)]);
  }

  async #claimRuns(limit: number): ReturnType<typeof claimRuns> {
    const counts = [...this.#activePerTenant];
    const ignoreTenants = counts.flatMap(([tenant, count]) => (count >= this.#tenantLimit ? [tenant] : []));
    try {
      return await this.lease.under(() => claimRuns(this.#deps, { workerId: this.workerId, limit, ignoreTenants }));
    } catch (error) {
      this.#compareAt = 0;
      if (error instanceof LeaseLostError) this.lose();
      throw error;
    }
  }

  #start(run: ClaimedRun): void {
    const key = `${run.tenantId}/${run.id}`;
    const former = this.#active.get(key);
    // One that has just suspended or ended is no longer held either.
    if (former) this.#disown(former, { isLost: run.claim.version <= former.claim.version });
    const span = findRunSpan(this.#deps.tracing, run);
    const underWay: RunUnderWay = { claim: run.claim, stop: new AbortController(), isHeld: true, span };
    this.#active.set(key, underWay);
    this.#activePerTenant.set(run.tenantId, (this.#activePerTenant.get(run.tenantId) ?? 0) + 1);
    void driveRun({
      deps: this.#deps,
      run,
      loadBundle: this.#options.loadBundle,
      stepLog: this.#stepLog,
      ports: this.#ports,
      underWay,
      onLeaseLost: this.lose,
      onNotHeld: () => this.#disown(underWay, { isLost: true }),
    }).finally(() => this.#remove(key, underWay));
  }

  #remove(key: string, underWay: RunUnderWay): void {
    // A run that suspended may have been claimed again before its suspension was reported here.
    if (this.#active.get(key) === underWay) this.#active.delete(key);
    const { tenantId } = underWay.claim;
    const left = (this.#activePerTenant.get(tenantId) ?? 1) - 1;
    if (left > 0) this.#activePerTenant.set(tenantId, left);
    else this.#activePerTenant.delete(tenantId);
    this.#options.onRunEnded();
    if (this.#active.size === 0) for (const resolve of this.#onIdle) resolve();
  }

  /** Gives up a run. If the database still says that this worker holds it, it is released and driven again from its recorded steps. */
  #disown(run: RunUnderWay, { isLost }: Pick<NotHeld, 'isLost'>): void {
    if (!run.isHeld) return;
    run.isHeld = false;
    run.stop.abort('not-held' satisfies StopReason);
    if (!isLost) return;
    this.#compareAt = 0;
    const { tenantId, runId } = run.claim;
    this.#deps.log.warn(
      { tenantId, runId },
      'The database has lost commits about a run; what this worker did since is dropped.',
    );
  }

  /** Gives up the runs that are under way and that the database does not know of, and names the server. */
  async #compareHeld(): Promise<string> {
    const runs = [...this.#active.values()];
    const { server, notHeld } = await compareHeldRuns(this.#deps, this.workerId, runs);
    for (const found of notHeld) this.#disown(runs[found.place - 1] as RunUnderWay, found);
    return server;
  }
}
