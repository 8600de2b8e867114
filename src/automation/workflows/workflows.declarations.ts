import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';
import { defineAudited } from '#src/journal/audit/audited.ts';

export const auditedWorkflow = defineAudited({
  type: 'workflow',
  node: 'Workflow',
  actions: ['create', 'update', 'delete'],
});

/** Declared here because deleting a workflow deletes its triggers. */
export const auditedTrigger = defineAudited({
  type: 'trigger',
  node: 'Trigger',
  actions: ['create', 'update', 'delete', 'rewind', 'poll'],
});

/** Makes a workflow runnable. The handler always builds the current revision. */
export const buildWorkflowJob = defineJob({
  name: 'automation.workflow.build',
  schema: z.object({ tenantId: z.string(), workflowId: z.coerce.number().int().positive() }),
  retry: { limit: 5, delay: 1, delayMax: 60 },
  expireInSeconds: 60,
});

/** Stops the active runs of a deleted workflow. */
export const stopWorkflowRunsJob = defineJob({
  name: 'automation.workflow.stop-runs',
  schema: z.object({ tenantId: z.string(), workflowId: z.coerce.number().int().positive() }),
  retry: { limit: 5, delay: 1, delayMax: 60 },
  expireInSeconds: 300,
});
