import { z } from 'zod';
import { defineNode } from './core-node.ts';

export const emitEventNode = defineNode({
  name: 'emit-event',
  config: z.object({
    topic: z
      .string()
      .max(128)
      .regex(
        /^[a-z][a-z0-9_-]*(\.[a-z0-9_-]+)*$/,
        'must be lower-case words with dots between, such as order.created.',
      ),
    data: z.unknown().optional(),
  }),
  effect: 'effect',
  uses: ['events'],
  async execute({ topic, data = null }, ctx) {
    await ctx.ports.events.emit({ topic, data });
    return { outputs: {} };
  },
});
