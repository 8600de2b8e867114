import type { Database } from '#src/infra/postgres/database.ts';

export interface Health {
  /** Worker processes that hold a lease. */
  workers: number;
  /** Age of the oldest event that a consumer of the outbox has not read; 0 if all are read. */
  eventLagSeconds: number;
  /** When the tenant's oldest run that waits for a worker was queued. */
  oldestQueuedAt: Date | null;
}

/** Worker processes that hold a lease. */
export async function countWorkers({ system }: Database): Promise<number> {
  const { rows } = await system.query<{ workers: number }>(
    'SELECT count(*)::int AS workers FROM workers WHERE lease_until > clock_timestamp()',
  );
  return rows[0]?.workers ?? 0;
}

/** How the installation does, and what waits in the tenant: one statement, by the partial index of live runs. */
export async function readHealth({ system }: Database, tenantId: string): Promise<Health> {
  const { rows } = await system.query<Health>(
    `SELECT (SELECT count(*)::int FROM workers WHERE lease_until > clock_timestamp()) AS workers,
       coalesce((
         SELECT max(greatest(0, extract(epoch FROM clock_timestamp() - waiting.created_at)))
         FROM outbox_cursors c CROSS JOIN LATERAL (
           SELECT e.created_at FROM outbox_events e WHERE (e.xid, e.id) > (c.xid, c.id) ORDER BY e.xid, e.id LIMIT 1
         ) AS waiting
       ), 0)::float8 AS "eventLagSeconds",
       (SELECT updated_at FROM runs WHERE tenant_id = $1 AND status = 'queued' AND NOT held ORDER BY id LIMIT 1) AS "oldestQueuedAt"`,
    [tenantId],
  );
  return rows[0] as Health;
}
