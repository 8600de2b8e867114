import { z } from 'zod';
import { workflowGraphSchema } from '#src/automation/blob/blob.inputs.ts';
import { defineControl } from './core-node.ts';

/** The most items of a loop. */
export const maxItems = 10_000;

export const forEachConfig = z
  .object({
    items: z.array(z.unknown()).max(maxItems),
    concurrency: z.int().min(1).max(100).default(1),
    body: workflowGraphSchema,
    on_error: z.enum(['fail', 'continue']).default('fail'),
    /** An output of a node in the body, as `<node>.<output>`. Its value becomes one more item, unless it is null. */
    next: z.string().max(256).nullish(),
  })
  .superRefine(({ next, concurrency, on_error: onError, body }, check) => {
    if (next == null || next === '') return;
    const refuse = (path: string, message: string) => check.addIssue({ code: 'custom', path: [path], message });
    const [id, output] = splitOutput(next);
    if (output === '' || !body.nodes.some((node) => node.id === id))
      refuse('next', 'must name a node of the body and its output, such as read.next.');
    if (concurrency > 1) refuse('concurrency', 'must be 1 with next, because each item comes from the one before.');
    if (onError === 'continue') refuse('on_error', 'must be fail with next, because a failed item has no next one.');
  });

/** Splits `read.next` into the id of a node and the place in its outputs. */
export const splitOutput = (next: string): [id: string, output: string] => {
  const dot = next.indexOf('.');
  return dot < 0 ? [next, ''] : [next.slice(0, dot), next.slice(dot + 1)];
};

/**
 * Runs `body` for each item, `concurrency` at a time; `{results}` keeps the order of the items. With `next`, an output of the body becomes
 * one more item, so the loop runs until that is null.
 */
export const forEachNode = defineControl({ name: 'for-each', config: forEachConfig, deferred: ['body'] });
