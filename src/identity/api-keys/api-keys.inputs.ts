import { z } from 'zod';

export const createApiKeyInput = z.object({
  name: z.string().trim().min(1).max(191),
  /** Names of scopes that domains declare; `*` is every one of them. */
  scopes: z.array(z.string()).min(1, 'Name at least one scope; * is every scope.').max(100),
  expiresAt: z
    .date()
    .refine((at) => at > new Date(), 'Use an instant in the future.')
    .nullish(),
});

/** A week at most, so that a rotation is finished before it is forgotten. */
export const rotateApiKeyInput = z.object({
  overlapHours: z.int().min(0).max(168).nullish(),
});
