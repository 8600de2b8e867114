import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/** A transfer stores failures of its server and repeats its run itself. The job retries all other failures. */
export const runTransferJob = defineJob({
  name: 'imports.transfer.run',
  schema: z.object({ tenantId: z.string(), transferId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 2 * 3_600,
});
