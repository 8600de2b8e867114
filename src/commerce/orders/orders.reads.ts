import type { Address } from '#src/commerce/addresses/addresses.inputs.ts';
import type { AttributeFilter } from '#src/commerce/attributes/attribute-values.rules.ts';
import { attributeConditions } from '#src/commerce/attributes/attributes.store.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { orderSearchCondition } from './order-search.reads.ts';
import type { FulfillmentStatus, HoldReason, OrderStatus, PaymentStatus } from './orders.inputs.ts';
import type { SentContent } from './sent-content.rules.ts';

/** A line of an order. Amounts and quantities are decimal text. */
export interface PositionRow {
  id: number;
  sku: string;
  name: string;
  location: string;
  quantity: string;
  unitPrice: string;
  /** True if `unitPrice` includes the tax. */
  taxIncluded: boolean;
  taxRate: string;
  /** Net. */
  lineTotal: string;
  /** Unrounded if it was rounded in a sum and the price does not include it. */
  tax: string;
  costCentre: string | null;
  buyerArticleNumber: string | null;
  text: string | null;
  reserved: string;
  shipped: string;
  returned: string;
}

/** An order with its positions. Instants are ISO 8601 text. */
export interface OrderRow {
  id: number;
  number: string;
  uid: string;
  externalKey: string | null;
  status: OrderStatus;
  paymentStatus: PaymentStatus;
  fulfillmentStatus: FulfillmentStatus;
  holdReason: HoldReason | null;
  erpNumber: string | null;
  customerOrderNumber: string | null;
  organizationId: number | null;
  contactId: number | null;
  channel: string | null;
  currency: string;
  net: string;
  tax: string;
  gross: string;
  shippingAddress: Address | null;
  billingAddress: Address | null;
  attributes: Record<string, unknown>;
  placedAt: string;
  createdAt: string;
  updatedAt: string;
  positions: PositionRow[];
}

/** The members of a PositionRow, of `order_positions p`, as the arguments of json_build_object. */
const positionMembers = `'id', p.id, 'sku', p.sku, 'name', p.name, 'location', p.location,
  'quantity', p.quantity::text, 'unitPrice', p.unit_price::text, 'taxIncluded', p.tax_included, 'taxRate', p.tax_rate::text,
  'lineTotal', p.line_total::text, 'tax', p.tax::text, 'costCentre', p.cost_centre,
  'buyerArticleNumber', p.buyer_article_number, 'text', p.text, 'reserved', p.reserved::text,
  'shipped', p.shipped::text, 'returned', p.returned::text`;

/** An order that is older than the column gets a unique and stable uid. */
const uid = `coalesce(o.uid, md5(concat_ws('/', o.tenant_id, o.id, o.number, extract(epoch FROM o.created_at)))::uuid)`;

/** The columns of an OrderRow, of `orders o`; positions are read in the same statement. */
const orderColumns = `o.id, o.number::text AS number, ${uid} AS uid, o.external_key AS "externalKey", o.status,
  o.payment_status AS "paymentStatus", o.fulfillment_status AS "fulfillmentStatus", o.hold_reason AS "holdReason",
  o.erp_number AS "erpNumber", o.customer_order_number AS "customerOrderNumber", o.organization_id AS "organizationId",
  o.contact_id AS "contactId", o.channel, o.currency, o.net::text AS net, o.tax::text AS tax, o.gross::text AS gross,
  o.shipping_address AS "shippingAddress", o.billing_address AS "billingAddress", o.attributes,
  o.placed_at AS "placedAt", o.created_at AS "createdAt", o.updated_at AS "updatedAt",
  (SELECT json_agg(json_build_object(${positionMembers}) ORDER BY p.line) FROM order_positions p
   WHERE p.tenant_id = o.tenant_id AND p.order_id = o.id) AS positions`;

/** The orders of the tenant with these ids, in any order. */
export const findOrders = (database: Database, tenantId: string, ids: readonly (number | bigint | string)[]) =>
  database.tenantQuery<OrderRow>(tenantId, {
    name: 'find-orders',
    text: `SELECT ${orderColumns} FROM orders o WHERE o.tenant_id = $1 AND o.id = ANY($2::bigint[])`,
    values: [tenantId, ids.map(String)],
    types: isoInstants,
  });

