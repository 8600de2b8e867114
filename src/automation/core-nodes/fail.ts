import { z } from 'zod';
import { defineNode } from './core-node.ts';
import { NodeError } from './node-error.ts';

export const failNode = defineNode({
  name: 'fail',
  config: z.object({ message: z.string() }),
  effect: 'pure',
  execute({ message }) {
    throw new NodeError('FAILED', message.slice(0, 2000), { failsRun: true });
  },
});
