import { z } from 'zod';
import { defineJob } from '#src/infra/jobs.ts';

/** Makes a revision runnable. A newer revision overtakes: the handler builds the workflow as it then is. */
export const buildWorkflowJob = defineJob({
  name: 'automation.workflow.build',
  schema: z.object({ tenantId: z.string(), workflowId: z.coerce.number().int().positive() }),
  retry: { limit: 5, delay: 1, delayMax: 60 },
  expireInSeconds: 60,
});

/** Stops the live runs of a workflow that was deleted. */
export const stopWorkflowRunsJob = defineJob({
  name: 'automation.workflow.stop-runs',
  schema: z.object({ tenantId: z.string(), workflowId: z.coerce.number().int().positive() }),
  retry: { limit: 5, delay: 1, delayMax: 60 },
  expireInSeconds: 300,
});
