import { writeBlob } from './blob.ts';
import { apply, type Change } from './changes.ts';
import { freeId } from './commands.ts';
import {
  type Edge,
  edgeKey,
  edgesOf,
  type Graph,
  isObject,
  isWithin,
  joinPath,
  type Json,
  loopOf,
  nodeKey,
  nodesOf,
  type NodeUnit,
  placeKey,
  type Point,
} from './graph.ts';
import { nodeRead, renameInExpressions } from './references.ts';

/** The mark of copied nodes, by which a paste tells them from a whole workflow. */
export const partMark = 'causeway/nodes';

/** The fields of a node whose values stay behind, or members of those by their path: they name a credential of the tenant, or are a secret themselves. */
export type PrivateFields = (unit: NodeUnit) => readonly string[];

/** Nodes with their loops and the edges between them, as JSON for the clipboard; without what is private. */
export function copy(graph: Graph, paths: readonly string[], privateFields: PrivateFields): string {
  const loop = loopOf(paths[0] ?? '');
  const taken = [...nodesOf(graph)].filter(([path]) => paths.some((one) => path === one || isWithin(path, one)));
  const inner = (path: string) => (loop === '' ? path : path.slice(loop.length + 1));
  const part = new Map<string, unknown>();
  for (const [path, unit] of taken) {
    part.set(nodeKey(inner(path)), withoutPrivate(unit, privateFields));
    const place = graph.get(placeKey(path));
    if (place) part.set(placeKey(inner(path)), place);
  }
  for (const { from, branch, to } of edgesOf(graph)) {
    if (!taken.some(([path]) => path === from) || !taken.some(([path]) => path === to)) continue;
    const edge = { from: inner(from), branch, to: inner(to) };
    part.set(edgeKey(edge), edge);
  }
  return JSON.stringify({ kind: partMark, ...writeBlob(part) }, null, 2);
}

/** The whole graph with its settings and notes, as JSON; without what is private. */
export function copyWhole(graph: Graph, name: string, privateFields: PrivateFields): string {
  const bare = new Map(graph);
  for (const [path, unit] of nodesOf(graph)) bare.set(nodeKey(path), withoutPrivate(unit, privateFields));
  return JSON.stringify({ name, blob: writeBlob(bare) }, null, 2);
}

function withoutPrivate(unit: NodeUnit, privateFields: PrivateFields): NodeUnit {
  const hidden = new Set(privateFields(unit));
  if (hidden.size === 0) return unit;
  const bare = (value: unknown, within: string): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => bare(item, `${within}${index}.`));
    if (!isObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => !hidden.has(within + name));
    return Object.fromEntries(kept.map(([name, member]) => [name, bare(member, `${within}${name}.`)]));
  };
  return { ...unit, config: bare(unit.config, '') as Json };
}

/** Puts a pasted part into a loop, its top left corner at a point, with ids that are free there. Returns the paths of its outermost nodes, and how many edges were left out. */
export function paste(
  graph: Graph,
  part: Graph,
  { loop, at }: { loop: string; at: Point },
): { graph: Graph; paths: string[]; leftOut: number } {
  const outer = [...nodesOf(part).keys()].filter((path) => loopOf(path) === '');
  const corner = cornerOf(part, outer);
  const changes: Change[] = [];
  const renamed = new Map<string, string>();
  const taken = new Map(graph);
  for (const id of outer) {
    const free = freeId(taken, loop, `:${id}`);
    renamed.set(id, free);
    taken.set(nodeKey(joinPath(loop, free)), null);
  }
  const target = (path: string) => {
    const [id = '', ...rest] = path.split('/');
    return joinPath(loop, [renamed.get(id) ?? id, ...rest].join('/'));
  };
  const newId = (reader: string) => (id: string) => {
    const to = renamed.get(nodeRead(part, reader, id) ?? '');
    return to === id ? undefined : to;
  };
  const set = (key: string, to: unknown) => changes.push({ key, from: undefined, to });
  for (const [path, unit] of nodesOf(part)) {
    set(nodeKey(target(path)), renameInExpressions(unit, newId(path)));
    const place = part.get(placeKey(path)) as Point | undefined;
    if (!place) continue;
    const isOuter = loopOf(path) === '';
    set(placeKey(target(path)), isOuter ? { x: place.x - corner.x + at.x, y: place.y - corner.y + at.y } : place);
  }
  const kept = withoutCircles(part);
  for (const { from, branch, to } of kept) {
    const edge = { from: target(from), branch, to: target(to) };
    set(edgeKey(edge), edge);
  }
  const leftOut = edgesOf(part).length - kept.length;
  return { graph: apply(graph, changes), paths: outer.map((id) => target(id)), leftOut };
}

function cornerOf(part: Graph, paths: readonly string[]): Point {
  const places = paths.flatMap((path) => (part.get(placeKey(path)) as Point | undefined) ?? []);
  if (places.length === 0) return { x: 0, y: 0 };
  return { x: Math.min(...places.map(({ x }) => x)), y: Math.min(...places.map(({ y }) => y)) };
}

/** The edges of a part between its nodes. One that closes a circle is left out: a graph with circles cannot run. */
function withoutCircles(part: Graph): Edge[] {
  const nodes = nodesOf(part);
  const inner = edgesOf(part).filter(({ from, to }) => nodes.has(from) && nodes.has(to) && loopOf(from) === loopOf(to));
  const leaving = Map.groupBy(inner, ({ from }) => from);
  const closing = new Set<Edge>();
  // Each node is entered once: ways through a graph of many branches are too many to be followed one by one.
  const entered = new Set<string>();
  const onWay = new Set<string>();
  const enter = (path: string): void => {
    entered.add(path);
    onWay.add(path);
    for (const edge of leaving.get(path) ?? []) {
      if (onWay.has(edge.to)) closing.add(edge);
      else if (!entered.has(edge.to)) enter(edge.to);
    }
    onWay.delete(path);
  };
  for (const path of nodes.keys()) if (!entered.has(path)) enter(path);
  return inner.filter((edge) => !closing.has(edge));
}
