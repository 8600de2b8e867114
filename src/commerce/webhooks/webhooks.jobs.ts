import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/** Gives up what waits for a deleted destination, in case the process that deleted it ended before it was done with that. */
export const giveUpDeletedJob = defineJob({
  name: 'commerce.webhook.give-up',
  schema: z.object({
    tenantId: z.string(),
    destinationId: z.int().positive(),
    /** Up to where its queue had been worked off. */
    sentTo: z.int().nonnegative(),
  }),
  retry: { limit: 5, delay: 1, delayMax: 60 },
  expireInSeconds: 600,
});
