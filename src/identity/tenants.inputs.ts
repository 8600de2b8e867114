import { z } from 'zod';

/** Ids of organisations and tenants, as tokens, headers and keys contain them. */
export const slugId = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,62}$/, 'Use a lowercase letter, then up to 62 letters, digits or hyphens.');

export const orgInput = z.object({
  id: slugId.describe(
    'Its slug: a lowercase letter, then up to 62 lowercase letters, digits or hyphens. It never changes.',
  ),
  name: z.string().trim().min(1).max(191).describe('For people, 1 to 191 characters.'),
});
export type OrgInput = z.infer<typeof orgInput>;
