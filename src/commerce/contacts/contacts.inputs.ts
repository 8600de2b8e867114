import { z } from 'zod';
import { money } from '#src/infra/decimals.ts';

/** One address is one contact of an organization, so the case of its letters does not count. */
export const email = z.email('Use an e-mail address.').max(254).toLowerCase();
const text = z.string().trim().max(191);
/** Gross; an order above it waits for an approval. */
const approvalLimit = money({ sign: 'not negative' });

export const createContactInput = z.object({
  email,
  firstName: text.nullish(),
  lastName: text.nullish(),
  role: text.nullish(),
  approvalLimit: approvalLimit.nullish(),
});

/** What is left out stays; null clears what may be null. */
export const updateContactInput = createContactInput.extend({ email: email.nullish() });
