/**
 * All tenants share the relay, so filters of one tenant may take only this much of it in a burst, and a tenth of the time on average; the
 * free part of each evaluation is not counted.
 */
const atOnceMs = 500;
const refillPerMs = 0.1;
/** The free part of each evaluation: as much as a delivery itself costs, and ten times the cost of an ordinary filter. */
const freeMs = 0.25;
const remembered = 1_000;

export interface FilterTime {
  /** True if the tenant's filters must wait until more time has passed. */
  isSpent(tenantId: string, now: number): boolean;
  /** Counts an evaluation that took `tookMs` of processor time and ended at `now`, in milliseconds. */
  add(tenantId: string, tookMs: number, now: number): void;
}

/** Counts across batches, because otherwise each batch could wait for the filters of the same tenant again. */
export function createFilterTime(): FilterTime {
  const spent = new Map<string, { ms: number; at: number }>();
  const left = (tenantId: string, now: number): number => {
    const last = spent.get(tenantId);
    return last ? Math.max(0, last.ms - (now - last.at) * refillPerMs) : 0;
  };
  return {
    isSpent: (tenantId, now) => left(tenantId, now) >= atOnceMs,
    add(tenantId, tookMs, now) {
      if (tookMs <= freeMs) return;
      const ms = left(tenantId, now) + tookMs - freeMs;
      spent.delete(tenantId);
      if (spent.size >= remembered) spent.delete(spent.keys().next().value as string);
      spent.set(tenantId, { ms, at: now });
    },
  };
}
