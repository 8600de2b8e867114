import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedCredential = defineAudited({ type: 'credential', actions: ['create', 'update', 'delete'] });
