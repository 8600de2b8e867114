import { z } from 'zod';

export const createApiKeyInput = z.object({
  name: z.string().trim().min(1).max(191).describe('The integration it is of, 1 to 191 characters.'),
  scopes: z
    .array(z.string())
    .min(1, 'Name at least one scope; * is every scope.')
    .max(100)
    .describe('What it may do: names of scopes, or `*` for all.'),
  expiresAt: z
    .date()
    .refine((at) => at > new Date(), 'Use an instant in the future.')
    .nullish()
    .describe('From when on it is refused; left out, it has no end.'),
});

/** A week at most, so that a rotation is finished before it is forgotten. */
export const rotateApiKeyInput = z.object({
  overlapHours: z
    .int()
    .min(0)
    .max(168)
    .nullish()
    .describe('Hours for which the old key stays good, 0 to 168; left out: 24.'),
});
