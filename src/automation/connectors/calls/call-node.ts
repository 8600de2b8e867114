import { z } from 'zod';
import type { Answer } from '#src/automation/http-calls/read-answer.ts';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { defineBuiltinNode, type NodeResult, type RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import type { ConfigField, JsonSchema, NodeManifest } from '#src/automation/node-api/manifest.ts';
import { readCallPages, wantsPages } from './all-pages.ts';
import { type CallOutputs, isRepeatable, takeBranch } from './answers.ts';
import { findBaseUrl } from './base-url.ts';
import { buildPath } from './path.ts';
import { buildQuery, withQuery } from './query.ts';
import { openCredential, sendCall, type Sending } from './send-call.ts';
import { readValue, type Values } from './values.ts';
import { warnOfFaults } from './warn-of-faults.ts';

/** The parts of a manifest that a node needs to send its request. */
export interface CallManifest {
  slug: string;
  version: string;
  call: ApiCall;
  /** The config fields. Needed only if a field has fields of its own. */
  config?: readonly ConfigField[];
  /** Loads the schemas of the outputs, by branch. Without it, answers are not compared with their description. */
  readSchemas?: () => Promise<NodeManifest['output_schemas']>;
}

/** Prepares the request of a call. */
export async function openSending(
  { call: described, config: fields = [] }: Pick<CallManifest, 'call' | 'config'>,
  values: Values,
  ctx: Sending['ctx'],
): Promise<Sending> {
  // Loaded on first use, because few workers call GraphQL APIs.
  const call =
    described.selection === undefined ? described : (await import('./selection.ts')).withSelection(described, values);
  // Build the path first: if it is invalid, no credential is read.
  const path = buildPath(call, values);
  const credential = await openCredential(call, values, ctx);
  const base = await findBaseUrl(call, values, credential);
  const url = withQuery(base + path, buildQuery(call, values));
  return { call, fields, values, url, base, credential, ctx };
}

/** Returns the result of a call. The readers of envelopes and change sets are loaded on first use, because few workers need them. */
async function readResult(
  { call, values }: Pick<Sending, 'call' | 'values'>,
  sent: { answer: Answer; outputs: CallOutputs },
  hasEdge: (branch: string) => boolean,
): Promise<NodeResult> {
  if (call.soap) return (await import('./soap/soap-result.ts')).soapResult(call, call.soap, sent, hasEdge);
  if (call.body?.as === 'change_set') {
    const { changeSetResult } = await import('./change-sets/change-set-result.ts');
    const writes = readValue(values, call.body.field) as unknown[];
    return changeSetResult(call, { ...sent, writes: writes.length }, hasEdge);
  }
  return { outputs: sent.outputs, branch: takeBranch(call, sent.answer, sent.outputs, hasEdge) };
}

/** Makes a node without code: it sends the request that its manifest describes. */
export const callNode = ({ slug, version, call, config: fields = [], readSchemas }: CallManifest): RunnableNode =>
  defineBuiltinNode({
    slug,
    version,
    config: z.record(z.string(), z.unknown()),
    effect: 'effect',
    uses: ['credentials', 'files', 'http'],
    isRepeatable: isRepeatable(call),
    async execute(values, ctx) {
      const sending = await openSending({ call, config: fields }, values, ctx);
      const selected = sending.call === call ? undefined : await import('./selection.ts');
      const narrow = selected && ((schema: JsonSchema) => selected.selectedSchema(sending.call, schema));
      const noteFaults = (result: NodeResult) => warnOfFaults(result, { readSchemas, narrow, log: ctx.log });
      if (call.paging && wantsPages(call, values))
        return readCallPages(sending, call.paging, { hasEdge: ctx.hasEdge, onFirst: noteFaults });
      const { answer, outputs } = await sendCall(sending);
      const result = await readResult(sending, { answer, outputs }, ctx.hasEdge);
      await noteFaults(result);
      return result;
    },
  });
