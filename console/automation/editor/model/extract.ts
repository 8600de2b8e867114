import { writeBlob } from './blob.ts';
import { addNode, type Command, connect, freeId, remove } from './commands.ts';
import { ExtractedReads, type Obstacle } from './extracted-reads.ts';
import {
  type Edge,
  edgeKey,
  edgesOf,
  type Graph,
  isWithin,
  type Json,
  loopOf,
  nodeAt,
  nodeKey,
  nodesOf,
  type NodeUnit,
  placeAt,
  placeKey,
} from './graph.ts';

export interface Extraction {
  /** The blob of the new workflow. */
  blob: Json;
  /** What it reads from outside, by the member of its payload. */
  payload: Readonly<Record<string, string>>;
  /** Puts the node that runs the new workflow in place of the nodes. */
  replace: (workflowId: number) => Command;
}

export const subWorkflow = 'core:sub-workflow';

/**
 * Makes a workflow of nodes of one loop, with what is in their loops. The sub-workflow node at `target` takes their place: what they read
 * from outside becomes its payload, and what others read of them is read of its result.
 */
export function extract(
  graph: Graph,
  paths: readonly string[],
  target: string,
  branches: (unit: NodeUnit) => readonly string[],
): Extraction | { obstacles: Obstacle[] } {
  const loop = loopOf(target);
  const chosen = new Set(paths.filter((path) => nodeAt(graph, path) && loopOf(path) === loop));
  const isOwn = (path: string) => chosen.has(path) || [...chosen].some((one) => isWithin(path, one));
  const nodes = nodesOf(graph);
  const edges = edgesOf(graph);
  const ways = waysThrough(edges, chosen);
  const reads = new ExtractedReads(graph, loop, isOwn);
  const obstacles: Obstacle[] = [...shapeObstacles(graph, chosen, ways, branches)];

  const part = new Map<string, unknown>();
  const inner = (path: string) => (loop === '' ? path : path.slice(loop.length + 1));
  for (const [path, unit] of nodes) {
    if (!isOwn(path)) continue;
    if (unit.node === 'core:respond' && chosen.has(path)) obstacles.push({ kind: 'responds', path });
    part.set(nodeKey(inner(path)), reads.inward(path, unit, obstacles));
    const place = placeAt(graph, path);
    if (place) part.set(placeKey(inner(path)), place);
  }
  for (const { from, branch, to } of edges) {
    if (!isOwn(from) || !isOwn(to)) continue;
    const edge = { from: inner(from), branch, to: inner(to) };
    part.set(edgeKey(edge), edge);
  }
  const isBeside = (path: string) => !isOwn(path) && (loop === '' || isWithin(path, loop));
  for (const [path, unit] of nodes) if (isBeside(path)) reads.outward(path, unit, target, obstacles);
  if (obstacles.length > 0) return { obstacles };

  const payload = reads.inputs();
  return {
    blob: { version: 'v1', ...stateIn(graph), ...writeBlob(withAnswer(part, [...reads.results], branches)) },
    payload,
    replace: (workflowId) => (before) => {
      const first = [...chosen].map((path) => placeAt(before, path)).find((place) => place !== undefined);
      const config = { workflow_id: workflowId, payload };
      const without = remove([...chosen])(before);
      const called = addNode(
        target,
        { node: subWorkflow, version: '^1.0.0', config },
        first ?? { x: 0, y: 0 },
      )(without);
      const rewired = [
        ...ways.into.map(({ from, branch }): Edge => ({ from, branch, to: target })),
        ...ways.out.map(({ to }): Edge => ({ from: target, branch: 'default', to })),
      ].reduce((next, edge) => connect(edge)(next), called);
      const readsAgain = new ExtractedReads(before, loop, isOwn);
      const beside = [...nodesOf(rewired)].filter(([path]) => path !== target && isBeside(path));
      return new Map([
        ...rewired,
        ...beside.map(([path, unit]) => [nodeKey(path), readsAgain.outward(path, unit, target, [])] as const),
      ]);
    },
  };
}

interface Ways {
  into: Edge[];
  out: Edge[];
  within: Edge[];
}

