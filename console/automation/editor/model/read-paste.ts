import { readJson } from '#console/graph/exact-numbers.ts';
import { readBlob } from './blob.ts';
import { partMark } from './clipboard.ts';
import { type Graph, isObject, type Json, loopNode, nodesOf } from './graph.ts';

/** Why a text has no graph; another tool is named where it is known. */
export type PasteFault =
  | 'not-json'
  | 'n8n'
  | 'node-red'
  | 'other-tool'
  | 'too-large'
  | 'too-many'
  | 'too-deep'
  | 'bad-ids'
  | 'empty';

/** The nodes of a text with the edges between them; `whole` is the graph of a workflow, with its settings and notes. */
export type Pasted = { part: Graph; whole?: Graph } | { fault: PasteFault };

/** As much as a draft may have. */
export const mostCharacters = 2_097_152;
const mostNodes = 2_000;
const mostLevels = 72;

/** Reads copied nodes, the blob of a workflow, or a workflow as it was exported. */
export function readPaste(text: string): Pasted {
  if (text.length > mostCharacters) return { fault: 'too-large' };
  let value: unknown;
  try {
    value = readJson(text);
  } catch {
    return { fault: 'not-json' };
  }
  if (isDeeper(value, mostLevels)) return { fault: 'too-deep' };
  const blob = blobIn(value);
  if (!blob) return { fault: isN8n(value) ? 'n8n' : isNodeRed(value) ? 'node-red' : 'other-tool' };
  const part = readBlob({ nodes: blob['nodes'], edges: blob['edges'] });
  const { size } = nodesOf(part);
  if (countNodes(blob) === 0) return { fault: 'empty' };
  if (size > mostNodes) return { fault: 'too-many' };
  if (size < countNodes(blob)) return { fault: 'bad-ids' };
  const { kind, ...rest } = blob;
  return kind === partMark ? { part } : { part, whole: readBlob(rest) };
}

/** The nodes of a graph and of the loops in it. */
function countNodes({ nodes }: Json): number {
  if (!Array.isArray(nodes)) return 0;
  const bodies = nodes
    .filter(isObject)
    .map(({ node, config }) => (node === loopNode ? (config as Json)?.['body'] : null));
  return bodies.filter(isObject).reduce((count, body) => count + countNodes(body), nodes.length);
}

/** A node of ours is named `<namespace>:<name>`; other tools write lists of nodes too. */
function blobIn(value: unknown): Json | undefined {
  if (!isObject(value)) return undefined;
  const blob = isObject(value['blob']) ? value['blob'] : value;
  const nodes: unknown = blob['nodes'];
  const isOurs =
    Array.isArray(nodes) &&
    nodes.every((node) => isObject(node) && /^[a-z0-9-]+:[a-z0-9-]+$/.test(String(node['node'])));
  return isOurs ? blob : undefined;
}

/** n8n wires nodes by name, under `connections`. */
const isN8n = (value: unknown): boolean =>
  isObject(value) && Array.isArray(value['nodes']) && isObject(value['connections']);

/** A flow of Node-RED is a list of nodes, each with the ids that its wires lead to. */
const isNodeRed = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((node) => isObject(node) && typeof node['type'] === 'string' && typeof node['id'] === 'string');

/** Level by level, because a walk into the depth would exhaust the stack. */
function isDeeper(value: unknown, levels: number): boolean {
  let level = [value];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return false;
  }
  return true;
}
