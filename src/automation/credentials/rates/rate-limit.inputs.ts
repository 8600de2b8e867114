import { z } from 'zod';
import { graphTypes } from '#src/infra/graph-types.ts';

export const ratePeriods = ['second', 'minute', 'hour'] as const;
const ratePeriod = z.enum(ratePeriods).register(graphTypes, { type: 'RatePeriod' });

/** The most requests with a credential that its API takes. */
export const rateLimitInput = z
  .object({
    requests: z.int().min(1).max(1_000_000).describe('How many requests a period may have.'),
    per: ratePeriod.describe('The length of the period.'),
    burst: z
      .int()
      .min(1)
      .max(10_000)
      .nullish()
      .describe('How many requests may be sent at once after a pause; 1 by default, which spreads them evenly.'),
  })
  .register(graphTypes, {
    type: 'CredentialRateLimitInput',
    description: 'The most requests with a credential, of all workflows and workers together.',
  });

/** The columns of a credential that hold its limit. */
export const rateColumns = (limit: z.infer<typeof rateLimitInput> | null) => ({
  rateRequests: limit?.requests ?? null,
  ratePeriod: limit?.per ?? null,
  rateBurst: limit ? (limit.burst ?? 1) : null,
});
