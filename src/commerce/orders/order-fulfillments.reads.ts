import type { Database } from '#src/infra/postgres/database.ts';
import { type Fulfillment, fulfillmentColumns } from './fulfillments.store.ts';
import { paymentColumns, type PaymentRow } from './payments.store.ts';

/** How many shipments, returns and payments of an order are returned at most. */
export const maxParts = 1_000;

/** The quantity of a position that a shipment or a return moved. */
export interface FulfillmentLine {
  fulfillmentId: number;
  positionId: number;
  quantity: string;
}

const ofOrders = (columns: string, table: string) =>
  `SELECT part.* FROM unnest($2::bigint[]) AS wanted(id), LATERAL (
     SELECT ${columns} FROM ${table} WHERE tenant_id = $1 AND order_id = wanted.id ORDER BY id LIMIT ${maxParts}
   ) AS part`;

/** The shipments and returns of these orders, oldest first. */
export const findFulfillmentsOfOrders = (database: Database, tenantId: string, orderIds: readonly number[]) =>
  database.tenantQuery<Fulfillment & object>(tenantId, {
    name: 'fulfillments-of-orders',
    text: ofOrders(fulfillmentColumns, 'fulfillments'),
    values: [tenantId, orderIds],
  });

/** The payments of these orders, oldest first. */
export const findPaymentsOfOrders = (database: Database, tenantId: string, orderIds: readonly number[]) =>
  database.tenantQuery<PaymentRow & object>(tenantId, {
    name: 'payments-of-orders',
    text: ofOrders(paymentColumns, 'payments'),
    values: [tenantId, orderIds],
  });

/** What these shipments and returns moved, in the order of the positions. */
export const findFulfillmentLines = (database: Database, tenantId: string, ids: readonly number[]) =>
  database.tenantQuery<FulfillmentLine & object>(tenantId, {
    name: 'fulfillment-lines',
    text: `SELECT fulfillment_id AS "fulfillmentId", position_id AS "positionId", quantity::text AS quantity
      FROM fulfillment_positions WHERE tenant_id = $1 AND fulfillment_id = ANY($2::bigint[]) ORDER BY fulfillment_id, position_id`,
    values: [tenantId, ids],
  });
