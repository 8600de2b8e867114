import { type Graph, isGraph, isObject, type Json } from '#src/automation/workflows/revision-diff.rules.ts';
import { canonicalJson } from '#src/infra/json.ts';

export const conflictKinds = ['node', 'position', 'edge', 'setting'] as const;

/** A change on which the two sides disagree. When a side has no value, its member is absent. */
export interface MergeConflict {
  kind: (typeof conflictKinds)[number];
  /** A node's path of ids (`each/send`), an edge (`each/get.default -> each/send`), or members joined by dots (`settings.concurrency`). */
  path: string;
  base?: unknown;
  mine?: unknown;
  theirs?: unknown;
}

export interface Merge {
  /** Holds my value wherever the two sides disagree. */
  blob: Json;
  conflicts: MergeConflict[];
}

/** The common base of two values and the values themselves; undefined where a side has none. */
interface Sides<Value> {
  base: Value | undefined;
  mine: Value | undefined;
  theirs: Value | undefined;
}

type Conflicts = MergeConflict[];

const emptyGraph: Graph = { nodes: [], edges: [] };

/**
 * Merges two blobs that were made from `base`. A node is one unit, apart from its position and the graph of its loop; an edge is there or not;
 * members of `settings` and `state` are units. An edge that one side drew to or from a node which the other removed is a conflict too.
 * Without a base, everything that differs and that both sides have is a conflict.
 */
export function mergeBlobs(base: unknown, mine: unknown, theirs: unknown): Merge {
  const sides = mapSides({ base: base ?? emptyGraph, mine, theirs }, readGraph);
  const conflicts: Conflicts = [];
  const graph = mergeGraphs(sides, '', conflicts);
  const rest = mergeMembers(mapSides(sides, withoutGraph), [], conflicts);
  return { blob: { ...rest, ...graph }, conflicts };
}

const readGraph = (blob: unknown): Graph => (isGraph(blob) ? blob : emptyGraph);

function withoutGraph({ nodes: _nodes, edges: _edges, ...rest }: Graph): Json {
  return rest;
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one === other || canonicalJson(one) === canonicalJson(other);
}

/** The value of the side that changed it; mine, and that they disagree, where both did. */
function pick<Value>({ base, mine, theirs }: Sides<Value>): { value: Value | undefined; disagree: boolean } {
  if (isSame(mine, theirs) || isSame(base, theirs)) return { value: mine, disagree: false };
  return isSame(base, mine) ? { value: theirs, disagree: false } : { value: mine, disagree: true };
}

const conflict = (
  kind: MergeConflict['kind'],
  path: string,
  { base, mine, theirs }: Sides<unknown>,
): MergeConflict => ({
  kind,
  path,
  ...(base !== undefined && { base }),
  ...(mine !== undefined && { mine }),
  ...(theirs !== undefined && { theirs }),
});

const mapSides = <From, To>({ base, mine, theirs }: Sides<From>, map: (side: From) => To | undefined): Sides<To> => ({
  base: base === undefined ? undefined : map(base),
  mine: mine === undefined ? undefined : map(mine),
  theirs: theirs === undefined ? undefined : map(theirs),
});

/** Deep enough for a namespace in `state.namespaces`; deeper values are units. */
const deepestMember = 3;

function mergeMembers(sides: Sides<Json>, path: readonly string[], conflicts: Conflicts): Json {
  const members = new Set([...Object.keys(sides.mine ?? {}), ...Object.keys(sides.theirs ?? {})]);
  const merged: [string, unknown][] = [];
  for (const member of members) {
    const values = mapSides(sides, (side) => (Object.hasOwn(side, member) ? side[member] : undefined));
    const at = [...path, member];
    const { value, disagree } = pick(values);
    const isDeeper = isObject(values.mine) && isObject(values.theirs) && at.length < deepestMember;
    if (disagree && isDeeper) merged.push([member, mergeMembers(mapSides(values, readObject), at, conflicts)]);
    else if (value !== undefined) merged.push([member, value]);
    if (disagree && !isDeeper) conflicts.push(conflict('setting', at.join('.'), values));
  }
  return Object.fromEntries(merged);
}

const readObject = (value: unknown): Json | undefined => (isObject(value) ? value : undefined);

