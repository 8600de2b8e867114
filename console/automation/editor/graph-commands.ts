import { notify } from '#console/ui/notices.ts';
import { arrange } from './canvas/places.ts';
import { editorWords as w } from './editor.words.ts';
import { inOutWords } from './in-out/in-out.words.ts';
import { insertPart, refusePaste, replaceGraph } from './in-out/insert.ts';
import { privateFields, writtenSecrets } from './in-out/private-fields.ts';
import { copy } from './model/clipboard.ts';
import {
  addNode,
  canConnect,
  type Command,
  connect,
  following,
  freeId,
  insertOnEdge,
  note,
  place,
  wrapInLoop,
} from './model/commands.ts';
import {
  type Edge,
  edgeKey,
  edgesOf,
  isEmptyLoop,
  isTrigger,
  isWithin,
  joinPath,
  loopNode,
  loopOf,
  nodeAt,
  nodesOf,
  type NodeUnit,
  noteKey,
  type Point,
} from './model/graph.ts';
import { readPaste } from './model/read-paste.ts';
import { branchesOf, type Definition, headHeight, loopPadding, nodeWidth } from './node-shape.ts';
import type { Editing } from './use-editing.ts';

/** The commands that the toolbar, the palette and the keys give. */
export interface GraphCommands {
  /** Adds a node: into the selected edge or empty loop, else after the selected node along a branch that leads nowhere yet, and connects it. */
  add: (definition: Definition) => void;
  /** Adds a node where it was dropped: into an edge, or at a point, which is within the loop if there is one. */
  drop: (definition: Definition, at: { edge: Edge } | { loop: string; point: Point }) => void;
  duplicate: () => void;
  /** Adds a note below everything. */
  addNote: () => void;
  wrap: () => void;
  arrange: () => void;
  /** Selects everything that is drawn. */
  selectAll: () => void;
  copy: () => Promise<void>;
  paste: (text: string) => void;
}

const gap = 72;

export function graphCommands(editing: Editing): GraphCommands {
  const { graph, places, heights, triggers, definitions, selected, perform, select } = editing;
  const chosen = [...selected].filter((key) => places.has(key));
  const steps = chosen.filter((path) => nodeAt(graph, path));
  const loop = loopOf(steps[0] ?? '');
  const chosenEdge = edgesOf(graph).find((edge) => selected.has(edgeKey(edge)));
  const insert = (label: string, text: string, at: Point, source: string) => {
    const found = readPaste(text);
    if ('fault' in found) refusePaste(found.fault, source);
    else if (found.whole && nodesOf(graph).size === 0) replaceGraph(editing, found.whole, source);
    else insertPart(editing, found.part, { label, source, loop, at });
  };
  const addWith = (definition: Definition, inLoop: string, command: (path: string, unit: NodeUnit) => Command) => {
    const path = joinPath(inLoop, freeId(graph, inLoop, definition.slug));
    const unit = { node: definition.slug, version: `^${definition.version}`, config: {} };
    perform(w.added, (before) => command(path, unit)(place(fixed(editing))(before)));
    select(new Set([path]));
  };
  const addAfter = (definition: Definition, after: string | undefined) =>
    addWith(definition, loop, (path, unit) => (before) => {
      const added = addNode(path, unit, freePlace(editing, after, loop))(before);
      if (after === undefined) return added;
      const from = nodeAt(graph, after);
      const branches = from ? branchesOf(from, definitions.get(from.node)) : [];
      const used = new Set(edgesOf(graph).flatMap((each) => (each.from === after ? [each.branch] : [])));
      const branch = branches.find((each) => !used.has(each)) ?? branches[0] ?? 'default';
      const edge = { from: after, branch, to: path };
      return canConnect(added, edge) ? connect(edge)(added) : added;
    });
  const addInto = (definition: Definition, edge: Edge) =>
    addWith(definition, loopOf(edge.to), (path, unit) => {
      const [branch = 'default'] = branchesOf(unit, definition);
      const { at, moved } = makeRoom(editing, edge);
      return (before) => insertOnEdge(edge, path, unit, at, branch)(place(moved)(before));
    });
  return {
    add(definition) {
      const last = chosen.at(-1);
      if (chosenEdge) addInto(definition, chosenEdge);
      else if (last !== undefined && isEmptyLoop(graph, last))
        addWith(definition, last, (path, unit) => addNode(path, unit, inLoop({ x: 0, y: 0 })));
      else addAfter(definition, last);
    },
    drop: (definition, at) =>
      'edge' in at
        ? addInto(definition, at.edge)
        : addWith(definition, at.loop, (path, unit) =>
            addNode(path, unit, at.loop === '' ? at.point : inLoop(at.point)),
          ),
    duplicate() {
      const corner = places.get(steps[0] ?? '') ?? { x: 0, y: 0 };
      insert(
        w.duplicated,
        copy(graph, steps, () => []),
        { x: corner.x + 32, y: corner.y + 64 },
        inOutWords.thisGraph,
      );
    },
    addNote() {
      const at = lowest(places) + 96;
      let number = 1;
      while (graph.has(noteKey(`note-${number}`))) number += 1;
      perform(w.addNote, note(`note-${number}`, { text: '', x: 0, y: at, width: 240, height: 96 }));
    },
    wrap() {
      const path = joinPath(loop, freeId(graph, loop, 'core:each'));
      perform(w.wrapped, wrapInLoop(steps, path, { node: loopNode, version: '^1.0.0', config: {} }));
      select(new Set([path]));
    },
    arrange: () =>
      perform(
        w.arranged,
        place(
          arrange(
            graph,
            triggers.map(({ handle }) => handle),
            heights,
          ),
        ),
      ),
    selectAll: () => select(new Set(places.keys())),
    async copy() {
      if (steps.length === 0) return;
      await navigator.clipboard.writeText(copy(graph, steps, privateFields(definitions)));
      const taken = [...nodesOf(graph)].filter(([path]) => steps.some((step) => path === step || isWithin(path, step)));
      const secrets = writtenSecrets(taken, definitions);
      notify({ kind: 'done', text: [w.copied(steps.length), inOutWords.withoutSecrets(secrets)].join(' ').trim() });
    },
    paste: (text) => insert(w.pasted, text, { x: 0, y: lowest(places) + 96 }, inOutWords.clipboard),
  };
}

