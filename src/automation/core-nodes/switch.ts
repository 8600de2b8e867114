import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { branchName } from '#src/automation/blob/blob.inputs.ts';
import { defineNode } from './core-node.ts';

export const switchNode = defineNode({
  name: 'switch',
  config: z.object({
    value: z.unknown().optional(),
    cases: z.array(z.object({ equals: z.unknown().optional(), branch: branchName })).max(100),
  }),
  effect: 'pure',
  execute({ value, cases }) {
    const found = cases.find(({ equals }) => isDeepStrictEqual(equals ?? null, value ?? null));
    return { outputs: {}, branch: found?.branch ?? 'default' };
  },
});
