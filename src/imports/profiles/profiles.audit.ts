import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedImportProfile = defineAudited({ type: 'import_profile', actions: ['create', 'update', 'delete'] });
