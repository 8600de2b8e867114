import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

/** An entry in the history of an order. */
export interface ChangeRow {
  orderId: number;
  action: string;
  details: unknown;
  actorSub: string | null;
  actorEmail: string | null;
  /** The run whose node did it; null where no run did. */
  runId: number | null;
  /** The event that reports it; null where none does, or it was not recorded. */
  eventId: string | null;
  createdAt: string;
}

/** The histories of these orders, oldest entries first, at most 1,000 of each. */
export const findChanges = (database: Database, tenantId: string, orderIds: readonly number[]) =>
  database.tenantQuery<ChangeRow>(tenantId, {
    name: 'order-changes',
    text: `SELECT change.* FROM unnest($2::bigint[]) AS wanted(id), LATERAL (
        SELECT order_id AS "orderId", action, details, actor_sub AS "actorSub", actor_email AS "actorEmail",
          CASE channel WHEN 'system' THEN substring(actor_sub FROM '^run/([0-9]{1,15})$')::bigint END AS "runId",
          event_id AS "eventId", created_at AS "createdAt"
        FROM order_changes WHERE tenant_id = $1 AND order_id = wanted.id ORDER BY id LIMIT 1000
      ) AS change`,
    values: [tenantId, orderIds],
    types: isoInstants,
  });
