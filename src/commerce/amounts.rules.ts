import type { CostCentre } from '#prisma/client.ts';

/** True if a given amount is the one that is stored, `12.50` as `12.5`; null means that there is no amount. */
export const sameAmount = (given: string | null, stored: CostCentre['budget']): boolean =>
  given === null || stored === null ? given === stored : stored.equals(given);
