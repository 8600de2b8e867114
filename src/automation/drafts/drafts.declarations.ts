import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedDraft = defineAudited({
  type: 'workflow_draft',
  node: 'Workflow',
  actions: ['save', 'publish', 'discard'],
});
