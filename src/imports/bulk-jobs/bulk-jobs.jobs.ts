import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/** A worker that dies is noticed by its lease, long before this job expires; a repeat finds the bulk job taken up or ended. */
export const runBulkJobJob = defineJob({
  name: 'imports.bulk-job.run',
  schema: z.object({ tenantId: z.string(), bulkJobId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 4 * 3_600,
});
