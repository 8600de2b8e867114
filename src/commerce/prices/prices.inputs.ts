import { z } from 'zod';
import { decimal, money } from '#src/infra/text/decimals.ts';
import { listCode } from './price-lists.inputs.ts';

export const sku = z.string().trim().min(1).max(191);

/** A row replaces the complete price: one without dates is valid without limit. */
export const upsertPriceInput = z.object({
  list: listCode.describe('The code of the price list.'),
  sku: sku.describe('Of a product.'),
  quantityFrom: decimal({ sign: 'positive' }).nullish().describe('The smallest quantity it holds for; left out: 1.'),
  /** Zero is a valid price, for free articles. */
  amount: money({ sign: 'not negative' }).describe('For one unit, in the currency of the list, e.g. `"12.50"`.'),
  validFrom: z.date().nullish().describe('The first instant it holds; left out: ever since.'),
  validUntil: z.date().nullish().describe('The first instant it holds no more; left out: for good.'),
});
