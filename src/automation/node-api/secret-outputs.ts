import { learnFrom } from '#src/automation/expressions/derived-values.ts';
import type { KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import type { NodeContext, NodeResult, RunnableNode } from './builtin-node.ts';

/** Texts up to this length in JSON are searched for what was there before. */
const maxSearched = 256 * 1024;

/**
 * Executes a built-in node. One that only computes may take secrets apart or write them in another form, so what it makes of them
 * is learned: what changes when it computes again with decoys in their place. Not what redaction covers, and no text that its
 * config holds beside the secrets.
 */
export function executeNode(
  node: RunnableNode,
  config: unknown,
  ctx: NodeContext,
  known: KnownSecrets,
): NodeResult | Promise<NodeResult> {
  const decoys = node.effect === 'pure' ? known.withDecoys(config) : config;
  if (decoys === config) return node.execute(config, ctx);
  const beside = JSON.stringify(decoys).slice(0, maxSearched);
  let result: NodeResult | undefined;
  // The names of the outputs are the node's own.
  const valuesOf = ({ outputs, branch }: NodeResult) => [Object.values(outputs), branch];
  const work = async () => valuesOf((result = await node.execute(config, ctx)));
  return learnFrom(known, {
    work,
    again: async () => valuesOf(await node.execute(decoys, ctx)),
    isHarmless: (text, other) =>
      (typeof other === 'string' && known.differInSecretsOnly(text, other)) ||
      beside.includes(JSON.stringify(text).slice(1, -1)),
  }).then(() => result as NodeResult);
}
