import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedBulkJob = defineAudited({ type: 'bulk_job', actions: ['start', 'cancel'] });
