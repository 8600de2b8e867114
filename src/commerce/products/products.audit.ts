import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedProduct = defineAudited({ type: 'product', actions: ['create', 'update', 'delete'] });
