import { z } from 'zod';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { defineNode } from './core-node.ts';

export const failNode = defineNode({
  name: 'fail',
  config: z.object({ message: z.string() }),
  effect: 'pure',
  execute({ message }) {
    throw new NodeError('FAILED', message, { failsRun: true });
  },
});
