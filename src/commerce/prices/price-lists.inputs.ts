import { z } from 'zod';

/** How lists are named, here and wherever a price is set or explained. */
export const listCode = z.string().trim().min(1).max(191);
export const currency = z.string().regex(/^[A-Z]{3}$/, 'Use three capitals, such as EUR.');
/** A customer number, a channel or a market. */
export const scope = z.string().trim().min(1).max(191);
const name = z.string().trim().min(1).max(191);
const priority = z.int().min(-1_000_000).max(1_000_000);

const scopesAndWindow = {
  customer: scope.nullish(),
  channel: scope.nullish(),
  market: scope.nullish(),
  validFrom: z.date().nullish(),
  validUntil: z.date().nullish(),
};

export const createPriceListInput = z.object({
  code: listCode,
  name,
  currency,
  /** Whether its prices include the tax; left out, they do not. */
  taxIncluded: z.boolean().nullish(),
  priority: priority.nullish(),
  ...scopesAndWindow,
});

export const updatePriceListInput = z.object({
  /** Fixed, as what its amounts mean is: others than the list's are refused. */
  code: listCode.nullish(),
  name: name.nullish(),
  currency: currency.nullish(),
  taxIncluded: z.boolean().nullish(),
  priority: priority.nullish(),
  /** Null clears a scope or an end of the window; left out, it stays. */
  ...scopesAndWindow,
});
