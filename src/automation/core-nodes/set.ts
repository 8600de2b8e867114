import { z } from 'zod';
import { defineNode } from './core-node.ts';

export const setNode = defineNode({
  name: 'set',
  config: z.object({ values: z.record(z.string(), z.unknown()) }),
  effect: 'pure',
  execute: ({ values }) => ({ outputs: values }),
});
