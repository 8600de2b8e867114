import { z } from 'zod';

/** The code of a list, also where a price is set or explained. */
export const listCode = z.string().trim().min(1).max(191);
export const currency = z.string().regex(/^[A-Z]{3}$/, 'Use three capitals, such as EUR.');
/** A customer number, a channel or a market. */
export const scope = z.string().trim().min(1).max(191);
const name = z.string().trim().min(1).max(191);
const priority = z.int().min(-1_000_000).max(1_000_000);

export const createPriceListInput = z.object({
  code: listCode.describe('Unique in the tenant, 1 to 191 characters; it never changes.'),
  name: name.describe('1 to 191 characters.'),
  currency: currency.describe('Three capitals, such as `EUR`; it never changes.'),
  taxIncluded: z
    .boolean()
    .nullish()
    .describe('Whether its prices include the tax; left out, they do not. It never changes.'),
  priority: priority.nullish().describe('The largest is asked first; left out: 0.'),
  customer: scope.nullish().describe('A customer number; left out: every customer.'),
  channel: scope.nullish().describe('Left out: every channel.'),
  market: scope.nullish().describe('Left out: every market.'),
  validFrom: z.date().nullish().describe('The first instant it applies; left out: ever since.'),
  validUntil: z.date().nullish().describe('The first instant it applies no more; left out: for good.'),
});

export const updatePriceListInput = z.object({
  code: listCode.nullish().describe('Only the one it has; a list keeps its code.'),
  name: name.nullish().describe('1 to 191 characters; null leaves it as it is.'),
  currency: currency.nullish().describe('Only the one it has; a list keeps its currency.'),
  taxIncluded: z.boolean().nullish().describe('Only what it is; the prices of a list keep their meaning.'),
  priority: priority.nullish().describe('Null leaves it as it is.'),
  customer: scope.nullish().describe('Null: every customer; left out, it stays.'),
  channel: scope.nullish().describe('Null: every channel; left out, it stays.'),
  market: scope.nullish().describe('Null: every market; left out, it stays.'),
  validFrom: z.date().nullish().describe('Null: ever since; left out, it stays.'),
  validUntil: z.date().nullish().describe('Null: for good; left out, it stays.'),
});
