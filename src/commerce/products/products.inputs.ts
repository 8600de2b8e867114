import { z } from 'zod';
import { attributesOf } from '#src/commerce/attributes/attributes.inputs.ts';
import { decimal } from '#src/infra/decimals.ts';

export const sku = z.string().trim().min(1).max(191);
const name = z.string().trim().min(1).max(191);
const description = z.string().max(10_000);
/** Percent of the net price. */
const taxRate = decimal({ whole: 3, fraction: 4, sign: 'not negative' });

export const createProductInput = z.object({
  sku,
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
