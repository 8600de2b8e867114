import { z } from 'zod';
import { address } from '#src/commerce/addresses/addresses.inputs.ts';
import { attributesOf } from '#src/commerce/attributes/attributes.inputs.ts';

export const customerNumber = z.string().trim().min(1).max(191);
/** More than these would make each row of a list a page of its own. */
export const mostAddresses = 20;

export const upsertOrganizationInput = z.object({
  customerNumber,
  /** Null and left out: as it is. Needed for a new organization. */
  name: z.string().trim().min(1).max(191).nullish(),
  /** Replaces the whole list. Null and left out: as it is. */
  addresses: z.array(address).max(mostAddresses).nullish(),
  /** Null clears them; left out, they stay. */
  paymentTerms: z.string().trim().max(191).nullish(),
  /** Changes those that are named; null clears one. */
  attributes: attributesOf('organization').nullish(),
});
