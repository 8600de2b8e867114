import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedApiKey = defineAudited({
  type: 'api_key',
  node: 'ApiKey',
  actions: ['create', 'rotate', 'revoke'],
});
