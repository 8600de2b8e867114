import { requiredApproval } from '#src/commerce/approval/approval.service.ts';
import { attributeReader } from '#src/commerce/attributes/attributes.service.ts';
import { recordOrderSums } from '#src/commerce/metrics/metrics.service.ts';
import { notifyOrders } from '#src/commerce/orders/live-orders.service.ts';
import { orderCreated, orderData } from '#src/commerce/orders/orders.declarations.ts';
import type { HoldReason } from '#src/commerce/orders/orders.inputs.ts';
import type { OrderRow } from '#src/commerce/orders/orders.reads.ts';
import { reservationReference } from '#src/commerce/orders/orders.rules.ts';
import { sendMovementGroups } from '#src/commerce/stock/stock.service.ts';
import type { Actor } from '#src/infra/deps.ts';
import { AppError, ConflictError } from '#src/infra/errors.ts';
import { type Exact, exact } from '#src/infra/exact.ts';
import { type Batcher, createBatcher } from '#src/infra/postgres/batching/batcher.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { pipelineForEachTenant } from '#src/infra/postgres/tenant-scope.ts';
import { awaitAll, Pipelined, type Tx } from '#src/infra/postgres/tx.ts';
import { newEventId, publishEvents } from '#src/journal/outbox/outbox.ts';
import {
  allocateOrderIds,
  type InsertedOrder,
  insertOrders,
  type NewOrderRow,
  type NewPositionRow,
  spentOnCostCentres,
} from './order-placement.store.ts';

/** An order to place, priced, with its totals. It gets its number and its ids when it is written. */
export interface PricedOrder {
  actor: Actor;
  order: Omit<NewOrderRow, 'id' | 'number' | 'event_id'>;
  positions: Omit<NewPositionRow, 'id'>[];
}

/** A priced order with its number and its ids. */
interface NumberedOrder {
  actor: Actor;
  order: NewOrderRow;
  positions: NewPositionRow[];
}

export type OrderBatcher = Batcher<PricedOrder, OrderRow | AppError>;

export const keyTakenError = (): AppError =>
  new ConflictError('Another order was placed with this key a moment ago. Send it again.');

/**
 * Writes the orders that callers place at the same time in one commit: each with its reservations, history, audit entry and event, or, if
 * it is refused, not at all. An external key that another order has is a unique violation.
 */
export const createOrderBatcher = (database: Database): OrderBatcher =>
  createBatcher({
    write: (orders) => writeOrders(database, orders),
    maxBatch: 50,
    concurrency: 2,
    patienceMs: 20,
  });

/** Places an order. An order whose approval depends on the spending of other orders is written alone; others are written in batches. */
export async function writeOrder(
  { database, batcher }: { database: Database; batcher: OrderBatcher },
  priced: PricedOrder,
): Promise<OrderRow> {
  const isAlone = priced.order.organization_id !== null && priced.positions.some(({ cost_centre }) => cost_centre);
  const [placed] = isAlone ? await writeOrders(database, [priced]) : [await batcher.add(priced)];
  if (placed instanceof AppError) throw placed;
  return placed as OrderRow;
}

async function writeOrders(database: Database, orders: PricedOrder[]): Promise<(OrderRow | AppError)[]> {
  const numbered = await allocateIds(database, orders);
  return database.withTenantSql(null, (tx) =>
    pipelineForEachTenant(tx, numbered, ({ actor }) => actor.tenantId, writeOrdersOfTenant),
  );
}

/** Allocates the orders' numbers and ids, with one statement for each tenant. */
async function allocateIds(database: Database, orders: PricedOrder[]): Promise<NumberedOrder[]> {
  const numbered = new Map<PricedOrder, NumberedOrder>();
  const byTenant = Map.groupBy(orders, ({ actor }) => actor.tenantId);
  await Promise.all(
    [...byTenant].map(async ([tenantId, own]) => {
      const positions = own.reduce((sum, each) => sum + each.positions.length, 0);
      const allocated = await allocateOrderIds(database, tenantId, { orders: own.length, positions });
      let at = 0;
      own.forEach((each, index) => {
        const { actor, order } = each;
        const number = allocated.lastNumber - own.length + 1 + index;
        numbered.set(each, {
          actor,
          order: { ...order, id: allocated.orders[index] as number, number, event_id: null },
          positions: each.positions.map((position) => ({ ...position, id: allocated.positions[at++] as number })),
        });
      });
    }),
  );
  return orders.map((each) => numbered.get(each) as NumberedOrder);
}

async function writeOrdersOfTenant(tx: Tx, numbered: NumberedOrder[]): Promise<Pipelined<(OrderRow | AppError)[]>> {
  const tenantId = numbered[0]?.actor.tenantId as string;
  const answers = new Map<number, OrderRow | AppError>();
  const refuse = (id: number, refusal: AppError) => answers.set(id, refusal);
  const checked = await checkOrders(tx, tenantId, numbered, refuse);
  const { refusals, booked: reserved } = await sendMovementGroups(tx, { tenantId }, checked.map(toReservations));
  const placed = checked.filter(({ order: { id } }, index) => {
    const refusal = refusals[index];
    if (!refusal) return true;
    refuse(id, refusal);
    return false;
  });
  const inOrder = () => numbered.map(({ order }) => answers.get(order.id) as OrderRow | AppError);
  if (placed.length === 0) return new Pipelined(reserved.result.then(inOrder));
  const [, inserted] = await awaitAll([reserved.result, insertOrders(tx, tenantId, placed)]);
  const made = new Map(inserted.map((row) => [row.id, row]));
  for (const { order, positions } of placed)
    answers.set(order.id, toOrderRow(order, positions, made.get(order.id) as InsertedOrder));
  notifyOrders(
    tx,
    tenantId,
    placed.map(({ order }) => order.id),
  );
  return new Pipelined(publishOrders(tx, tenantId, placed, (id) => answers.get(id) as OrderRow).then(inOrder));
}

