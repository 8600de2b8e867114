import { z } from 'zod';
import { money } from '#src/infra/text/decimals.ts';

export const upsertCostCentreInput = z.object({
  code: z.string().trim().min(1).max(191).describe('What names it in its organization, 1 to 191 characters.'),
  name: z.string().trim().max(191).nullish().describe('At most 191 characters. Null clears it; left out, it stays.'),
  budget: money({ sign: 'not negative' })
    .nullish()
    .describe('Gross, a calendar month in UTC. Null removes it; left out, it stays.'),
});
