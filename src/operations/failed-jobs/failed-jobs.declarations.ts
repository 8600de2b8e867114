import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedFailedJob = defineAudited({ type: 'failed_job', actions: ['update', 'delete'] });
