import {
  addNode,
  canConnect,
  type Command,
  connect,
  freeId,
  insertOnEdge,
  place,
} from '#console/automation/editor/model/commands.ts';
import {
  type Edge,
  edgesOf,
  type Graph,
  isTrigger,
  joinPath,
  loopNode,
  loopOf,
  nodeAt,
  nodesOf,
  type NodeUnit,
  placeAt,
  type Point,
} from '#console/automation/editor/model/graph.ts';
import {
  branchesOf,
  type Definition,
  type Definitions,
  headHeight,
  loopPadding,
  nodeWidth,
} from '#console/automation/editor/node-shape.ts';
import { bottom, boxesIn, type Drawing, emptyLoop, right } from './boxes.ts';
import { gap, settle } from './free-space.ts';
import { nodeHeights } from './places.ts';

/** A drawing to which nodes are added. */
export interface Canvas extends Drawing {
  definitions: Definitions;
}

/** A new node by its path, and the command that adds it. */
export interface Added {
  path: string;
  command: Command;
}

function add(
  canvas: Canvas,
  definition: Definition,
  loop: string,
  command: (path: string, unit: NodeUnit) => Command,
): Added {
  const path = joinPath(loop, freeId(canvas.graph, loop, definition.slug));
  const unit = { node: definition.slug, version: `^${definition.version}`, config: {} };
  return { path, command: settled(canvas, [path], command(path, unit)) };
}

/** A command that adds nodes to a loop, with a place for them where nothing lies. */
export const settled =
  (canvas: Canvas, paths: readonly string[], command: Command): Command =>
  (before) => {
    const draw = drawer(canvas);
    const all = place(fixed(canvas))(before);
    return settle(paths, draw(all), draw)(command(all));
  };

/** Draws later graphs of a canvas: what they give no place stays where it was. */
export function drawer({ places, definitions }: Canvas): (graph: Graph) => Drawing {
  const placeIn = (graph: Graph, path: string) => placeAt(graph, path) ?? places.get(path) ?? { x: 0, y: 0 };
  return (graph) => ({
    graph,
    places: new Map(
      [...[...places.keys()].filter(isTrigger), ...nodesOf(graph).keys()].map((path) => [path, placeIn(graph, path)]),
    ),
    heights: nodeHeights(graph, definitions),
  });
}

/** Adds a node at a point of a loop. */
export const addAt = (canvas: Canvas, definition: Definition, { loop, point }: { loop: string; point: Point }): Added =>
  add(canvas, definition, loop, (path, unit) => addNode(path, unit, inLoop(point, loop)));

/** Adds a node after another, along a branch that leads nowhere yet; without one, below what is in the loop. */
export const addAfter = (
  canvas: Canvas,
  definition: Definition,
  { loop, after }: { loop: string; after: string | undefined },
): Added =>
  add(canvas, definition, loop, (path, unit) => (before) => {
    const added = addNode(path, unit, placeAfter(canvas, after, loop))(before);
    if (after === undefined) return added;
    const { graph, definitions } = canvas;
    const from = nodeAt(graph, after);
    const branches = from ? branchesOf(from, definitions.get(from.node)) : [];
    const used = new Set(edgesOf(graph).flatMap((each) => (each.from === after ? [each.branch] : [])));
    const branch = branches.find((each) => !used.has(each)) ?? branches[0] ?? 'default';
    const edge = { from: after, branch, to: path };
    return canConnect(added, edge) ? connect(edge)(added) : added;
  });

/** Adds a node between the ends of an edge. */
export const addInto = (canvas: Canvas, definition: Definition, edge: Edge): Added =>
  add(canvas, definition, loopOf(edge.to), (path, unit) => {
    const [branch = 'default'] = branchesOf(unit, definition);
    const { at, moved } = makeRoom(canvas, edge, unit.node === loopNode ? emptyLoop.width : nodeWidth);
    return (before) => insertOnEdge(edge, path, unit, at, branch)(place(moved)(before));
  });

/** The places that nodes have been given by nobody: they are kept as soon as one node has its own, so that none of them jumps. */
export const fixed = ({ graph, places }: Pick<Drawing, 'graph' | 'places'>): Map<string, Point> =>
  new Map([...places].filter(([path]) => !graph.has(`place:${path}`)));

/** A place that covers neither the name nor the border of the loop around it. */
export const inLoop = ({ x, y }: Point, loop: string): Point =>
  loop === '' ? { x, y } : { x: Math.max(x, loopPadding.side), y: Math.max(y, loopPadding.head) };

/** To the right of the node before it; without one, below what is in the loop. */
function placeAfter(canvas: Canvas, after: string | undefined, loop: string): Point {
  const boxes = boxesIn(canvas, loop);
  const before = after === undefined ? undefined : boxes.get(after);
  if (before) return { x: right(before) + gap.x, y: before.y };
  const nodes = [...boxes].filter(([path]) => !isTrigger(path)).map(([, box]) => bottom(box) + gap.y);
  return inLoop({ x: 16, y: Math.max(16, ...nodes) }, loop);
}

/** A place between the ends of an edge. Where it is too narrow, all from the end on moves to the right. */
function makeRoom(canvas: Canvas, edge: Edge, width: number): { at: Point; moved: Map<string, Point> } {
  const boxes = boxesIn(canvas, loopOf(edge.to));
  const none = { x: 0, y: 0, width: nodeWidth, height: headHeight };
  const from = boxes.get(edge.from) ?? none;
  const to = boxes.get(edge.to) ?? from;
  const missing = right(from) + width + 2 * gap.x - to.x;
  const isWide = missing <= 0;
  const middle = Math.round((from.y + to.y) / 2);
  const at = isWide
    ? { x: Math.round((right(from) + to.x - width) / 2), y: middle }
    : { x: right(from) + gap.x, y: Math.abs(to.y - from.y) < headHeight ? to.y : middle };
  const moving = isWide || to.x < right(from) ? [] : [...boxes].filter(([, { x }]) => x >= to.x);
  return { at, moved: new Map(moving.map(([path, { x, y }]) => [path, { x: x + missing, y }])) };
}
