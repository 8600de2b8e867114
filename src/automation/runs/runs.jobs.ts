import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/**
 * One job drives one run on one worker, from its start or from where a wait, a retry or a crash left it, until it ends
 * or waits. The runs table is authoritative; a lost or duplicated job only affects timing.
 */
export const executeRunJob = defineJob({
  name: 'automation.run.execute',
  schema: z.object({ tenantId: z.string(), runId: z.number().int().positive() }),
  retry: { limit: 20, delay: 5, delayMax: 60 },
  expireInSeconds: 6 * 3600,
  partition: true,
});
