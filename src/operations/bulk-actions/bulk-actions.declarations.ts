import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedBulkAction = defineAudited({
  type: 'bulk_action',
  node: 'BulkAction',
  actions: ['start', 'cancel', 'continue'],
});

/** The lease shows that a worker has died, long before this job expires. A repeat finds the action taken or ended. */
export const runBulkActionJob = defineJob({
  name: 'operations.bulk-action.run',
  schema: z.object({ tenantId: z.string(), bulkActionId: z.int() }),
  retry: { limit: 2, delay: 5 },
  expireInSeconds: 4 * 3_600,
});
