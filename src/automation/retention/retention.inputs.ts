import { z } from 'zod';

/** How many days one kind of history is kept; null keeps it forever. */
const keptDays = z.int('Use a whole number of days, or null to keep it for ever.').min(1).max(3_650).nullish();

export const updateRetentionInput = z.object({
  runDays: keptDays.describe('Days, from 1 to 3650; null keeps it for ever.'),
  stepDays: keptDays.describe('Days, from 1 to 3650; null keeps it for ever.'),
  logDays: keptDays.describe('Days, from 1 to 3650; null keeps it for ever.'),
  auditDays: keptDays.describe('Days, from 1 to 3650; null keeps it for ever.'),
});