function mergeGraphs(sides: Sides<Graph>, prefix: string, conflicts: Conflicts): Graph {
  const nodes = mapSides(sides, ({ nodes: listed }) => new Map(listed.map((node) => [String(node['id']), node])));
  const merged = new Map<string, Json>();
  for (const id of new Set([...(nodes.mine?.keys() ?? []), ...(nodes.theirs?.keys() ?? [])])) {
    const node = mergeNodes(
      mapSides(nodes, (byId) => byId.get(id)),
      prefix + id,
      conflicts,
    );
    if (node) merged.set(id, node);
  }
  const edges = mergeEdges(sides, nodes, merged, prefix, conflicts);
  return { nodes: [...merged.values()], edges };
}

function mergeNodes(sides: Sides<Json>, path: string, conflicts: Conflicts): Json | undefined {
  const { value, disagree } = pick(sides);
  if (!disagree) return value;
  const parts = mapSides(sides, splitNode);
  const { mine, theirs } = parts;
  // One side removed the node, or made a loop of it or of a loop another node.
  if (!mine || !theirs || (mine.body === undefined) !== (theirs.body === undefined)) {
    conflicts.push(
      conflict(
        'node',
        path,
        mapSides(parts, ({ unit }) => unit),
      ),
    );
    return sides.mine;
  }
  const merge = <Part>(kind: MergeConflict['kind'], part: (parts: Parts) => Part | undefined): Part | undefined => {
    const values = mapSides(parts, part);
    const picked = pick(values);
    if (picked.disagree) conflicts.push(conflict(kind, path, values));
    return picked.value;
  };
  const unit = merge('node', (of) => of.unit);
  const position = merge('position', (of) => of.position);
  const bodies = mapSides(parts, ({ body }) => body);
  const body = bodies.mine && mergeGraphs({ ...bodies, base: bodies.base ?? emptyGraph }, `${path}/`, conflicts);
  return joinNode({ unit: unit ?? mine.unit, position, body });
}

interface Parts {
  /** The node without its position and without the nodes and edges of its loop. */
  unit: Json;
  position: unknown;
  body: Graph | undefined;
}

function splitNode(node: Json): Parts {
  const { position, ...unit } = node;
  const config = unit['config'];
  const body = isObject(config) && node['node'] === 'core:for-each' ? config['body'] : undefined;
  if (!isGraph(body)) return { unit, position, body: undefined };
  return { unit: { ...unit, config: { ...(config as Json), body: withoutGraph(body) } }, position, body };
}

function joinNode({ unit, position, body }: Parts): Json {
  const node = { ...unit, ...(position !== undefined && { position }) };
  if (!body) return node;
  const config = unit['config'] as Json;
  return { ...node, config: { ...config, body: Object.assign({}, config['body'], body) } };
}

type Edge = NonNullable<Graph['edges']>[number];

/** An edge that names no branch leaves along `default`. */
const edgeKey = (edge: Edge): string =>
  canonicalJson('node' in edge.from ? { ...edge, from: { branch: 'default', ...edge.from } } : edge);

function mergeEdges(
  sides: Sides<Graph>,
  nodes: Sides<ReadonlyMap<string, Json>>,
  merged: ReadonlyMap<string, Json>,
  prefix: string,
  conflicts: Conflicts,
): Edge[] {
  const edges = mapSides(sides, ({ edges: listed = [] }) => new Map(listed.map((edge) => [edgeKey(edge), edge])));
  const kept: Edge[] = [];
  for (const key of new Set([...(edges.mine?.keys() ?? []), ...(edges.theirs?.keys() ?? [])])) {
    const { base, mine, theirs } = mapSides(edges, (byKey) => byKey.get(key));
    const edge = mine ?? theirs;
    if (!edge || (base && !(mine && theirs))) continue;
    const [drawer, other] = mine ? [nodes.mine, nodes.theirs] : [nodes.theirs, nodes.mine];
    const isOnOneSide = !(mine && theirs);
    const removed = edgeEnds(edge).filter((id) => drawer?.has(id) && nodes.base?.has(id) && !other?.has(id));
    const isTorn = isOnOneSide && removed.length > 0;
    if (isTorn) conflicts.push(conflict('edge', edgeName(edge, prefix), { base, mine, theirs }));
    if (!isTorn || removed.every((id) => merged.has(id))) kept.push(edge);
  }
  return kept;
}

const edgeEnds = ({ from, to }: Edge): string[] => ('node' in from ? [from.node, to] : [to]);

function edgeName({ from, to }: Edge, prefix: string): string {
  const source = 'node' in from ? `${prefix}${from.node}.${from.branch ?? 'default'}` : `trigger ${from.trigger}`;
  return `${source} -> ${prefix}${to}`;
}
