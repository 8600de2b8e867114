import { z } from 'zod';
import { decimal, money } from '#src/infra/decimals.ts';
import { listCode } from './price-lists.inputs.ts';

export const sku = z.string().trim().min(1).max(191);

/** A row replaces the whole price: one without dates is valid without limit. */
export const upsertPriceInput = z.object({
  /** The code of the list. */
  list: listCode,
  sku,
  quantityFrom: decimal({ sign: 'positive' }).nullish(),
  /** For one unit. Zero is a price: of what comes for free. */
  amount: money({ sign: 'not negative' }),
  validFrom: z.date().nullish(),
  validUntil: z.date().nullish(),
});
