import { defineAudited } from '#src/journal/audit/audited.ts';

const actions = ['create', 'update', 'delete', 'run'] as const;

export const auditedImportSchedule = defineAudited({ type: 'import_schedule', node: 'ImportSchedule', actions });
export const auditedExportSchedule = defineAudited({ type: 'export_schedule', node: 'ExportSchedule', actions });
