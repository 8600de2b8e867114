import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedHttpSource = defineAudited({ type: 'http_source', actions: ['create', 'update', 'delete'] });
