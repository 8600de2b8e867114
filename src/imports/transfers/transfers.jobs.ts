import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/** Failures of a server are kept with the transfer and tried again by it. This retries what else may fail. */
export const runTransferJob = defineJob({
  name: 'imports.transfer.run',
  schema: z.object({ tenantId: z.string(), transferId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 2 * 3_600,
});
