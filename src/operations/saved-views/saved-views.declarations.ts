import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedSavedView = defineAudited({ type: 'saved_view', actions: ['create', 'update', 'delete'] });
