import { z } from 'zod';
import { defineNode } from './core-node.ts';

export const respondNode = defineNode({
  name: 'respond',
  config: z.object({ value: z.unknown().optional() }),
  effect: 'pure',
  execute({ value = null }) {
    return { outputs: { value }, response: { value } };
  },
});
