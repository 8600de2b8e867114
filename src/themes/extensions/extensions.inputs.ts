import { z } from 'zod';

export const registerExtensionInput = z.object({ url: z.string().min(1).max(2_000) });

export const withdrawExtensionInput = z.object({
  /** Whether it stops at once where it is installed; by default it goes on there. */
  block: z.boolean().nullish(),
  /** Shown to the tenants that have it installed. */
  reason: z.string().trim().min(1).max(1_000).nullish(),
});