/** The positions of the tenant's orders with these ids, in any order. */
export async function findPositions(database: Database, tenantId: string, ids: number[]): Promise<PositionRow[]> {
  const rows = await database.tenantQuery<{ position: PositionRow }>(tenantId, {
    name: 'find-positions',
    text: `SELECT json_build_object(${positionMembers}) AS position FROM order_positions p
           WHERE p.tenant_id = $1 AND p.id = ANY($2::bigint[])`,
    values: [tenantId, ids],
  });
  return rows.map(({ position }) => position);
}

/** The order that was placed with the key, and the content sent for it; null if the order is older than the column. */
export async function findOrderByKey(
  database: Database,
  tenantId: string,
  key: string,
): Promise<{ order: OrderRow; sent: SentContent | null } | undefined> {
  const [found] = await database.tenantQuery<OrderRow & { sent: SentContent | null }>(tenantId, {
    name: 'find-order-by-key',
    text: `SELECT ${orderColumns}, o.sent FROM orders o WHERE o.tenant_id = $1 AND o.external_key = $2`,
    values: [tenantId, key],
    types: isoInstants,
  });
  if (!found) return undefined;
  const { sent, ...order } = found;
  return { order, sent };
}

/**
 * Locks the order until the transaction ends, and reads it: in two statements, because only a new statement sees the changes that the lock
 * waited for.
 */
export async function lockOrder(tx: Tx, tenantId: string, id: bigint): Promise<OrderRow | undefined> {
  const values = [tenantId, id];
  await tx.query({
    name: 'lock-order',
    text: 'SELECT FROM orders WHERE tenant_id = $1 AND id = $2 FOR UPDATE',
    values,
  });
  return readOrder(tx, tenantId, id);
}

export async function readOrder(tx: Tx, tenantId: string, id: bigint | number): Promise<OrderRow | undefined> {
  const { rows } = await tx.query<OrderRow>({
    name: 'read-order',
    text: `SELECT ${orderColumns} FROM orders o WHERE o.tenant_id = $1 AND o.id = $2`,
    values: [tenantId, id],
    types: isoInstants,
  });
  return rows[0];
}

/** All given filters must match; a filter that is null or absent does not apply. */
export interface OrderFilter {
  tenantId: string;
  status?: readonly OrderStatus[] | null;
  updatedSince?: Date | null;
  placedSince?: Date | null;
  placedUntil?: Date | null;
  organizationId?: bigint | null;
  /** As `orderSearchCondition` says. */
  search?: string | null;
  isHeld?: boolean | null;
  attributes?: readonly AttributeFilter[];
}

export const orderList: OrderedList<'CREATED_AT' | 'UPDATED_AT' | 'PLACED_AT' | 'NUMBER', OrderFilter> = {
  from: 'orders',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
    PLACED_AT: [{ sql: 'placed_at', type: 'timestamptz' }],
    NUMBER: [{ sql: 'number', type: 'bigint' }],
  },
  where(filter, parameters) {
    const { tenantId, status, updatedSince, placedSince, placedUntil, organizationId, isHeld, search } = filter;
    const tenant = parameters.add(tenantId);
    const conditions = [`tenant_id = ${tenant}`];
    if (status?.length) conditions.push(`status = ANY(${parameters.add(status)})`);
    if (updatedSince) conditions.push(`updated_at >= ${parameters.add(updatedSince)}`);
    if (placedSince) conditions.push(`placed_at >= ${parameters.add(placedSince)}`);
    if (placedUntil) conditions.push(`placed_at < ${parameters.add(placedUntil)}`);
    if (organizationId != null) conditions.push(`organization_id = ${parameters.add(organizationId)}`);
    if (search?.trim()) conditions.push(orderSearchCondition(search, tenant, parameters));
    if (isHeld != null) conditions.push(`hold_reason IS ${isHeld ? 'NOT NULL' : 'NULL'}`);
    conditions.push(
      ...attributeConditions({ tenantId, target: 'order', filters: filter.attributes ?? [] }, parameters),
    );
    return conditions;
  },
};
