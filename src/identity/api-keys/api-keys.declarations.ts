import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedApiKey = defineAudited({ type: 'api_key', actions: ['create', 'rotate', 'revoke'] });