/** The orders with their attributes and hold reasons, without those that are refused. */
async function checkOrders(
  tx: Tx,
  tenantId: string,
  numbered: NumberedOrder[],
  refuse: (id: number, refusal: AppError) => void,
): Promise<NumberedOrder[]> {
  const readAttributes = await attributeReader(tx, tenantId, 'order');
  const keys = new Set<string>();
  const checked = await awaitAll(
    numbered.map(async ({ actor, order, positions }) => {
      try {
        const { external_key: key } = order;
        if (key !== null && keys.has(key)) throw keyTakenError();
        if (key !== null) keys.add(key);
        const attributes = readAttributes(order.attributes);
        const hold_reason = order.hold_reason ?? (await approvalHold(tx, tenantId, order, positions));
        const event_id = hold_reason === null ? newEventId() : null;
        return [{ actor, order: { ...order, attributes, hold_reason, event_id }, positions }];
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        refuse(order.id, error);
        return [];
      }
    }),
  );
  return checked.flat();
}

const toReservations = ({ positions }: NumberedOrder) =>
  positions.map(({ id, sku, location, quantity }) => ({
    sku,
    location,
    kind: 'reserve' as const,
    quantity,
    reference: reservationReference(id),
  }));

/** Publishes the orders' events, and adds the orders to their organizations' metrics. */
async function publishOrders(
  tx: Tx,
  tenantId: string,
  placed: NumberedOrder[],
  rowWith: (id: number) => OrderRow,
): Promise<void> {
  const free = placed.filter(({ order }) => order.hold_reason === null);
  // In a fixed order, because the sums are locked.
  const counted = placed.toSorted(
    ({ order: a }, { order: b }) =>
      (a.organization_id ?? 0) - (b.organization_id ?? 0) || a.currency.localeCompare(b.currency),
  );
  await awaitAll([
    publishEvents(
      tx,
      free.map(({ actor, order: { id, event_id: eventId } }) => {
        const row = rowWith(id);
        return {
          tenantId,
          topic: orderCreated,
          id: eventId ?? undefined,
          cause: actor,
          data: orderData(row),
          at: row.createdAt,
        };
      }),
    ),
    ...counted.map(({ order: { id, organization_id: organizationId, currency, net } }) =>
      recordOrderSums(tx, tenantId, {
        organizationId,
        currency,
        placedAt: new Date(rowWith(id).placedAt),
        net,
        sign: 1,
      }),
    ),
  ]);
}

async function approvalHold(
  tx: Tx,
  tenantId: string,
  { organization_id, contact_id, gross }: NewOrderRow,
  positions: NewPositionRow[],
): Promise<HoldReason | null> {
  if (organization_id === null) return null;
  const byCostCentre = new Map<string, Exact>();
  for (const { cost_centre: code, line_total, tax } of positions) {
    if (code !== null) byCostCentre.set(code, (byCostCentre.get(code) ?? exact(0)).plus(line_total).plus(tax));
  }
  if (contact_id === null && byCostCentre.size === 0) return null;
  const reason = await requiredApproval(tx, tenantId, {
    organizationId: BigInt(organization_id),
    contactId: contact_id === null ? null : BigInt(contact_id),
    gross,
    byCostCentre: new Map([...byCostCentre].map(([code, amount]) => [code, amount.toFixed()])),
    spentOn: (codes) => spentOnCostCentres(tx, tenantId, organization_id, codes),
  });
  return reason && 'approval';
}

const toOrderRow = (order: NewOrderRow, positions: NewPositionRow[], made: Omit<InsertedOrder, 'id'>): OrderRow => ({
  id: order.id,
  number: String(order.number),
  uid: order.uid,
  externalKey: order.external_key,
  status: 'pending',
  paymentStatus: 'unpaid',
  fulfillmentStatus: 'unfulfilled',
  holdReason: order.hold_reason,
  erpNumber: null,
  customerOrderNumber: order.customer_order_number,
  organizationId: order.organization_id,
  contactId: order.contact_id,
  channel: order.channel,
  currency: order.currency,
  net: order.net,
  tax: order.tax,
  gross: order.gross,
  shippingAddress: order.shipping_address,
  billingAddress: order.billing_address,
  attributes: made.attributes,
  placedAt: made.at,
  createdAt: made.at,
  updatedAt: made.at,
  positions: positions.map((position) => ({
    id: position.id,
    sku: position.sku,
    name: position.name,
    location: position.location,
    quantity: position.quantity,
    unitPrice: position.unit_price,
    taxIncluded: position.tax_included,
    taxRate: position.tax_rate,
    lineTotal: position.line_total,
    tax: position.tax,
    costCentre: position.cost_centre,
    buyerArticleNumber: position.buyer_article_number,
    text: position.text,
    reserved: position.quantity,
    shipped: '0',
    returned: '0',
  })),
});
