import { randomUUID } from 'node:crypto';
import { type Line, computeTotals } from '#src/commerce/order-amounts/totals.rules.ts';
import { createOrderInput, type NewOrder } from '#src/commerce/orders/orders.inputs.ts';
import { findOrderByKey, type OrderRow } from '#src/commerce/orders/orders.reads.ts';
import { assertSameContent, type SentContent, toSentContent } from '#src/commerce/orders/sent-content.rules.ts';
import type { Settings } from '#src/commerce/settings/settings.service.ts';
import type { Actor } from '#src/infra/deps.ts';
import { AppError, type FieldErrors, ValidationError } from '#src/infra/errors.ts';
import { exact } from '#src/infra/exact.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import type { CreditCheck } from './credit.service.ts';
import {
  createOrderContextBatcher,
  createPriceBatcher,
  type OrderContextBatcher,
  type OrderPriceBatcher,
} from './order-context.service.ts';
import type { Buyer, OrderContext } from './order-placement.store.ts';
import {
  createOrderBatcher,
  keyTakenError,
  type PricedOrder,
  type OrderBatcher,
  writeOrder,
} from './write-orders.service.ts';

/** The batchers that orders placed at the same time share. */
export interface OrderBatchers {
  contexts: OrderContextBatcher;
  prices: OrderPriceBatcher;
  orders: OrderBatcher;
}

export const createOrderBatchers = (database: Database): OrderBatchers => ({
  contexts: createOrderContextBatcher(database),
  prices: createPriceBatcher(database),
  orders: createOrderBatcher(database),
});

export interface OrderPlacementDeps {
  database: Database;
  orderBatchers: OrderBatchers;
  checkCredit: CreditCheck;
}

/** The buyer; null or absent for an unknown one. */
interface Buying {
  organizationId?: bigint | null;
  contactId?: bigint | null;
}

/**
 * Places an order: prices its positions, reserves their stock and publishes `order.created`, unless it is held. Repeating an external key
 * returns the first order; with other content it is a ConflictError. Prices and credit are determined before the transaction. ConflictError
 * if the stock is not enough; nothing is reserved then.
 */
export async function createOrder(
  deps: OrderPlacementDeps,
  actor: Actor,
  { organizationId = null, contactId = null, ...given }: Buying & Record<string, unknown>,
): Promise<OrderRow> {
  const input = parseInput(createOrderInput, given);
  const { database } = deps;
  const { tenantId } = actor;
  const externalKey = input.externalKey ?? null;
  const repeatable =
    externalKey === null ? null : { externalKey, sent: toSentContent(input, { organizationId, contactId }) };
  const skus = input.positions.map(({ sku }) => sku);
  const asked = { tenantId, skus, organizationId, contactId, externalKey };
  const { settings, ...orderContext } = await deps.orderBatchers.contexts.add(asked);
  if (orderContext.isRepeat && repeatable) return firstOrder(deps, tenantId, repeatable);
  assertOrderable(input, orderContext, { organizationId, contactId });
  const { organization } = orderContext;
  const prices = await resolveUnitPrices(deps, tenantId, input, organization);
  const { order, positions } = buildOrderRows(input, orderContext, {
    prices,
    settings,
    contactId,
    sent: repeatable?.sent ?? null,
  });
  const purchase = organization && { organization, gross: order.gross, currency: order.currency };
  const isHeld = purchase !== null && (await deps.checkCredit(actor, settings, purchase));
  try {
    return await writeOrder(
      { database, batcher: deps.orderBatchers.orders },
      { actor, order: { ...order, hold_reason: isHeld ? 'credit' : null }, positions },
    );
  } catch (error) {
    if (repeatable === null || !(error instanceof AppError || isUniqueViolation(error))) throw error;
    // Another order may have used the key in the meantime, and the last of the stock with it.
    const first = await findFirstOrder(deps, tenantId, repeatable);
    if (first) return first;
    throw error instanceof AppError ? error : keyTakenError();
  }
}

/** The key and content by which an order is recognised as a repeat. */
interface Repeatable {
  externalKey: string;
  sent: SentContent;
}

