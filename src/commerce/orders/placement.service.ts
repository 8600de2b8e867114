import type { FiringDeps } from '#src/automation/firings/firings.service.ts';
import { approvalOf } from '#src/commerce/approval/approval.service.ts';
import { readAttributes } from '#src/commerce/attributes/attributes.service.ts';
import { recordOrderSums } from '#src/commerce/metrics/metrics.service.ts';
import { resolvePrices } from '#src/commerce/prices/price-resolution.service.ts';
import { readCommerceSettings, type Settings } from '#src/commerce/settings/settings.service.ts';
import { bookMovements } from '#src/commerce/stock/stock.service.ts';
import type { Actor } from '#src/infra/deps.ts';
import { ConflictError, type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { together } from '#src/infra/postgres/together.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { isHeldForCredit } from './credit.service.ts';
import { type Exact, exact } from './exact.rules.ts';
import { createOrderInput, type HoldReason, type NewOrder } from './orders.inputs.ts';
import { findOrderByKey, type OrderRow } from './orders.reads.ts';
import { orderCreated, orderData } from './orders.topics.ts';
import {
  type Buyer,
  type Ground,
  insertOrder,
  type NewOrderRow,
  type NewPositionRow,
  readGround,
  spentOnCostCentres,
  takeOrderNumber,
} from './placement.store.ts';
import { reservationOf } from './reservations.rules.ts';
import { totalsOf } from './totals.rules.ts';

/** Who buys; null and left out: nobody who is known. */
interface Buying {
  organizationId?: bigint | null;
  contactId?: bigint | null;
}

/**
 * Places an order: prices its positions, reserves their stock and makes `order.created`, unless it is held. The same external key
 * again answers the first order. Prices and credit are asked for before the transaction. ConflictError where the stock is not
 * enough; nothing is reserved then.
 */
export async function createOrder(
  deps: FiringDeps,
  actor: Actor,
  { organizationId = null, contactId = null, ...given }: Buying & Record<string, unknown>,
): Promise<OrderRow> {
  const input = parseInput(createOrderInput, given);
  const { database } = deps;
  const { tenantId } = actor;
  const externalKey = input.externalKey ?? null;
  const skus = input.positions.map(({ sku }) => sku);
  const [ground, settings] = await Promise.all([
    readGround(database, tenantId, { skus, organizationId, contactId, externalKey }),
    readCommerceSettings(database, tenantId),
  ]);
  if (ground.isRepeat) return firstOrder(deps, tenantId, externalKey);
  assertGround(input, ground, { organizationId, contactId });
  const { organization } = ground;
  const [unitPrices, number] = await Promise.all([
    pricesOf(deps, tenantId, input, organization),
    takeOrderNumber(database, tenantId),
  ]);
  const { order, positions } = rowsOf(input, ground, { number, unitPrices, settings, contactId });
  const purchase = organization && { organization, gross: order.gross, currency: order.currency };
  const isHeld = purchase !== null && (await isHeldForCredit(deps, actor, settings, purchase));
  const placed = await database.withTenantSql(tenantId, (tx) =>
    place(tx, actor, { ...order, hold_reason: isHeld ? 'credit' : null }, positions),
  );
  return placed ?? firstOrder(deps, tenantId, externalKey);
}

async function firstOrder({ database }: FiringDeps, tenantId: string, externalKey: string | null): Promise<OrderRow> {
  const first = externalKey === null ? undefined : await findOrderByKey(database, tenantId, externalKey);
  if (!first) throw new ConflictError('Another order was placed with this key a moment ago. Send it again.');
  return first;
}

/** Throws a ValidationError for what is not there: products, the organization, its contact. */
function assertGround(
  { positions }: NewOrder,
  { products, organization, hasContact }: Ground,
  { organizationId, contactId }: Buying,
): void {
  const sold = new Map(products?.map((product) => [product.sku, product]));
  const faults: FieldErrors = {};
  positions.forEach(({ sku }, index) => {
    const product = sold.get(sku);
    if (!product) faults[`positions.${index}.sku`] = ['There is no product with this SKU.'];
    else if (!product.active) faults[`positions.${index}.sku`] = ['The product is not sold at present.'];
  });
  if (organizationId != null && !organization) faults['organizationId'] = ['There is no such organization.'];
  if (contactId != null && !hasContact) faults['contactId'] = ['The organization has no such contact.'];
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
}

/** The price of a unit of each position: the given one, else the one that applies to the buyer. */
async function pricesOf(
  { database }: FiringDeps,
  tenantId: string,
  { positions, currency, channel }: NewOrder,
  organization: Buyer | null,
): Promise<string[]> {
  const unpriced = positions.filter(({ unitPrice }) => unitPrice == null);
  if (unpriced.length === 0) return positions.map(({ unitPrice }) => unitPrice as string);
  const resolutions = await resolvePrices(database, tenantId, {
    items: unpriced.map(({ sku, quantity }) => ({ sku, quantity })),
    currency,
    customer: organization?.customerNumber ?? null,
    channel: channel ?? null,
  });
  const faults: FieldErrors = {};
  const prices = positions.map((position, index) => {
    if (position.unitPrice != null) return position.unitPrice;
    const amount = resolutions[unpriced.indexOf(position)]?.amount;
    if (amount == null)
      faults[`positions.${index}.sku`] = ['No price applies. Give a unitPrice, or add one to a price list.'];
    return amount ?? '0';
  });
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  return prices;
}

function rowsOf(
  input: NewOrder,
  { products, organization }: Ground,
  {
    number,
    unitPrices,
    settings,
    contactId,
  }: { number: number; unitPrices: string[]; settings: Settings; contactId: bigint | null },
): { order: NewOrderRow; positions: NewPositionRow[] } {
  const sold = new Map(products?.map((product) => [product.sku, product]));
  const lines = input.positions.map(({ sku, quantity }, index) => ({
    quantity: exact(quantity).toFixed(),
    unitPrice: unitPrices[index] as string,
    taxRate: sold.get(sku)?.taxRate ?? '0',
  }));
  const totals = totalsOf(lines, input.currency, settings.taxRounding);
  return {
    order: {
      number,
      external_key: input.externalKey ?? null,
      hold_reason: null,
      customer_order_number: input.customerOrderNumber ?? null,
      organization_id: organization?.id ?? null,
      contact_id: contactId === null ? null : Number(contactId),
      channel: input.channel ?? null,
      currency: input.currency,
      net: totals.net,
      tax: totals.tax,
      gross: totals.gross,
      shipping_address: input.shippingAddress ?? null,
      billing_address: input.billingAddress ?? null,
      attributes: input.attributes ?? null,
    },
    positions: input.positions.map((position, index) => ({
      line: index + 1,
      sku: position.sku,
      name: sold.get(position.sku)?.name ?? '',
      location: position.location ?? 'main',
      quantity: lines[index]?.quantity as string,
      unit_price: lines[index]?.unitPrice as string,
      tax_rate: lines[index]?.taxRate as string,
      line_total: totals.lines[index]?.lineTotal as string,
      tax: totals.lines[index]?.tax as string,
      cost_centre: position.costCentre ?? null,
      buyer_article_number: position.buyerArticleNumber ?? null,
      text: position.text ?? null,
    })),
  };
}

/** Writes the order with all that belongs to it. Null where another took its external key meanwhile. */
async function place(tx: Tx, actor: Actor, given: NewOrderRow, positions: NewPositionRow[]): Promise<OrderRow | null> {
  const { tenantId } = actor;
  const [attributes, approval] = await together([
    readAttributes(tx, tenantId, 'order', given.attributes),
    given.hold_reason ? Promise.resolve(given.hold_reason) : approvalHold(tx, tenantId, given, positions),
  ]);
  const order = { ...given, attributes, hold_reason: approval };
  const made = await insertOrder(tx, actor, order, positions);
  if (!made) return null;
  const row = rowOf(order, positions, made);
  await together([
    bookMovements(
      tx,
      actor,
      row.positions.map(({ id, sku, location, quantity }) => ({
        sku,
        location,
        kind: 'reserve',
        quantity,
        reference: reservationOf(id),
      })),
    ),
    ...(order.hold_reason === null ? [publishEvent(tx, { tenantId, topic: orderCreated, data: orderData(row) })] : []),
  ]);
  await recordOrderSums(tx, tenantId, {
    organizationId: order.organization_id,
    currency: order.currency,
    placedAt: new Date(made.at),
    net: order.net,
    sign: 1,
  });
  return row;
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
  const reason = await approvalOf(tx, tenantId, {
    organizationId: BigInt(organization_id),
    contactId: contact_id === null ? null : BigInt(contact_id),
    gross,
    byCostCentre: new Map([...byCostCentre].map(([code, amount]) => [code, amount.toFixed()])),
    spentOn: (codes) => spentOnCostCentres(tx, tenantId, organization_id, codes),
  });
  return reason && 'approval';
}

const rowOf = (
  order: NewOrderRow,
  positions: NewPositionRow[],
  made: { id: number; at: string; attributes: Record<string, unknown>; positions: number[] },
): OrderRow => ({
  id: made.id,
  number: String(order.number),
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
  positions: positions.map((position, index) => ({
    id: made.positions[index] as number,
    sku: position.sku,
    name: position.name,
    location: position.location,
    quantity: position.quantity,
    unitPrice: position.unit_price,
    taxRate: position.tax_rate,
    lineTotal: position.line_total,
    costCentre: position.cost_centre,
    buyerArticleNumber: position.buyer_article_number,
    text: position.text,
    reserved: position.quantity,
    shipped: '0',
    returned: '0',
  })),
});
