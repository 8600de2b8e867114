import { learnFrom } from '#src/automation/expressions/derived-values.ts';
import type { KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import type { NodeContext, NodeResult, RunnableNode } from './builtin-node.ts';
import { isFileId } from './file-reference.ts';

/** Up to this many characters of the config's JSON are searched for texts that are not derived from a secret. */
const maxSearched = 256 * 1024;

/**
 * Executes a built-in node. A node that only computes may split secrets or rewrite them, so derived values are learned: those that change
 * when it computes again with decoys in place of the secrets. Values that redaction covers anyway, and texts that its config contains
 * beside the secrets, are left out.
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
  const listValues = ({ outputs, branch }: NodeResult) => [Object.values(outputs), branch];
  const work = async () => listValues((result = await node.execute(config, ctx)));
  return learnFrom(known, {
    work,
    again: async () => listValues(await node.execute(decoys, ctx)),
    isHarmless: (text, other) =>
      // Each execution makes a new file.
      isFileId(text) ||
      (typeof other === 'string' && known.differInSecretsOnly(text, other)) ||
      beside.includes(JSON.stringify(text).slice(1, -1)),
  }).then(() => result as NodeResult);
}
