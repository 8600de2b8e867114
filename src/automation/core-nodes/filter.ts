import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { isTrue } from '#src/automation/expressions/truth.ts';
import { condition, defineNode } from './core-node.ts';

/** Expressions resolve within one turn of the event loop, so a long list has to yield to it explicitly. */
const turnMs = 10;

export const filterNode = defineNode({
  name: 'filter',
  config: z.object({ items: z.array(z.unknown()).max(100_000), condition }),
  effect: 'pure',
  deferred: ['condition'],
  async execute({ items }, ctx) {
    const kept: unknown[] = [];
    let turnStarted = performance.now();
    for (const [index, item] of items.entries()) {
      const found = ctx.evaluate('condition', { item, index });
      if (isTrue(found instanceof Promise ? await found : found)) kept.push(item);
      if (performance.now() - turnStarted < turnMs) continue;
      await nextTurn();
      ctx.signal.throwIfAborted();
      turnStarted = performance.now();
    }
    return { outputs: { items: kept } };
  },
});
