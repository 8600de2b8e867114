import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedStateEntry = defineAudited({ type: 'state_entry', actions: ['create', 'update', 'delete'] });
