import type { Edge as FlowEdge, Node as FlowNode } from '@xyflow/react';
import type { EditorWorkflow } from '#console/automation/editor/editor.documents.ts';
import { editorWords as w } from '#console/automation/editor/editor.words.ts';
import {
  type Edge,
  edgeKey,
  edgesOf,
  type Graph,
  idOf,
  isEmptyLoop,
  loopNode,
  loopOf,
  nodesOf,
  noteKey,
  notesOf,
  pinKey,
  type Point,
  triggerPath,
} from '#console/automation/editor/model/graph.ts';
import { isSame } from '#console/automation/editor/model/same.ts';
import {
  branchesOf,
  branchTop,
  type Definitions,
  headHeight,
  heightOf,
  nodeWidth,
} from '#console/automation/editor/node-shape.ts';
import { wasTaken } from '#console/automation/flow/was-taken.ts';
import type { ResultOf } from '#console/graph/graphql.ts';
import { loopSizes, type Size } from './boxes.ts';
import { impliedEdges, nodeHeights } from './places.ts';

export type Workflow = NonNullable<ResultOf<typeof EditorWorkflow>['workflow']>;
export type Trigger = Workflow['triggers'][number];

/** The state of a node in a run: its tone, in words, and the branches that it went along. */
export interface NodeMark {
  tone: 'running' | 'succeeded' | 'waiting' | 'failed' | 'cancelled';
  text: string;
  branches?: readonly string[] | undefined;
}

export interface NodeData extends Record<string, unknown> {
  name: string;
  /** What it is a node of, in words. */
  kind: string;
  branches: readonly string[];
  isTrigger: boolean;
  isLoop: boolean;
  /** A loop with nothing in it. */
  isEmpty?: boolean;
  isUnknown: boolean;
  /** How many problems it has. */
  problems: number;
  /** Its state in the run that is shown. */
  mark?: NodeMark | undefined;
  isPinned?: boolean;
  /** The state is of a node that has changed since. */
  isStale?: boolean;
}

export type CanvasNode = FlowNode<NodeData, 'step' | 'note'>;
export type CanvasEdge = FlowEdge<{ edge: Edge }>;

interface Drawn {
  graph: Graph;
  triggers: readonly Trigger[];
  definitions: Definitions;
  places: ReadonlyMap<string, Point>;
  /** By path. */
  problems: ReadonlyMap<string, number>;
  selected: ReadonlySet<string>;
  /** What the run that is shown did; absent where none is. */
  trial?: { marks: ReadonlyMap<string, NodeMark>; stale: ReadonlySet<string> };
}

