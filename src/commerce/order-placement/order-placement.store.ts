import type { Address } from '#src/commerce/addresses/addresses.inputs.ts';
import { auditedOrder } from '#src/commerce/orders/orders.declarations.ts';
import type { HoldReason } from '#src/commerce/orders/orders.inputs.ts';
import type { SentContent } from '#src/commerce/orders/sent-content.rules.ts';
import type { Actor } from '#src/infra/deps.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertAuditSql } from '#src/journal/audit/audit.store.ts';

export interface OrderedProduct {
  sku: string;
  name: string;
  active: boolean;
  taxRate: string;
}

export interface Buyer {
  id: number;
  customerNumber: string;
  name: string;
}

/** The data that an order is checked against. */
export interface OrderContext {
  /** By SKU; may contain products of other orders. */
  products: ReadonlyMap<string, OrderedProduct>;
  organization: Buyer | null;
  /** True if the contact belongs to the organization. */
  hasContact: boolean;
  /** True if the external key was used before. */
  isRepeat: boolean;
}

export interface OrderContextRequest {
  skus: string[];
  organizationId: bigint | null;
  contactId: bigint | null;
  externalKey: string | null;
}

interface OrderContextRow {
  products: OrderedProduct[] | null;
  organizations: Buyer[] | null;
  contacts: { id: number; organizationId: number }[] | null;
  keys: string[] | null;
}

/** Reads the contexts of a tenant's orders in one statement. */
export async function readOrderContexts(
  database: Database,
  tenantId: string,
  asked: readonly OrderContextRequest[],
): Promise<OrderContext[]> {
  const known = <Value>(values: (Value | null)[]): Value[] => values.filter((value) => value !== null) as Value[];
  const [row] = await database.tenantQuery<OrderContextRow & object>(tenantId, {
    name: 'order-contexts',
    text: `SELECT
        (SELECT json_agg(json_build_object(
           'sku', sku, 'name', name, 'active', active, 'taxRate', trim_scale(tax_rate)::text))
         FROM products WHERE tenant_id = $1 AND sku = ANY($2)) AS products,
        (SELECT json_agg(json_build_object('id', id, 'customerNumber', customer_number, 'name', name))
         FROM organizations WHERE tenant_id = $1 AND id = ANY($3::bigint[])) AS organizations,
        (SELECT json_agg(json_build_object('id', id, 'organizationId', organization_id))
         FROM contacts WHERE tenant_id = $1 AND id = ANY($4::bigint[])) AS contacts,
        (SELECT json_agg(external_key) FROM orders WHERE tenant_id = $1 AND external_key = ANY($5)) AS keys`,
    values: [
      tenantId,
      [...new Set(asked.flatMap(({ skus }) => skus))],
      known(asked.map(({ organizationId }) => organizationId)),
      known(asked.map(({ contactId }) => contactId)),
      known(asked.map(({ externalKey }) => externalKey)),
    ],
  });
  const products = new Map(row?.products?.map((product) => [product.sku, product]));
  const organizations = new Map(row?.organizations?.map((organization) => [organization.id, organization]));
  const contacts = new Map(row?.contacts?.map(({ id, organizationId }) => [id, organizationId]));
  const keys = new Set(row?.keys);
  return asked.map(({ organizationId, contactId, externalKey }) => ({
    products,
    organization: organizations.get(Number(organizationId)) ?? null,
    hasContact: contactId !== null && contacts.get(Number(contactId)) === Number(organizationId),
    isRepeat: externalKey !== null && keys.has(externalKey),
  }));
}

/** The first order of a tenant has the next number; with six digits, numbers sort as text for a long time. */
const numbersBegin = 100_000;

/** The numbers and ids of a batch; positions are in the order of the orders. */
export interface AllocatedIds {
  lastNumber: number;
  orders: number[];
  positions: number[];
}

/**
 * Allocates numbers and ids of the tenant in a transaction of its own, so that batches do not wait for each other's commit. This
 * transaction need not wait for the disk either: an order that uses a number is later in the log, so it cannot survive without it.
 */
export async function allocateOrderIds(
  database: Database,
  tenantId: string,
  { orders, positions }: { orders: number; positions: number },
): Promise<AllocatedIds> {
  const [allocated] = await database.tenantQuery<AllocatedIds & object>(tenantId, {
    name: 'allocate-order-ids',
    text: `INSERT INTO order_numbers AS numbers (tenant_id, last)
           SELECT $1, ${numbersBegin} + $2::int FROM set_config('synchronous_commit', 'off', true)
           ON CONFLICT (tenant_id) DO UPDATE SET last = numbers.last + $2::int
           RETURNING last AS "lastNumber",
             to_json(ARRAY(SELECT nextval('orders_id_seq') FROM generate_series(1, $2::int))) AS orders,
             to_json(ARRAY(SELECT nextval('order_positions_id_seq') FROM generate_series(1, $3::int))) AS positions`,
    values: [tenantId, orders, positions],
  });
  return allocated as AllocatedIds;
}

