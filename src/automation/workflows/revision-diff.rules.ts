import { isDeepStrictEqual } from 'node:util';
import { canonicalJson, sameJson } from '#src/infra/json.ts';

export type Json = Record<string, unknown>;

/** One value that differs. When a side has no value at the path, its member is absent. */
export interface Change {
  /**
   * Members and indexes joined by dots: `config.cases.0.equals`; a member that is not a plain word is quoted as JSON. A very
   * long path is truncated.
   */
  path: string;
  from?: unknown;
  to?: unknown;
}

export interface ChangedNode {
  /** Inside a loop, a path of ids: `each/send`. */
  id: string;
  changes: Change[];
}

/** An edge as in the blob, with the ids of a loop's nodes as paths. */
export type DiffEdge = { from: { trigger: string } | { node: string; branch?: string }; to: string };

export interface BlobDiff {
  /** Nodes in full, but without the nodes and edges of their loops; the `id` of a node inside a loop is a path. */
  nodes: { added: Json[]; removed: Json[]; changed: ChangedNode[] };
  edges: { added: DiffEdge[]; removed: DiffEdge[] };
  settings: Change[];
  state: Change[];
  /** Only the order of nodes or edges differs, which has no effect when a workflow runs. */
  reordered: boolean;
}

/** A blob with its loops flattened: every node under its path, without its own loop's nodes and edges. */
interface FlatBlob {
  nodes: Map<string, Json>;
  edges: DiffEdge[];
  rest: Json;
}

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Graph extends Json {
  nodes: Json[];
  edges?: DiffEdge[];
}

/** True when nodes have unique ids and edges can be followed, as in every accepted blob and every body of a loop. */
export function isGraph(value: unknown): value is Graph {
  if (!isObject(value) || !Array.isArray(value['nodes'])) return false;
  const ids = value['nodes'].map((node: unknown) => (isObject(node) ? node['id'] : undefined));
  const edges: unknown = value['edges'] ?? [];
  return (
    ids.every((id) => typeof id === 'string') &&
    new Set(ids).size === ids.length &&
    Array.isArray(edges) &&
    edges.every((edge: unknown) => isObject(edge) && isObject(edge['from']))
  );
}

/** The graph without its nodes and edges, which are compared separately; empty lists show that they existed. */
const graphShell = (graph: Graph): Json => ({ ...graph, nodes: [], ...(graph.edges && { edges: [] }) });

function flatten(blob: unknown): FlatBlob {
  const flat: FlatBlob = {
    nodes: new Map(),
    edges: [],
    rest: isGraph(blob) ? graphShell(blob) : { ...(blob as Json) },
  };
  if (isGraph(blob)) openGraph(blob, '', flat);
  return flat;
}

function openGraph(graph: Graph, prefix: string, flat: FlatBlob): void {
  for (const node of graph.nodes) {
    const id = `${prefix}${String(node['id'])}`;
    const config = node['config'];
    const body = isObject(config) && node['node'] === 'core:for-each' ? config['body'] : undefined;
    if (!isGraph(body)) {
      flat.nodes.set(id, { ...node, id });
      continue;
    }
    flat.nodes.set(id, { ...node, id, config: { ...(config as Json), body: graphShell(body) } });
    openGraph(body, `${id}/`, flat);
  }
  for (const edge of graph.edges ?? []) {
    const from = 'node' in edge.from ? { ...edge.from, node: prefix + edge.from.node } : edge.from;
    flat.edges.push({ ...edge, from, to: prefix + edge.to });
  }
}

/** Where a comparison stops: two blobs of 1 MiB can differ in half a million values, each with a path as long as its keys. */
const maxChanges = 10_000;
/** The most characters of a path, and of a member in one. */
const longestPath = 1_000;

/**
 * The changes that turn one stored blob into another. Up to 10,000 changes are complete, and swapping the blobs swaps every
 * `added` with `removed` and every `from` with `to`.
 */
export function diffBlobs(from: unknown, to: unknown): BlobDiff {
  const [before, after] = [flatten(from), flatten(to)];
  let left = maxChanges;
  const compare = (one: unknown, other: unknown): Change[] => {
    const changes = compareJson(one, other, left);
    left -= changes.length;
    return changes;
  };
  const changed = [...before.nodes].flatMap(([id, node]): ChangedNode[] => {
    const other = after.nodes.get(id);
    const changes = other === undefined ? [] : compare(node, other);
    return changes.length > 0 ? [{ id, changes }] : [];
  });
  const nodes = { added: missing(after.nodes, before.nodes), removed: missing(before.nodes, after.nodes), changed };
  const edges = { added: without(after.edges, before.edges), removed: without(before.edges, after.edges) };
  const rest = compare(before.rest, after.rest);
  const isState = ({ path }: Change) => path === 'state' || path.startsWith('state.');
  const lists = [...Object.values(nodes), ...Object.values(edges), rest];
  return {
    nodes: { ...nodes, changed: changed.toSorted((a, b) => (a.id < b.id ? -1 : 1)) },
    edges,
    settings: rest.filter((change) => !isState(change)),
    state: rest.filter(isState),
    reordered: lists.every((list) => list.length === 0) && !sameJson(from, to),
  };
}

const missing = (nodes: ReadonlyMap<string, Json>, others: ReadonlyMap<string, Json>): Json[] =>
  [...nodes].flatMap(([id, node]) => (others.has(id) ? [] : [node]));

/** The edges that occur more often here than in `others`. */
function without(edges: readonly DiffEdge[], others: readonly DiffEdge[]): DiffEdge[] {
  const left = new Map<string, number>();
  for (const key of others.map(canonicalJson)) left.set(key, (left.get(key) ?? 0) + 1);
  return edges.filter((edge) => {
    const key = canonicalJson(edge);
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

/** The first `most` changes that turn one JSON value into another. */
export const compareJson = (from: unknown, to: unknown, most: number): Change[] => [
  ...differences(from, to, []).take(most),
];

/** The smallest values that differ, members in alphabetical order. */
function* differences(from: unknown, to: unknown, path: readonly string[]): Generator<Change, undefined> {
  if (Array.isArray(from) && Array.isArray(to)) {
    for (let index = 0; index < Math.max(from.length, to.length); index += 1)
      yield* inMember(from as never, to as never, String(index), path);
  } else if (isObject(from) && isObject(to)) {
    for (const member of [...new Set([...Object.keys(from), ...Object.keys(to)])].toSorted())
      yield* inMember(from, to, member, path);
  } else if (!isDeepStrictEqual(from, to)) yield { path: formatPath(path), from, to };
}

function* inMember(from: Json, to: Json, member: string, parent: readonly string[]): Generator<Change, undefined> {
  const path = [...parent, member];
  const [inFrom, inTo] = [Object.hasOwn(from, member), Object.hasOwn(to, member)];
  if (inFrom && inTo) yield* differences(from[member], to[member], path);
  else yield { path: formatPath(path), ...(inFrom && { from: from[member] }), ...(inTo && { to: to[member] }) };
}

function formatPath(path: readonly string[]): string {
  let text = '';
  for (const member of path) {
    if (text.length > longestPath) break;
    const word = member.slice(0, longestPath);
    text += `${text === '' ? '' : '.'}${/^[\w-]+$/.test(word) ? word : JSON.stringify(word)}`;
  }
  return text;
}
