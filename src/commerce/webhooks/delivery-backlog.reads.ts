import type { Database } from '#src/infra/postgres/database.ts';

/** What waits to be delivered in the whole installation, over all tenants. */
export interface DeliveryBacklog {
  /** Destinations with deliveries that are due. */
  due: number;
  /** How long the one that is due longest has been. */
  oldestSeconds: number;
}

const maxCounted = 10_000;

/** Exported for the test of its plan. A queue that a sender works on is due until it is empty. */
export const deliveryBacklogSql = `
  SELECT count(*)::int AS due, coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(due_at))), 0)::float8 AS "oldestSeconds"
  FROM (SELECT due_at FROM webhook_queues WHERE due_at <= clock_timestamp() ORDER BY due_at LIMIT ${maxCounted}) AS due`;

export async function readDeliveryBacklog({ system }: Database): Promise<DeliveryBacklog> {
  const { rows } = await system.query<DeliveryBacklog>(deliveryBacklogSql);
  return rows[0] as DeliveryBacklog;
}
