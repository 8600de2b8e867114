import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedRun = defineAudited({
  type: 'workflow_run',
  actions: ['run.started', 'run.finished', 'run.failed'],
});
