import { z } from 'zod';
import { isTrue } from '#src/automation/expressions/truth.ts';
import { condition, defineNode } from './core-node.ts';

export const ifNode = defineNode({
  name: 'if',
  config: z.object({ condition }),
  effect: 'pure',
  deferred: ['condition'],
  async execute(_, ctx) {
    return { outputs: {}, branch: isTrue(await ctx.evaluate('condition')) ? 'true' : 'false' };
  },
});
