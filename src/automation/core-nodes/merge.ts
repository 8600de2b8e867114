import { z } from 'zod';
import { defineNode } from './core-node.ts';

/** The graph has waited for every live branch by the time this runs. */
export const mergeNode = defineNode({
  name: 'merge',
  config: z.object({}),
  effect: 'pure',
  execute: (_, ctx) => ({ outputs: ctx.inputs }),
});
