import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedSecret = defineAudited({ type: 'secret', actions: ['create', 'update', 'delete'] });
