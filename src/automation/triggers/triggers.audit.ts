import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedTrigger = defineAudited({ type: 'trigger', actions: ['create', 'update', 'delete'] });
