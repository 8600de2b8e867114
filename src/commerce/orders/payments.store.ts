import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { PaymentKind } from './orders.inputs.ts';

/** A payment or a refund of an order. */
export interface PaymentRow {
  id: number;
  orderId: number;
  kind: PaymentKind;
  amount: string;
  reference: string;
  createdAt: Date;
}

export const paymentColumns =
  'id, order_id AS "orderId", kind, amount::text AS amount, reference, created_at AS "createdAt"';

export async function findPayment(tx: Tx, tenantId: string, reference: string): Promise<PaymentRow | undefined> {
  const { rows } = await tx.query<PaymentRow>({
    name: 'find-payment',
    text: `SELECT ${paymentColumns} FROM payments WHERE tenant_id = $1 AND reference = $2`,
    values: [tenantId, reference],
  });
  return rows[0];
}

/** The payments of these ids, in any order. */
export const findPayments = (database: Database, tenantId: string, ids: number[]) =>
  database.tenantQuery<PaymentRow & object>(tenantId, {
    name: 'find-payments',
    text: `SELECT ${paymentColumns} FROM payments WHERE tenant_id = $1 AND id = ANY($2::bigint[])`,
    values: [tenantId, ids],
  });

export async function insertPayment(
  tx: Tx,
  tenantId: string,
  orderId: number,
  { kind, amount, reference }: Pick<PaymentRow, 'kind' | 'amount' | 'reference'>,
): Promise<PaymentRow> {
  const { rows } = await tx.query<PaymentRow>({
    name: 'insert-payment',
    text: `INSERT INTO payments (tenant_id, order_id, kind, amount, reference) VALUES ($1, $2, $3, $4, $5) RETURNING ${paymentColumns}`,
    values: [tenantId, orderId, kind, amount, reference],
  });
  return rows[0] as PaymentRow;
}

/** The captured and refunded sums of an order. */
export async function paymentSums(
  tx: Tx,
  tenantId: string,
  orderId: number,
): Promise<{ captured: string; refunded: string }> {
  const { rows } = await tx.query<{ captured: string; refunded: string }>({
    name: 'payment-sums',
    text: `SELECT coalesce(sum(amount) FILTER (WHERE kind = 'captured'), 0)::text AS captured,
        coalesce(sum(amount) FILTER (WHERE kind = 'refunded'), 0)::text AS refunded
      FROM payments WHERE tenant_id = $1 AND order_id = $2`,
    values: [tenantId, orderId],
  });
  return rows[0] as { captured: string; refunded: string };
}
