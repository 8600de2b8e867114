import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedWorkflow = defineAudited({ type: 'workflow', actions: ['create', 'update', 'delete'] });

/** Declared here because deleting a workflow deletes its triggers. */
export const auditedTrigger = defineAudited({ type: 'trigger', actions: ['create', 'update', 'delete'] });
