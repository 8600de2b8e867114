import { z } from 'zod';
import { money } from '#src/infra/text/decimals.ts';

/** An address identifies a contact of an organization, regardless of case. */
export const email = z.email('Use an e-mail address.').max(254).toLowerCase();
const text = z.string().trim().max(191);
/** Gross; an order above it needs an approval. */
const approvalLimit = money({ sign: 'not negative' });

export const createContactInput = z.object({
  email: email.describe('Unique in the organization, whatever the case of its letters.'),
  firstName: text.nullish().describe('At most 191 characters.'),
  lastName: text.nullish().describe('At most 191 characters.'),
  role: text.nullish().describe('What the person does there; at most 191 characters.'),
  approvalLimit: approvalLimit.nullish().describe('Gross; orders above it wait for an approval. Left out: no limit.'),
});

/** An absent member stays unchanged; null clears a nullable one. */
export const updateContactInput = z.object({
  email: email.nullish().describe('Null leaves it as it is.'),
  firstName: text.nullish().describe('Null clears it; left out, it stays.'),
  lastName: text.nullish().describe('Null clears it; left out, it stays.'),
  role: text.nullish().describe('Null clears it; left out, it stays.'),
  approvalLimit: approvalLimit.nullish().describe('Null removes the limit; left out, it stays.'),
});
