import { z } from 'zod';
import { attributesOf } from '#src/commerce/attributes/attributes.inputs.ts';
import { decimal } from '#src/infra/decimals.ts';

const sku = z.string().trim().min(1).max(191);
/** Clients fold these away where they stand alone in the path of a URL, so nobody could ask for such an article. */
export const isFoldedAway = (text: string): boolean => text === '.' || text === '..';
export const foldedAway = 'A URL cannot name `.` or `..`: use another SKU.';
const newSku = sku.refine((text) => !isFoldedAway(text), foldedAway);
const name = z.string().trim().min(1).max(191);
const description = z.string().max(10_000);
/** Percent of the net price. */
const taxRate = decimal({ whole: 3, fraction: 4, sign: 'not negative' });

export const createProductInput = z.object({
  sku: newSku,
  name,
  description: description.nullish(),
  active: z.boolean().nullish(),
  taxRate: taxRate.nullish(),
  attributes: attributesOf('product').nullish(),
});

/** By SKU; a new product needs a name. */
export const upsertProductInput = createProductInput.extend({ name: name.nullish() });

export const updateProductInput = z.object({
  /** Fixed: another one than the product's is refused. */
  sku: sku.nullish(),
  name: name.nullish(),
  /** Null clears it; left out, it stays. */
  description: description.nullish(),
  active: z.boolean().nullish(),
  taxRate: taxRate.nullish(),
  attributes: attributesOf('product').nullish(),
});
