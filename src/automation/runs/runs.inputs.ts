import { z } from 'zod';

export const resumeRunInput = z.object({
  token: z.guid().describe('Of the step that waits.'),
  data: z.unknown().optional().describe('Becomes the output of the step.'),
});

export const startRunInput = z.object({
  triggerHandle: z.guid().nullish().describe('Without one, the workflow’s active manual trigger.'),
  payload: z.unknown().optional().describe('Any JSON, which the workflow sees as `trigger.payload`.'),
  idempotencyKey: z.string().min(1).max(255).nullish().describe('Repeated, it answers the run it first started.'),
});