/** Columns of a new order. */
export interface NewOrderRow {
  id: number;
  number: number;
  uid: string;
  external_key: string | null;
  /** The content that the client sent; null without an external key. */
  sent: SentContent | null;
  hold_reason: HoldReason | null;
  customer_order_number: string | null;
  organization_id: number | null;
  contact_id: number | null;
  channel: string | null;
  currency: string;
  net: string;
  tax: string;
  gross: string;
  shipping_address: Address | null;
  billing_address: Address | null;
  attributes: Record<string, unknown> | null;
  /** Of its event `order.created`; null where it is held, because it has none then. */
  event_id: string | null;
}

export interface NewPositionRow {
  id: number;
  line: number;
  sku: string;
  name: string;
  location: string;
  quantity: string;
  unit_price: string;
  tax_included: boolean;
  tax_rate: string;
  line_total: string;
  tax: string;
  cost_centre: string | null;
  buyer_article_number: string | null;
  text: string | null;
}

export interface InsertedOrder {
  id: number;
  at: string;
  attributes: Record<string, unknown>;
}

/**
 * Inserts orders with their positions, history and audit entries in one statement, and returns them in any order. An external key that
 * another order has is a unique violation.
 */
export async function insertOrders(
  tx: Tx,
  tenantId: string,
  orders: readonly { actor: Actor; order: NewOrderRow; positions: NewPositionRow[] }[],
): Promise<InsertedOrder[]> {
  const given = orders.map(({ actor: { orgId, sub, email, channel, requestId }, order }) => ({
    ...order,
    org_id: orgId,
    actor_sub: sub,
    actor_email: email,
    actor_channel: channel,
    request_id: requestId,
  }));
  const positions = orders.flatMap((each) => each.positions.map((row) => ({ ...row, order_id: each.order.id })));
  const { rows } = await tx.query<InsertedOrder>({
    name: 'insert-orders',
    // Ordered by external key, so that no two batches deadlock on keys.
    text: `WITH given AS MATERIALIZED (
        SELECT * FROM (SELECT clock_timestamp() AS at) AS clock, jsonb_to_recordset($2::jsonb) AS given (id bigint, number bigint, uid uuid,
          external_key text, sent jsonb, hold_reason text, customer_order_number text, organization_id bigint, contact_id bigint,
          channel text, currency text, net numeric, tax numeric, gross numeric, shipping_address jsonb, billing_address jsonb,
          attributes jsonb, event_id uuid, request_id text, org_id text, actor_sub text, actor_email text, actor_channel text)
        ORDER BY external_key
      ), lines AS (
        INSERT INTO order_positions (tenant_id, order_id, id, line, sku, name, location, quantity, unit_price, tax_included, tax_rate,
          line_total, tax, cost_centre, buyer_article_number, text, reserved)
        SELECT $1, given.*, given.quantity
        FROM jsonb_to_recordset($3::jsonb) AS given (order_id bigint, id bigint, line int, sku text, name text, location text,
          quantity numeric, unit_price numeric, tax_included boolean, tax_rate numeric, line_total numeric, tax numeric,
          cost_centre text, buyer_article_number text, text text)
      ), change AS (
        INSERT INTO order_changes (tenant_id, order_id, action, actor_sub, actor_email, channel, event_id, request_id, created_at)
        SELECT $1, id, 'create', actor_sub, actor_email, actor_channel, event_id, request_id, at FROM given
      ), entry AS (
        ${insertAuditSql(`(SELECT org_id, $1::text, actor_sub, actor_email, actor_channel, 'create', '${auditedOrder.type}', id::text,
            jsonb_build_object('number', number::text, 'gross', gross::text) FROM given)
          AS entry(org_id, tenant_id, actor_sub, actor_email, channel, action, resource_type, resource_id, metadata)`)}
      )
      INSERT INTO orders (tenant_id, id, number, uid, external_key, sent, hold_reason, customer_order_number, organization_id, contact_id,
        channel, currency, net, tax, gross, shipping_address, billing_address, attributes, placed_at, created_at, updated_at)
      SELECT $1, id, number, uid, external_key, NULLIF(sent, 'null'), hold_reason, customer_order_number, organization_id, contact_id,
        channel, currency, net, tax, gross, NULLIF(shipping_address, 'null'), NULLIF(billing_address, 'null'), attributes,
        at, at, at
      FROM given RETURNING id, created_at AS at, attributes`,
    values: [tenantId, JSON.stringify(given), JSON.stringify(positions)],
    types: isoInstants,
  });
  return rows;
}

/** Gross that other orders of this calendar month (UTC) booked on the cost centres of the organization, by code. */
export async function spentOnCostCentres(
  tx: Tx,
  tenantId: string,
  organizationId: number,
  codes: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ code: string; spent: string }>({
    name: 'spent-on-cost-centres',
    text: `SELECT p.cost_centre AS code, sum(p.line_total + p.tax)::text AS spent
      FROM orders o JOIN order_positions p ON p.tenant_id = o.tenant_id AND p.order_id = o.id
      WHERE o.tenant_id = $1 AND o.organization_id = $2 AND o.status <> 'cancelled' AND p.cost_centre = ANY($3)
        AND o.placed_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
      GROUP BY p.cost_centre`,
    values: [tenantId, organizationId, codes],
  });
  return new Map(rows.map(({ code, spent }) => [code, spent]));
}
