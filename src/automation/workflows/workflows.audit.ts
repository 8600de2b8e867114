import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedWorkflow = defineAudited({ type: 'workflow', actions: ['create', 'update', 'delete'] });
