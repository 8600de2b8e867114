import { z } from 'zod';
import { attributesSchema } from '#src/commerce/attributes/attributes.inputs.ts';
import { decimal } from '#src/infra/text/decimals.ts';

const sku = z.string().trim().min(1).max(191);
/** URL parsers remove these as path segments, so such an article could not be requested. */
export const isFoldedAway = (text: string): boolean => text === '.' || text === '..';
export const foldedAway = 'A URL cannot name `.` or `..`: use another SKU.';
const newSku = sku.refine((text) => !isFoldedAway(text), foldedAway);
const name = z.string().trim().min(1).max(191);
const description = z.string().max(10_000);
/** Percent of the net price. */
const taxRate = decimal({ whole: 3, fraction: 4, sign: 'not negative' });

export const createProductInput = z.object({
  sku: newSku.describe('Unique in the tenant, 1 to 191 characters; it never changes.'),
  name: name.describe('1 to 191 characters.'),
  description: description.nullish().describe('At most 10,000 characters.'),
  active: z.boolean().nullish().describe('Left out: true.'),
  taxRate: taxRate.nullish().describe('Percent of the net price, e.g. `"19"`; left out: 0.'),
  attributes: attributesSchema('product').nullish().describe("Values of the tenant's attributes, by code."),
});

/** By SKU; a new product needs a name. */
export const upsertProductInput = createProductInput.extend({ name: name.nullish() });

export const updateProductInput = z.object({
  sku: sku.nullish().describe('Only the one it has; a product keeps its SKU.'),
  name: name.nullish().describe('1 to 191 characters; null leaves it as it is.'),
  description: description.nullish().describe('Null clears it; left out, it stays.'),
  active: z.boolean().nullish().describe('Null leaves it as it is.'),
  taxRate: taxRate.nullish().describe('Percent of the net price; null leaves it as it is.'),
  attributes: attributesSchema('product')
    .nullish()
    .describe('Values of attributes, by code; null clears one, and those that are not named stay.'),
});
