import { z } from 'zod';
import { address } from '#src/commerce/addresses/addresses.inputs.ts';
import { attributesSchema } from '#src/commerce/attributes/attributes.inputs.ts';

export const customerNumber = z.string().trim().min(1).max(191);
/** With more addresses, each row of a list would be as large as a page. */
const maxAddresses = 20;

export const upsertOrganizationInput = z.object({
  customerNumber: customerNumber.describe('What names it, 1 to 191 characters.'),
  name: z
    .string()
    .trim()
    .min(1)
    .max(191)
    .nullish()
    .describe('1 to 191 characters; a new organization needs one. Null leaves it as it is.'),
  addresses: z
    .array(address)
    .max(maxAddresses)
    .nullish()
    .describe(`At most ${maxAddresses}, in place of those that are there. Null leaves them as they are.`),
  paymentTerms: z
    .string()
    .trim()
    .max(191)
    .nullish()
    .describe('At most 191 characters. Null clears them; left out, they stay.'),
  attributes: attributesSchema('organization')
    .nullish()
    .describe('Values of attributes, by code; null clears one, and those that are not named stay.'),
});
