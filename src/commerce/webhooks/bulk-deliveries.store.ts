import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { type DeliveryFilter, deliveryList } from './deliveries.reads.ts';
import type { Changed } from './deliveries.store.ts';
import type { destinationStatuses } from './destinations.inputs.ts';

/** A statement that yields the ids of the deliveries within the filter. */
export function selectDeliveries(filter: DeliveryFilter) {
  const parameters = new SqlParameters();
  const where = deliveryList.where(filter, parameters);
  return { text: `SELECT id FROM webhook_deliveries WHERE ${where.join(' AND ')}`, values: parameters.values };
}

export interface LockedDelivery {
  id: number;
  destinationId: number;
  /** Null where the destination has been deleted. */
  destinationStatus: (typeof destinationStatuses)[number] | null;
}

/**
 * Locks the deliveries that no other transaction has locked, after their destinations, which keeps these from being disabled until the
 * transaction ends.
 */
export async function lockDeliveries(tx: Tx, tenantId: string, ids: readonly number[]): Promise<LockedDelivery[]> {
  await tx.query(
    `SELECT FROM webhook_destinations WHERE tenant_id = $1 AND id IN (
       SELECT destination_id FROM webhook_deliveries WHERE tenant_id = $1 AND id = ANY($2::bigint[])
     ) ORDER BY id FOR SHARE`,
    [tenantId, ids],
  );
  const { rows } = await tx.query<LockedDelivery>(
    `SELECT d.id, d.destination_id AS "destinationId", (
       SELECT w.status FROM webhook_destinations w WHERE w.tenant_id = d.tenant_id AND w.id = d.destination_id
     ) AS "destinationStatus"
     FROM webhook_deliveries d WHERE d.tenant_id = $1 AND d.id = ANY($2::bigint[]) ORDER BY d.id FOR UPDATE OF d SKIP LOCKED`,
    [tenantId, ids],
  );
  return rows;
}

/** Which of these deliveries the tenant has, also those that are locked. */
export async function findExistingDeliveries(tx: Tx, tenantId: string, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await tx.query<Pick<Changed, 'id'>>(
    'SELECT id FROM webhook_deliveries WHERE tenant_id = $1 AND id = ANY($2::bigint[])',
    [tenantId, ids],
  );
  return new Set(rows.map(({ id }) => id));
}
