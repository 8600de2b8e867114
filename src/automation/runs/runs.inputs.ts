import { z } from 'zod';

export const startRunInput = z.object({
  triggerHandle: z.guid().nullish(),
  payload: z.unknown().optional(),
  idempotencyKey: z.string().min(1).max(255).nullish(),
});

export const resumeRunInput = z.object({ token: z.guid(), data: z.unknown().optional() });
