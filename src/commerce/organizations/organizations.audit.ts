import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedOrganization = defineAudited({ type: 'organization', actions: ['create', 'update'] });
