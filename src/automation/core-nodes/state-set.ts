import { z } from 'zod';
import { defineNode, given } from './core-node.ts';
import { stateKey, stateNamespace } from './state-get.ts';

export const stateSetNode = defineNode({
  name: 'state-set',
  config: z.object({
    namespace: stateNamespace,
    key: stateKey,
    value: given,
    version: z.int().min(0).optional(),
    ttl_seconds: z.int().min(1).optional(),
  }),
  effect: 'effect',
  uses: ['state'],
  async execute({ namespace, key, value, version, ttl_seconds: ttlSeconds }, ctx) {
    const written = await ctx.ports.state.set({
      namespace,
      key,
      value,
      idempotencyKey: ctx.idempotencyKey,
      ...(version !== undefined && { version }),
      ...(ttlSeconds !== undefined && { ttlSeconds }),
    });
    return { outputs: { version: written.version } };
  },
});
