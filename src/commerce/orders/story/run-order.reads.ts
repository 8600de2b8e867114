import { findOrders, type OrderRow } from '#src/commerce/orders/orders.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** The order that each of these runs is about, by the id of the run; without runs that no event of an order caused. */
export async function findOrdersOfRuns(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
): Promise<Map<number, OrderRow>> {
  const named = await database.tenantQuery<{ runId: number; orderId: number }>(tenantId, {
    name: 'orders-of-runs',
    text: `SELECT r.id AS "runId", c.order_id AS "orderId" FROM runs r
      JOIN order_changes c ON c.tenant_id = $1 AND c.event_id = r.event_id
      WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[])`,
    values: [tenantId, runIds],
  });
  if (named.length === 0) return new Map();
  const orders = new Map(
    (await findOrders(database, tenantId, [...new Set(named.map(({ orderId }) => orderId))])).map((order) => [
      order.id,
      order,
    ]),
  );
  return new Map(
    named.flatMap(({ runId, orderId }) => {
      const order = orders.get(orderId);
      return order ? [[runId, order]] : [];
    }),
  );
}
