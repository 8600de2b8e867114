import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedAttribute = defineAudited({ type: 'attribute', actions: ['create', 'update', 'delete'] });