function waysThrough(edges: readonly Edge[], chosen: ReadonlySet<string>): Ways {
  return {
    into: edges.filter(({ from, to }) => chosen.has(to) && !chosen.has(from)),
    out: edges.filter(({ from, to }) => chosen.has(from) && !chosen.has(to)),
    within: edges.filter(({ from, to }) => chosen.has(from) && chosen.has(to)),
  };
}

/** A sub-workflow starts as a whole and goes on along one branch: what the nodes do otherwise cannot be kept. */
function* shapeObstacles(
  graph: Graph,
  chosen: ReadonlySet<string>,
  { into, out, within }: Ways,
  branches: (unit: NodeUnit) => readonly string[],
): Generator<Obstacle> {
  const reached = new Set(within.map(({ to }) => to));
  const starts = [...chosen].filter((path) => !reached.has(path));
  const cause = (path: string) =>
    into
      .filter(({ to }) => to === path)
      .map(({ from, branch }) => `${from}.${branch}`)
      .toSorted()
      .join();
  for (const path of starts) if (cause(path) !== cause(starts[0] ?? path)) yield { kind: 'starts', path };
  for (const path of new Set(into.map(({ to }) => to))) {
    if (reached.has(path)) yield { kind: 'joins', path };
    else if (nodeAt(graph, path)?.node === 'core:merge') yield { kind: 'merges', path };
  }
  for (const path of new Set(out.map(({ to }) => to))) {
    if (nodeAt(graph, path)?.node === 'core:merge') yield { kind: 'merges', path };
    if (into.some(({ from }) => leadsAround(graph, path, from, chosen))) yield { kind: 'between', path };
  }
  const isAvoidable = avoidability(graph, within, branches);
  for (const path of new Set(out.map(({ from }) => from))) {
    const unit = nodeAt(graph, path);
    const isSplit = !unit || branches(unit).length > 1;
    if (isSplit || starts.every((start) => isAvoidable(start, path))) yield { kind: 'branches', path };
  }
}

/** Whether edges lead from one node to another outside of the nodes. */
function leadsAround(graph: Graph, from: string, to: string, chosen: ReadonlySet<string>): boolean {
  const open = [from];
  const seen = new Set<string>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (path === to) return true;
    if (seen.has(path) || chosen.has(path)) continue;
    seen.add(path);
    for (const edge of edgesOf(graph)) if (edge.from === path) open.push(edge.to);
  }
  return false;
}

/** Whether a run that has started at a node can end without passing another: by a branch that does not lead there. */
function avoidability(graph: Graph, within: readonly Edge[], branches: (unit: NodeUnit) => readonly string[]) {
  const next = Map.groupBy(within, ({ from }) => from);
  return (start: string, goal: string): boolean => {
    const known = new Map<string, boolean>([[goal, false]]);
    const isAvoidable = (path: string): boolean => {
      const before = known.get(path);
      if (before !== undefined) return before;
      const unit = nodeAt(graph, path);
      const found = (unit ? branches(unit) : []).some((branch) =>
        (next.get(path) ?? []).filter((edge) => edge.branch === branch).every(({ to }) => isAvoidable(to)),
      );
      known.set(path, found);
      return found;
    };
    return isAvoidable(start);
  };
}

/** Ends the part with an answer of the outputs that others read. */
function withAnswer(part: Graph, ids: readonly string[], branches: (unit: NodeUnit) => readonly string[]): Graph {
  if (ids.length === 0) return part;
  const answer = freeId(part, '', 'core:respond');
  const value = Object.fromEntries(ids.map((id) => [id, `{{ nodes.${id}.outputs }}`]));
  const left = new Set(edgesOf(part).map(({ from }) => from));
  const ends = [...nodesOf(part)].filter(([path]) => loopOf(path) === '' && !left.has(path));
  const unit = { node: 'core:respond', version: '^1.0.0', config: { value } };
  const next = new Map(part).set(nodeKey(answer), unit);
  for (const [from, end] of ends)
    for (const branch of branches(end)) {
      const edge = { from, branch, to: answer };
      next.set(edgeKey(edge), edge);
    }
  return next;
}

/** What the nodes may read and write in the state store is declared by the workflow. */
const stateIn = (graph: Graph): Json =>
  Object.fromEntries(Object.entries(writeBlob(graph)).filter(([name]) => name === 'state'));
