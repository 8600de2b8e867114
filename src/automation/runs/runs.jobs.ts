import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/**
 * One job is one stretch of one run on one worker: from the start, or from where a wait, a retry or a crash left it. The run
 * table is the truth; a job that is lost or doubled changes nothing but the time.
 */
export const executeRunJob = defineJob({
  name: 'automation.run.execute',
  schema: z.object({ tenantId: z.string(), runId: z.number().int().positive() }),
  retry: { limit: 20, delay: 5, delayMax: 60 },
  expireInSeconds: 6 * 3600,
  partition: true,
});
