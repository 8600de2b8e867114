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

/** Who buys, where and when; null or left out stands for an unknown buyer, and for now. */
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
  /** Of the lists that apply, the first in rank or the cheapest; left out, as the tenant has set. */
  strategy: z.enum(priceStrategies).nullish(),
});
