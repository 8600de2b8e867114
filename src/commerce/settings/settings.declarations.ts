import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedCommerceSettings = defineAudited({ type: 'commerce_settings', actions: ['update'] });
