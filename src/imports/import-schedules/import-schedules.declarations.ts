import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedImportSchedule = defineAudited({
  type: 'import_schedule',
  actions: ['create', 'update', 'delete', 'run'],
});
