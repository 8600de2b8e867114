import type { Deps } from '#src/infra/deps.ts';
import { renewLease } from './statements/run-leases.ts';
import { LeaseLostError, ServerChangedError } from './write-step-log.ts';

/** A worker's lease on its runs, renewed while the worker is alive. */
export interface Lease {
  /** Extends the lease; false when it is permanently lost. Throws while the database cannot be reached. */
  renew(): Promise<boolean>;
  /** How many live workers precede this one, as of the last renewal. */
  readonly before: number;
  end(): void;
  /**
   * To be called before a side effect. Returns undefined while the lease is valid by the local clock; otherwise asks
   * the database, and throws LeaseLostError when it is lost. A process that was suspended thus notices before it
   * repeats work that another worker has taken over.
   */
  confirm(): Promise<void> | undefined;
  /**
   * Runs `work`, which is given the server that this worker knows. If it throws LeaseLostError, the lease is renewed, and if it throws
   * ServerChangedError, what the worker holds is compared with the new server; then it runs once more.
   */
  under<T>(work: (server: string | undefined) => Promise<T>): Promise<T>;
}

/**
 * A lease that expired during a database outage may be renewed, as long as no other worker has declared this one dead.
 * One that expired because the process was suspended (stopped, or its event loop blocked) may not: its state in memory
 * is out of date.
 */
export function keepLease(
  deps: Deps,
  workerId: string,
  leaseMs: number,
  /** Compares what the worker holds with the server that answers, and names it. */
  compare: () => Promise<string | undefined> = async () => undefined,
): Lease {
  let server: string | undefined;
  let isLost = false;
  let before = 0;
  let wasSuspended = false;
  let validUntil = performance.now() + leaseMs;
  let lastTick = performance.now();
  // A query may take long by itself, so a timer of its own detects a suspended process.
  const tick = (): void => {
    const now = performance.now();
    if (now - lastTick > leaseMs) wasSuspended = true;
    lastTick = now;
  };
  const ticking = setInterval(tick, leaseMs / 4).unref();

  async function renew(): Promise<boolean> {
    tick();
    const askedAt = performance.now();
    if (isLost) return false;
    const renewed = await renewLease(deps, workerId, leaseMs, { revive: !wasSuspended });
    if (renewed === undefined) isLost = true;
    if (renewed === undefined) return false;
    ({ before } = renewed);
    wasSuspended = false;
    validUntil = askedAt + leaseMs;
    return true;
  }

  async function ask(): Promise<void> {
    if (!(await renew())) throw new LeaseLostError();
  }

  return {
    renew,
    get before() {
      return before;
    },
    end: () => clearInterval(ticking),
    confirm: () => (!isLost && performance.now() < validUntil ? undefined : ask()),
    async under(work) {
      // At its first use the worker holds nothing yet.
      server ??= await compare();
      try {
        return await work(server);
      } catch (error) {
        if (error instanceof ServerChangedError) server = await compare();
        else if (!(error instanceof LeaseLostError) || !(await renew())) throw error;
        return work(server);
      }
    },
  };
}
