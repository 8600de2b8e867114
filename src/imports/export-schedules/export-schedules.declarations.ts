import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedExportSchedule = defineAudited({
  type: 'export_schedule',
  actions: ['create', 'update', 'delete', 'run'],
});