/** The elements of the canvas. A loop comes before the nodes in it, as the library requires. */
export function elementsOf(drawn: Drawn): Elements {
  const { graph, triggers, selected } = drawn;
  const units = [...nodesOf(graph)].toSorted(([one], [other]) => one.split('/').length - other.split('/').length);
  const sizes = loopSizes({ ...drawn, heights: nodeHeights(graph, drawn.definitions) });
  const nodes = [
    ...triggers.map(({ handle, name, type }) =>
      element(triggerPath(handle), drawn, {
        name,
        kind: type,
        branches: ['default'],
        isTrigger: true,
        isLoop: false,
        isUnknown: false,
        problems: 0,
        mark: drawn.trial?.marks.get(triggerPath(handle)),
      }),
    ),
    ...units.map(([path, unit]) => {
      const definition = drawn.definitions.get(unit.node);
      const data = {
        name: idOf(path),
        kind: definition?.name ?? unit.node,
        branches: branchesOf(unit, definition),
        isTrigger: false,
        isLoop: unit.node === loopNode,
        isEmpty: isEmptyLoop(graph, path),
        isUnknown: definition === undefined && drawn.definitions.size > 0,
        problems: drawn.problems.get(path) ?? 0,
        mark: drawn.trial?.marks.get(path),
        isPinned: graph.has(pinKey(path)),
        isStale: drawn.trial?.stale.has(path) ?? false,
      };
      return element(path, drawn, data, sizes.get(path));
    }),
  ];
  const edges = edgesOf(graph).map((edge): CanvasEdge => {
    const key = edgeKey(edge);
    return {
      id: key,
      source: edge.from,
      sourceHandle: edge.branch,
      target: edge.to,
      selected: selected.has(key),
      data: { edge },
      ...(hasRun(drawn.trial, edge) && { className: 'is-taken' }),
      ariaLabel: w.edge(nameIn(triggers, edge.from), idOf(edge.to), edge.branch),
    };
  });
  const notes = [...notesOf(graph)].map(([id, { text, x, y, width, height }]): CanvasNode => ({
    id: noteKey(id),
    type: 'note',
    position: { x, y },
    width,
    height,
    measured: { width, height },
    selected: selected.has(noteKey(id)),
    data: { ...noteData, name: text },
  }));
  const implied = impliedEdges(
    graph,
    triggers.map(({ handle }) => handle),
  ).map((edge): CanvasEdge => ({
    id: `implied:${edgeKey(edge)}`,
    source: edge.from,
    sourceHandle: edge.branch,
    target: edge.to,
    ariaLabel: w.edge(nameIn(triggers, edge.from), idOf(edge.to), edge.branch),
    selectable: false,
    className: hasRun(drawn.trial, edge) ? 'is-implied is-taken' : 'is-implied',
  }));
  return { nodes: [...notes, ...nodes], edges: [...edges, ...implied] };
}

/** A node or a trigger as people name it. */
export const nameIn = (triggers: readonly Trigger[], path: string): string =>
  triggers.find(({ handle }) => triggerPath(handle) === path)?.name ?? idOf(path);

interface Elements {
  nodes: CanvasNode[];
  edges: CanvasEdge[];
}

/** Draws elements anew, and keeps those that are as before: the library draws others alone. */
export function elementDrawer(): (drawn: Drawn) => Elements {
  let nodes = new Map<string, CanvasNode>();
  let edges = new Map<string, CanvasEdge>();
  return (drawn) => {
    const now = elementsOf(drawn);
    nodes = new Map(now.nodes.map((node) => [node.id, same(nodes.get(node.id), node)]));
    edges = new Map(now.edges.map((edge) => [edge.id, same(edges.get(edge.id), edge)]));
    return { nodes: [...nodes.values()], edges: [...edges.values()] };
  };
}

const same = <Value>(before: Value | undefined, now: Value): Value =>
  before !== undefined && isSame(before, now) ? before : now;

const hasRun = (trial: Drawn['trial'], { from, to, branch }: Edge): boolean =>
  wasTaken(trial?.marks.get(from), trial?.marks.get(to), branch);

const noteData = { kind: '', branches: [], isTrigger: false, isLoop: false, isUnknown: false, problems: 0 };

function element(path: string, { places, selected }: Drawn, data: NodeData, size?: Size): CanvasNode {
  const loop = data.isTrigger ? '' : loopOf(path);
  const { width, height } = size ?? { width: nodeWidth, height: heightOf(data.branches) };
  const count = data.branches.length;
  return {
    id: path,
    type: 'step',
    position: places.get(path) ?? { x: 0, y: 0 },
    data,
    width,
    height,
    // Nodes out of view are not drawn and hence not measured, but belong to the whole that is fitted into the view.
    measured: { width, height },
    selected: selected.has(path),
    ...(loop !== '' && { parentId: loop, extent: 'parent' as const }),
    // Known handles and sizes spare the library a measurement of each node.
    handles: [
      ...(data.isTrigger ? [] : [handle('target', 'in', 0, headHeight / 2)]),
      ...data.branches.map((branch, index) => handle('source', branch, width, branchTop(index, count))),
    ],
  };
}

const handle = (type: 'source' | 'target', id: string, x: number, y: number) => ({
  type,
  id: type === 'target' ? null : id,
  position: (type === 'target' ? 'left' : 'right') as never,
  x: x - 4,
  y: y - 4,
  width: 8,
  height: 8,
});