/** The order that was placed with the key. ConflictError if it was placed with other content. */
async function findFirstOrder(
  { database }: OrderPlacementDeps,
  tenantId: string,
  { externalKey, sent }: Repeatable,
): Promise<OrderRow | undefined> {
  const first = await findOrderByKey(database, tenantId, externalKey);
  if (first?.sent) assertSameContent(first.sent, sent);
  return first?.order;
}

async function firstOrder(deps: OrderPlacementDeps, tenantId: string, repeatable: Repeatable): Promise<OrderRow> {
  const first = await findFirstOrder(deps, tenantId, repeatable);
  if (!first) throw keyTakenError();
  return first;
}

/** Throws a ValidationError for products, an organization or a contact that do not exist. */
function assertOrderable(
  { positions }: NewOrder,
  { products, organization, hasContact }: OrderContext,
  { organizationId, contactId }: Buying,
): void {
  const faults: FieldErrors = {};
  positions.forEach(({ sku }, index) => {
    const product = products.get(sku);
    if (!product) faults[`positions.${index}.sku`] = ['There is no product with this SKU.'];
    else if (!product.active) faults[`positions.${index}.sku`] = ['The product is not sold at present.'];
  });
  if (organizationId != null && !organization) faults['organizationId'] = ['There is no such organization.'];
  if (contactId != null && !hasContact) faults['contactId'] = ['The organization has no such contact.'];
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
}

/** The price of one unit. */
type UnitPrice = Pick<Line, 'unitPrice' | 'taxIncluded'>;

/** The price of each position: the given one, else the one that applies to the buyer. */
async function resolveUnitPrices(
  { orderBatchers }: OrderPlacementDeps,
  tenantId: string,
  { positions, currency, channel }: NewOrder,
  organization: Buyer | null,
): Promise<UnitPrice[]> {
  const given = positions.map(({ unitPrice, taxIncluded }) =>
    unitPrice == null ? null : { unitPrice, taxIncluded: taxIncluded ?? false },
  );
  const unpriced = positions.filter(({ unitPrice }) => unitPrice == null);
  if (unpriced.length === 0) return given as UnitPrice[];
  const resolutions = await orderBatchers.prices.add({
    tenantId,
    items: unpriced.map(({ sku, quantity }) => ({ sku, quantity })),
    currency,
    customer: organization?.customerNumber ?? null,
    channel: channel ?? null,
  });
  const faults: FieldErrors = {};
  let next = 0;
  const prices = given.map((price, index) => {
    if (price) return price;
    const found = resolutions[next++];
    if (found && found.amount !== null) return { unitPrice: found.amount, taxIncluded: found.taxIncluded };
    faults[`positions.${index}.sku`] = ['No price applies. Give a unitPrice, or add one to a price list.'];
    return { unitPrice: '0', taxIncluded: false };
  });
  if (Object.keys(faults).length > 0) throw new ValidationError(faults);
  return prices;
}

function buildOrderRows(
  input: NewOrder,
  { products, organization }: OrderContext,
  {
    prices,
    settings,
    contactId,
    sent,
  }: { prices: UnitPrice[]; settings: Settings; contactId: bigint | null; sent: SentContent | null },
): Pick<PricedOrder, 'order' | 'positions'> {
  const lines = input.positions.map(({ sku, quantity }, index) => ({
    quantity: exact(quantity).toFixed(),
    ...(prices[index] as UnitPrice),
    taxRate: products.get(sku)?.taxRate ?? '0',
  }));
  const totals = computeTotals(lines, input.currency, settings.taxRounding);
  return {
    order: {
      uid: randomUUID(),
      external_key: input.externalKey ?? null,
      sent,
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
      name: products.get(position.sku)?.name ?? '',
      location: position.location ?? 'main',
      quantity: lines[index]?.quantity as string,
      unit_price: lines[index]?.unitPrice as string,
      tax_included: lines[index]?.taxIncluded as boolean,
      tax_rate: lines[index]?.taxRate as string,
      line_total: totals.lines[index]?.lineTotal as string,
      tax: totals.lines[index]?.tax as string,
      cost_centre: position.costCentre ?? null,
      buyer_article_number: position.buyerArticleNumber ?? null,
      text: position.text ?? null,
    })),
  };
}
