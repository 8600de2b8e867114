import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { FulfillmentKind } from './orders.inputs.ts';

/** A shipment of an order, or a return. */
export interface Fulfillment {
  id: number;
  orderId: number;
  kind: FulfillmentKind;
  reference: string;
  createdAt: Date;
}

/** The quantity of a position that moves; `reserved` is the part that the order reserves. */
export interface Moved {
  positionId: number;
  quantity: string;
  reserved: string;
}

export const fulfillmentColumns = 'id, order_id AS "orderId", kind, reference, created_at AS "createdAt"';

export async function findFulfillment(
  tx: Tx,
  tenantId: string,
  kind: FulfillmentKind,
  reference: string,
): Promise<Fulfillment | undefined> {
  const { rows } = await tx.query<Fulfillment>({
    name: 'find-fulfillment',
    text: `SELECT ${fulfillmentColumns} FROM fulfillments WHERE tenant_id = $1 AND kind = $2 AND reference = $3`,
    values: [tenantId, kind, reference],
  });
  return rows[0];
}

/** The fulfillments of the kind with these ids, in any order. */
export const findFulfillments = (database: Database, tenantId: string, kind: FulfillmentKind, ids: number[]) =>
  database.tenantQuery<Fulfillment & object>(tenantId, {
    name: 'find-fulfillments',
    text: `SELECT ${fulfillmentColumns} FROM fulfillments WHERE tenant_id = $1 AND kind = $2 AND id = ANY($3::bigint[])`,
    values: [tenantId, kind, ids],
  });

export async function insertFulfillment(
  tx: Tx,
  tenantId: string,
  { orderId, kind, reference }: Omit<Fulfillment, 'id' | 'createdAt'>,
  moved: readonly Moved[],
): Promise<Fulfillment> {
  const { rows } = await tx.query<Fulfillment>({
    name: 'insert-fulfillment',
    text: `WITH made AS (
        INSERT INTO fulfillments (tenant_id, order_id, kind, reference) VALUES ($1, $2, $3, $4) RETURNING ${fulfillmentColumns}
      ), lines AS (
        INSERT INTO fulfillment_positions (tenant_id, fulfillment_id, position_id, quantity)
        SELECT $1, made.id, line."positionId", line.quantity
        FROM made, jsonb_to_recordset($5::jsonb) AS line ("positionId" bigint, quantity numeric)
      )
      SELECT * FROM made`,
    values: [tenantId, orderId, kind, reference, JSON.stringify(moved)],
  });
  return rows[0] as Fulfillment;
}

/** Adds the moved quantities to the positions of a locked order. */
export async function movePositions(
  tx: Tx,
  tenantId: string,
  kind: FulfillmentKind,
  moved: readonly Moved[],
): Promise<void> {
  await tx.query({
    name: `move-positions-${kind}`,
    text: `UPDATE order_positions p SET ${
      kind === 'shipment'
        ? 'shipped = p.shipped + line.quantity, reserved = p.reserved - line.reserved'
        : 'returned = p.returned + line.quantity'
    }
      FROM jsonb_to_recordset($2::jsonb) AS line ("positionId" bigint, quantity numeric, reserved numeric)
      WHERE p.tenant_id = $1 AND p.id = line."positionId"`,
    values: [tenantId, JSON.stringify(moved)],
  });
}
