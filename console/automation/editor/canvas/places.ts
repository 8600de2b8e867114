import {
  type Edge,
  edgesOf,
  type Graph,
  isEmptyLoop,
  isTrigger,
  loopOf,
  nodeAt,
  nodesOf,
  placeAt,
  type Point,
  triggerPath,
} from '#console/automation/editor/model/graph.ts';
import {
  branchesOf,
  type Definitions,
  headHeight,
  heightOf,
  loopPadding,
  nodeWidth,
} from '#console/automation/editor/node-shape.ts';
import { layoutGraph, type Measures } from '#console/automation/flow/graph-layout.ts';
import { emptyLoop } from './boxes.ts';

/** The height of a node by its path, in pixels. */
export type Heights = (path: string) => number;

/** The heights of the nodes of a graph without what is in them; a trigger is as high as a node with one branch. */
export const nodeHeights =
  (graph: Graph, definitions: Definitions): Heights =>
  (path) => {
    const unit = nodeAt(graph, path);
    return unit ? heightOf(branchesOf(unit, definitions.get(unit.node))) : headHeight;
  };

const flat: Heights = () => headHeight;

const measures = (graph: Graph, heights: Heights): Measures => ({
  node: (path) => (isEmptyLoop(graph, path) ? emptyLoop : { width: nodeWidth, height: heights(path) }),
  gap: { x: 72, y: 24 },
  loop: { padding: loopPadding.side, head: loopPadding.head },
  line: headHeight,
});

/** Places for all nodes and triggers, in layers from left to right; those in loops are relative to their loop. */
export function arrange(graph: Graph, handles: readonly string[], heights = flat): Map<string, Point> {
  const triggers = handles.map(triggerPath);
  const paths = [...triggers, ...nodesOf(graph).keys()];
  const { nodes } = layoutGraph(paths, [...edgesOf(graph), ...impliedEdges(graph, handles)], measures(graph, heights));
  const absolute = new Map(nodes.map(({ path, x, y }) => [path, { x, y }]));
  return new Map(
    nodes.map(({ path, x, y }) => {
      const loop = isTrigger(path) ? undefined : absolute.get(loopOf(path));
      return [path, loop ? { x: x - loop.x, y: y - loop.y } : { x, y }];
    }),
  );
}

/** A trigger without edges of its own starts every node that nothing leads to. */
export function impliedEdges(graph: Graph, handles: readonly string[]): Edge[] {
  const edges = edgesOf(graph);
  const drawn = new Set(edges.map(({ from }) => from));
  const reached = new Set(edges.map(({ to }) => to));
  const first = [...nodesOf(graph).keys()].filter((path) => loopOf(path) === '' && !reached.has(path));
  const free = handles.map(triggerPath).filter((path) => !drawn.has(path));
  return free.flatMap((from) => first.map((to) => ({ from, branch: 'default', to })));
}

/** The place of each node and trigger: the one that it was given, else that of the arrangement. */
export function placesOf(graph: Graph, handles: readonly string[], heights = flat): Map<string, Point> {
  const paths = [...nodesOf(graph).keys()];
  const triggers = handles.map(triggerPath);
  const isPut = (path: string) => placeAt(graph, path) !== undefined;
  if (!paths.some(isPut)) {
    const arranged = arrange(graph, handles, heights);
    return new Map([...triggers, ...paths].map((path) => [path, placeAt(graph, path) ?? placeIn(arranged, path)]));
  }
  const arranged = paths.every(isPut) ? new Map<string, Point>() : arrange(graph, [], heights);
  const places = new Map(paths.map((path) => [path, placeAt(graph, path) ?? placeIn(arranged, path)]));
  const starts = [...edgesOf(graph), ...impliedEdges(graph, handles)];
  for (const [index, trigger] of triggers.entries()) {
    const started = starts.filter(({ from }) => from === trigger).flatMap(({ to }) => places.get(to) ?? []);
    places.set(trigger, placeAt(graph, trigger) ?? leftOf(started, index));
  }
  return places;
}

const placeIn = (arranged: ReadonlyMap<string, Point>, path: string): Point => arranged.get(path) ?? { x: 0, y: 0 };

/** Triggers that were not put anywhere stand below each other, left of what they start. */
const leftOf = (started: readonly Point[], index: number): Point => ({
  x: Math.min(0, ...started.map(({ x }) => x)) - nodeWidth - 72,
  y: (started[0]?.y ?? 0) + index * 64,
});
