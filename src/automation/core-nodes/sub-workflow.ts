import { z } from 'zod';
import { defineControl } from './core-node.ts';

export const subWorkflowConfig = z.object({
  workflow_id: z.int().min(1),
  payload: z.unknown().optional(),
  wait: z.boolean().default(true),
});

/** Starts a run of another workflow and, unless `wait` is false, waits for its result. */
export const subWorkflowNode = defineControl({ name: 'sub-workflow', config: subWorkflowConfig });
