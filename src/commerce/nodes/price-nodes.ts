import { z } from 'zod';
import type { RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { type Resolution, resolvePrices } from '#src/commerce/prices/price-resolution.service.ts';
import { priceData } from '#src/commerce/prices/prices.declarations.ts';
import { upsertPrice } from '#src/commerce/prices/prices.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import { defineNode, instant, text } from './commerce-node.ts';

const item = z.object({ sku: text, quantity: text });
const noPrice = 'No price applies; the trace says why.';

export const priceNodes = (deps: Deps): RunnableNode[] => [
  defineNode({
    name: 'upsert-price',
    config: z.object({
      list: text,
      sku: text,
      quantity_from: text.nullish(),
      amount: text,
      valid_from: instant.nullish(),
      valid_until: instant.nullish(),
    }),
    async execute(given, { ports }) {
      const { quantity_from: quantityFrom, valid_from: validFrom, valid_until: validUntil, ...same } = given;
      const input = { ...same, quantityFrom, validFrom, validUntil };
      return { price: priceData(await upsertPrice(deps, ports.tenant.actor(), input)) };
    },
  }),
  defineNode({
    name: 'resolve-price',
    config: z.object({
      sku: text.nullish(),
      quantity: text.nullish(),
      items: z.array(item).nullish(),
      currency: text,
      customer: text.nullish(),
      channel: text.nullish(),
      market: text.nullish(),
      at: instant.nullish(),
    }),
    async execute({ sku, quantity, items, ...buyer }, { ports }) {
      if (items?.length === 0) return { items: [] };
      const asked = items ?? [{ sku: sku ?? '', quantity: quantity ?? '' }];
      const found = await resolvePrices(deps.database, ports.tenant.id(), { ...buyer, items: asked });
      if (items) return { items: found.map(toAnswer) };
      const [price] = found as [Resolution];
      if (price.amount === null) throw new NotFoundError(noPrice);
      return toAnswer(price);
    },
  }),
];

/** The format of the response of `POST /prices/resolve`. */
function toAnswer(found: Resolution): Record<string, unknown> {
  const { sku, quantity, trace } = found;
  if (found.amount === null) return { sku, code: 'NOT_FOUND', message: noPrice, trace };
  const { amount, currency, taxIncluded, list, tier, nextTier } = found;
  return {
    sku,
    quantity,
    amount,
    currency,
    tax_included: taxIncluded,
    list,
    tier: { quantity_from: tier.quantityFrom },
    next_tier: nextTier && { quantity_from: nextTier.quantityFrom, amount: nextTier.amount },
    trace,
  };
}
