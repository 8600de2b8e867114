import { LeaseLostError } from '#src/automation/runs/engine/run-journal.service.ts';
import { renewLease } from '#src/automation/runs/engine/run-leases.service.ts';
import type { Deps } from '#src/infra/deps.ts';

/** A worker's word that it is alive. */
export interface Lease {
  /** Extends it; false when it is gone, for good. Throws while the database cannot be asked. */
  renew(): Promise<boolean>;
  end(): void;
  /**
   * Before a step acts: nothing to wait for while the lease is good by our own clock, else the database is asked. Throws
   * LeaseLostError when it is gone. A process that stood still thus learns of it before it does others' work once more.
   */
  confirm(): Promise<void> | undefined;
  /** Does what throws LeaseLostError where the lease has run out, once more when it can be had again. */
  under<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * A lease that ran out while the database was away may be taken up again, as long as nobody has declared its worker dead. One
 * that ran out because the process stood still (stopped, or its event loop blocked) may not: what it had in hand is old news.
 */
export function keepLease(deps: Deps, workerId: string, leaseMs: number): Lease {
  let isGone = false;
  let stoodStill = false;
  let goodUntil = performance.now() + leaseMs;
  let lastTick = performance.now();
  // Asking the database may take long by itself, so whether the process stands still is seen by a clock of its own.
  const tick = (): void => {
    const now = performance.now();
    if (now - lastTick > leaseMs) stoodStill = true;
    lastTick = now;
  };
  const ticking = setInterval(tick, leaseMs / 4).unref();

  async function renew(): Promise<boolean> {
    tick();
    const askedAt = performance.now();
    if (!isGone) isGone = !(await renewLease(deps, workerId, leaseMs, { revive: !stoodStill }));
    if (isGone) return false;
    stoodStill = false;
    goodUntil = askedAt + leaseMs;
    return true;
  }

  async function ask(): Promise<void> {
    if (!(await renew())) throw new LeaseLostError();
  }

  return {
    renew,
    end: () => clearInterval(ticking),
    confirm: () => (!isGone && performance.now() < goodUntil ? undefined : ask()),
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
