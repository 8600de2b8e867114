/**
 * Fair queueing between tenants by virtual time. A tenant's runs are stamped one after another at its fair rate, never earlier
 * than now; pg-boss serves the earliest stamp first. So a tenant that queues ten thousand runs at once spreads them over the
 * seconds to come, and another tenant's single run is served before most of them. Each process keeps its own stamps:
 * fairness is approximate across processes, and nothing but the order depends on it.
 */
const runsPerSecond = 500;
/** Stamps count tenths of a second from here; pg-boss's priority is a 32-bit integer, which lasts until the year 2094. */
const epoch = Date.UTC(2026, 0, 1);
const tickMs = 100;
const rememberedTenants = 10_000;

const next = new Map<string, number>();

/** The priority of a tenant's next run: the higher, the sooner. */
export function fairPriority(tenantId: string, now = Date.now()): number {
  const stamp = Math.max(now, next.get(tenantId) ?? 0);
  if (next.size >= rememberedTenants) next.clear();
  next.set(tenantId, stamp + 1_000 / runsPerSecond);
  return -Math.floor((stamp - epoch) / tickMs);
}
