import { LeaseLostError } from '#src/automation/runs/run-journal.service.ts';
import { renewLease } from '#src/automation/runs/run-leases.service.ts';
import type { Deps } from '#src/platform/deps.ts';

/** A worker's word that it is alive. */
export interface Lease {
  /** Extends it; false when it is gone, for good. Throws while the database cannot be asked. */
  renew(): Promise<boolean>;
  /** Does what throws LeaseLostError where the lease has run out, once more when it can be had again. */
  under<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * A lease that ran out while the database was away may be taken up again, as long as nobody has declared its worker dead. One
 * that ran out because the process stood still (stopped, or its event loop blocked) may not: what it had in hand is old news.
 */
export function keepLease(deps: Deps, workerId: string, leaseMs: number): Lease {
  let lastTry = performance.now();
  let isGone = false;

  async function renew(): Promise<boolean> {
    const stoodStill = performance.now() - lastTry > leaseMs;
    lastTry = performance.now();
    if (!isGone) isGone = !(await renewLease(deps, workerId, leaseMs, { revive: !stoodStill }));
    return !isGone;
  }

  return {
    renew,
    async under(work) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof LeaseLostError) || !(await renew())) throw error;
        return work();
      }
    },
  };
}
