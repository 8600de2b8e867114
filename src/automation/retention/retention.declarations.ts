import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedRetention = defineAudited({ type: 'retention', actions: ['update'] });
