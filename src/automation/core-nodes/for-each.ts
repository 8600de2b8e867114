import { z } from 'zod';
import { workflowGraphSchema } from '#src/automation/blob/blob.inputs.ts';
import { defineControl } from './core-node.ts';

export const forEachConfig = z.object({
  items: z.array(z.unknown()).max(10_000),
  concurrency: z.int().min(1).max(100).default(1),
  body: workflowGraphSchema,
  on_error: z.enum(['fail', 'continue']).default('fail'),
});

/** Runs `body` for each item, `concurrency` at a time; `{results}` keeps the order of the items. */
export const forEachNode = defineControl({ name: 'for-each', config: forEachConfig, deferred: ['body'] });
