import { z } from 'zod';
import { json } from '#rest/bodies.ts';
import { type JsonSchema, objectSchema, property, type Reply } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { buyer, maxItems, pricedItem } from '#src/commerce/prices/price-resolution.inputs.ts';
import { noPrice, type Resolution, resolvePrices } from '#src/commerce/prices/price-resolution.service.ts';
import { inTenant } from '#src/graphql/context.ts';
import { instantText, parseInstant } from '#src/infra/text/instant-text.ts';
import { writePrice, writePrices } from './price-traces.ts';
import { pricesTag } from './prices.routes.ts';

const one = pricedItem.partial();
const many = z.array(pricedItem).min(1).max(maxItems);

/** One article, or `items`; the graph only resolves lists. */
const resolveBody = json(
  one
    .extend({ items: many.optional(), ...buyer.extend({ at: instantText.nullish() }).shape })
    .transform((body, faults) => {
      const { sku, quantity, items, ...who } = body;
      if (items) return { ...who, items, isMany: true };
      for (const [name, value] of Object.entries({ sku, quantity })) {
        const message = `The field ${name} is required, or items.`;
        if (value === undefined) faults.addIssue({ code: 'custom', path: [name], message });
      }
      return { ...who, items: [{ sku: sku ?? '', quantity: quantity ?? '' }], isMany: false };
    }),
);

/** A price with the names of REST, or the reason why there is none. */
const restPrice = (found: Resolution): object => {
  const { sku, quantity, amount, trace } = found;
  if (amount === null) return { sku, message: noPrice.message, code: noPrice.code, trace };
  const { currency, taxIncluded: tax_included, list, tier, nextTier } = found;
  return {
    sku,
    quantity,
    amount,
    currency,
    tax_included,
    list,
    tier: { quantity_from: tier.quantityFrom },
    next_tier: nextTier && { quantity_from: nextTier.quantityFrom, amount: nextTier.amount },
    trace,
  };
};

const text = { type: 'string' };

/** One article without a price is a 404. */
const resolved: Reply = {
  status: 200,
  httpStatus: (found, body) => (!isMany(body) && (found as Resolution[])[0]?.amount === null ? 404 : 200),
  others: {
    404: {
      description: 'No price applies to the one article; the trace says why.',
      schema: objectSchema({
        message: text,
        code: text,
        trace: { type: 'array', items: objectSchema({ list: text, reason: text }) },
      }),
    },
  },
  body(found, _query, body) {
    const all = found as [Resolution, ...Resolution[]];
    if (isMany(body)) return { items: all.map(restPrice) };
    const [{ amount, trace }] = all;
    return amount === null ? { ...noPrice, trace } : restPrice(all[0]);
  },
  write(body) {
    const { items, ...one } = body as { items?: { trace: object[] }[]; trace: object[] };
    const { buffer: content, release } = items ? writePrices(items) : writePrice(one);
    return { content, release };
  },
  schema(root) {
    const item = root['items'] as JsonSchema;
    const own = (...names: string[]): JsonSchema =>
      objectSchema(Object.fromEntries(names.map((name) => [name, property(item, name)])));
    const price = own('sku', 'quantity', 'amount', 'currency', 'tax_included', 'list', 'tier', 'next_tier', 'trace');
    const miss = own('sku', 'message', 'code', 'trace');
    return { anyOf: [price, objectSchema({ items: { type: 'array', items: { anyOf: [price, miss] } } })] };
  },
};
const isMany = (body: unknown): boolean => (body as { isMany: boolean }).isMany;

export const priceResolutionRoutes = [
  route({
    method: 'POST',
    path: '/prices/resolve',
    name: 'resolvePrices',
    tag: pricesTag,
    summary:
      'The price of one article for a buyer, or of up to 200 as `items`, each with the trace of how it was chosen.',
    document: `query (
      $items: [PricedItem!]!, $currency: String!, $customer: String, $channel: String, $market: String, $at: DateTime
    ) {
      resolvePrices(
        items: $items, currency: $currency, customer: $customer, channel: $channel, market: $market, at: $at
      ) {
        sku quantity amount currency tax_included: taxIncluded list tier { quantity_from: quantityFrom }
        next_tier: nextTier { quantity_from: quantityFrom amount } code message trace { list reason }
      }
    }`,
    body: resolveBody,
    // Takes a third less of the API for 200 articles than the graph's executor.
    resolve({ body: { isMany: _isMany, at, ...asked } }, context) {
      const { deps, tenantId } = inTenant(context);
      return resolvePrices(deps.database, tenantId, { ...asked, at: at == null ? null : parseInstant(at) });
    },
    reply: resolved,
    example: { body: { sku: 'MUG-1', quantity: '12', currency: 'EUR', customer: 'C-1000' } },
  }),
];
