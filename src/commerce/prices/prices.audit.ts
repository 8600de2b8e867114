import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedPrice = defineAudited({ type: 'price', actions: ['upsert'] });
