import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';
import { decimal } from '#src/infra/text/decimals.ts';
import { currency, scope } from './price-lists.inputs.ts';
import { sku } from './prices.inputs.ts';

export const priceStrategies = ['PRIORITY', 'CHEAPEST'] as const;
export type PriceStrategy = (typeof priceStrategies)[number];

export const pricedItem = z
  .object({ sku: sku.describe('The article.'), quantity: decimal({ sign: 'positive' }).describe('More than 0.') })
  .register(graphTypes, { type: 'PricedItem', description: 'An article, and how many of it.' });

/** The buyer, the place and the time; null or absent means an unknown buyer, and now. */
export const buyer = z.object({
  currency,
  customer: scope.nullish(),
  channel: scope.nullish(),
  market: scope.nullish(),
  at: z.date().nullish(),
});

export const maxItems = 200;

export const resolvePricesInput = buyer.extend({
  items: z.array(pricedItem).min(1).max(maxItems),
  /** Which of the applicable lists wins: the first in rank or the cheapest; the tenant's setting by default. */
  strategy: z.enum(priceStrategies).nullish(),
});
