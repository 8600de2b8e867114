import { z } from 'zod';
import { json } from '#rest/bodies.ts';
import { type JsonSchema, objectOf, property, type Reply } from '#rest/replies.ts';
import { route } from '#rest/route.ts';
import { buyer, mostItems, pricedItem } from '#src/commerce/prices/price-resolution.inputs.ts';
import { instantText } from '#src/infra/instant-text.ts';
import { writePrice, writePrices } from './price-traces.ts';

const tag = { name: 'Prices', description: 'Price lists, and the price of an article for a buyer.' };

const one = pricedItem.partial();
const many = z.array(pricedItem).min(1).max(mostItems);

/** One article, or `items`; the graph resolves lists alone. */
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

interface Resolved {
  sku: string;
  amount: string | null;
  code: string | null;
  message: string | null;
  trace: object[];
}

const text = { type: 'string' };
const bodyOf = ({ code, message, ...found }: Resolved): object =>
  found.amount === null ? { sku: found.sku, message, code, trace: found.trace } : found;

/** `PriceResolution` as a price or as the reason that there is none; one article without a price is a 404. */
const resolved: Reply = {
  status: 200,
  statusOf: (found, body) => (!isMany(body) && (found as Resolved[])[0]?.amount === null ? 404 : 200),
  others: {
    404: {
      description: 'No price applies to the one article; the trace says why.',
      schema: objectOf({
        message: text,
        code: text,
        trace: { type: 'array', items: objectOf({ list: text, reason: text }) },
      }),
    },
  },
  body(found, _query, body) {
    const all = found as Resolved[];
    if (isMany(body)) return { items: all.map(bodyOf) };
    const [{ amount, message, code, trace }] = all as [Resolved];
    return amount === null ? { message, code, trace } : bodyOf(all[0] as Resolved);
  },
  write(body) {
    const { items, ...one } = body as { items?: { trace: object[] }[]; trace: object[] };
    return items ? writePrices(items) : writePrice(one);
  },
  schema(root) {
    const item = root['items'] as JsonSchema;
    const own = (...names: string[]): JsonSchema =>
      objectOf(Object.fromEntries(names.map((name) => [name, property(item, name)])));
    const price = own('sku', 'quantity', 'amount', 'currency', 'tax_included', 'list', 'tier', 'next_tier', 'trace');
    const miss = own('sku', 'message', 'code', 'trace');
    return { anyOf: [price, objectOf({ items: { type: 'array', items: { anyOf: [price, miss] } } })] };
  },
};
const isMany = (body: unknown): boolean => (body as { isMany: boolean }).isMany;

export const priceRoutes = [
  route({
    method: 'GET',
    path: '/prices/lists',
    name: 'listPriceLists',
    tag,
    summary: 'The price lists of the tenant.',
    document: `query ($orderBy: PriceListOrder, $first: Int, $offset: Int) {
      priceLists(orderBy: $orderBy, first: $first, offset: $offset) { totalCount edges { node { ...PriceList } } }
    } fragment PriceList on PriceList {
      id: databaseId code name currency tax_included: taxIncluded customer channel market priority valid_from: validFrom
      valid_until: validUntil created_at: createdAt updated_at: updatedAt
    }`,
    list: { order: { fields: ['code', 'created_at', 'updated_at'], byDefault: 'code.asc' } },
  }),
  route({
    method: 'POST',
    path: '/prices/resolve',
    name: 'resolvePrices',
    tag,
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
    variables: ({ body: { isMany: _isMany, ...asked } }) => asked,
    reply: resolved,
    example: { body: { sku: 'MUG-1', quantity: '12', currency: 'EUR', customer: 'C-1000' } },
  }),
];
