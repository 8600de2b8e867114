import { z } from 'zod';
import { money } from '#src/infra/decimals.ts';

export const upsertCostCentreInput = z.object({
  code: z.string().trim().min(1).max(191),
  /** Null clears it; left out, it stays. */
  name: z.string().trim().max(191).nullish(),
  /** Gross, a calendar month in UTC. Null removes it; left out, it stays. */
  budget: money({ sign: 'not negative' }).nullish(),
});
