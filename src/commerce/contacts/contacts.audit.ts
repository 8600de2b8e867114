import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedContact = defineAudited({ type: 'contact', actions: ['create', 'update'] });
