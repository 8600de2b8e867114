import { z } from 'zod';
import { defineNode } from './core-node.ts';

export const stateNamespace = z.string().min(1).max(64);

export const stateKey = z.string().min(1).max(512);

export const stateGetNode = defineNode({
  name: 'state-get',
  config: z.object({ namespace: stateNamespace, key: stateKey, default: z.unknown().optional() }),
  effect: 'effect',
  uses: ['state'],
  async execute({ namespace, key, default: fallback = null }, ctx) {
    const entry = await ctx.ports.state.get(namespace, key);
    if (!entry) return { outputs: { value: fallback, version: 0, found: false } };
    return { outputs: { value: entry.value, version: entry.version, found: true } };
  },
});
