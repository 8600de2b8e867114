import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedPriceList = defineAudited({ type: 'price_list', actions: ['create', 'update', 'delete'] });
