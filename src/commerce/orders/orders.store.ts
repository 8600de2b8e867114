import type { Actor } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { type OrderRow, readOrder } from './orders.reads.ts';

/** The columns of an order that change after it was placed. */
export interface OrderColumns {
  status?: string;
  payment_status?: string;
  fulfillment_status?: string;
  hold_reason?: null;
  erp_number?: string;
}

/** Changes the given columns of a locked order. `updated_at` always rises, so that a poller cannot miss a change. */
export async function updateOrder(tx: Tx, tenantId: string, id: number, set: OrderColumns): Promise<OrderRow> {
  await tx.query({
    name: 'update-order',
    text: `UPDATE orders SET
        status = COALESCE($3, status), payment_status = COALESCE($4, payment_status),
        fulfillment_status = COALESCE($5, fulfillment_status), erp_number = COALESCE($6, erp_number),
        hold_reason = CASE WHEN $7 THEN NULL ELSE hold_reason END,
        updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
      WHERE tenant_id = $1 AND id = $2`,
    values: [
      tenantId,
      id,
      set.status,
      set.payment_status,
      set.fulfillment_status,
      set.erp_number,
      set.hold_reason === null,
    ],
  });
  return (await readOrder(tx, tenantId, id)) as OrderRow;
}

export async function insertChange(
  tx: Tx,
  actor: Actor,
  orderId: number,
  { action, details, eventId }: { action: string; details: Record<string, string>; eventId: string | null },
): Promise<void> {
  await tx.query({
    name: 'insert-order-change',
    text: `INSERT INTO order_changes (tenant_id, order_id, action, details, actor_sub, actor_email, channel, event_id, request_id, created_at)
           VALUES ($1, $2, $3, $4::jsonb, $5, $6, $7, $8, $9, clock_timestamp())`,
    values: [
      actor.tenantId,
      orderId,
      action,
      JSON.stringify(details),
      actor.sub,
      actor.email,
      actor.channel,
      eventId,
      actor.requestId,
    ],
  });
}

/** Removes all reservations of the order's positions. */
export async function clearReservations(tx: Tx, tenantId: string, orderId: number): Promise<void> {
  await tx.query({
    name: 'clear-order-reservations',
    text: 'UPDATE order_positions SET reserved = 0 WHERE tenant_id = $1 AND order_id = $2',
    values: [tenantId, orderId],
  });
}
