import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedExtension = defineAudited({ type: 'extension', actions: ['register', 'publish', 'withdraw'] });
