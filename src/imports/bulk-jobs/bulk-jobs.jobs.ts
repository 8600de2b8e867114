import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/** The lease shows that a worker has died, long before this job expires. A repeat finds the bulk job taken or ended. */
export const runBulkJobJob = defineJob({
  name: 'imports.bulk-job.run',
  schema: z.object({ tenantId: z.string(), bulkJobId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 4 * 3_600,
});