/** The places that nodes have been given by nobody: they are kept as soon as one node has its own, so that none of them jumps. */
export const fixed = ({ graph, places }: Editing): Map<string, Point> =>
  new Map([...places].filter(([path]) => !graph.has(`place:${path}`)));

/** A place in a loop that covers neither its name nor its border. */
export const inLoop = ({ x, y }: Point): Point => ({
  x: Math.max(x, loopPadding.side),
  y: Math.max(y, loopPadding.head),
});

const lowest = (places: ReadonlyMap<string, Point>): number => Math.max(0, ...[...places.values()].map(({ y }) => y));

/** To the right of the node before it, below what already follows that. */
function freePlace({ graph, places, heights }: Editing, after: string | undefined, loop: string): Point {
  const below = (path: string, { y }: Point) => y + heights(path) + 24;
  const before = after === undefined ? undefined : places.get(after);
  if (!before || after === undefined) {
    const inLoop = [...places].filter(([path]) => !isTrigger(path) && loopOf(path) === loop);
    return { x: 16, y: Math.max(16, ...inLoop.map(([path, point]) => below(path, point))) };
  }
  const followers = edgesOf(graph).filter(({ from }) => from === after);
  const lines = followers.map(({ to }) => below(to, places.get(to) ?? before));
  return { x: before.x + nodeWidth + gap, y: Math.max(before.y, ...lines) };
}

/** A place between the ends of an edge. Where it is too narrow, what follows moves to the right. */
function makeRoom({ graph, places }: Editing, edge: Edge): { at: Point; moved: Map<string, Point> } {
  const from = places.get(edge.from) ?? { x: 0, y: 0 };
  const to = places.get(edge.to) ?? from;
  const missing = from.x + 2 * (nodeWidth + gap) - to.x;
  const isWide = missing <= 0;
  const at = isWide
    ? { x: Math.round((from.x + to.x) / 2), y: Math.round((from.y + to.y) / 2) }
    : { x: from.x + nodeWidth + gap, y: Math.abs(to.y - from.y) < headHeight ? to.y : Math.round((from.y + to.y) / 2) };
  const moving = isWide || to.x < from.x ? [] : [...following(graph, edge.to)];
  const moved = moving.flatMap((path): [string, Point][] => {
    const point = places.get(path);
    return point ? [[path, { x: point.x + missing, y: point.y }]] : [];
  });
  return { at, moved: new Map(moved) };
}
