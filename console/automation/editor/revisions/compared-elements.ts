import {
  type CanvasEdge,
  type CanvasNode,
  elementsOf,
  type Trigger,
} from '#console/automation/editor/canvas/canvas-elements.ts';
import { placesOf } from '#console/automation/editor/canvas/places.ts';
import { edgeKey, type Graph, noteKey, notesOf, type Point } from '#console/automation/editor/model/graph.ts';
import { followRenames } from '#console/automation/editor/model/renamed.ts';
import { isSame } from '#console/automation/editor/model/same.ts';
import { type ChangeKind, type Summary, summarize } from '#console/automation/editor/model/summary.ts';
import type { Definitions } from '#console/automation/editor/node-shape.ts';

export interface Compared {
  summary: Summary;
  places: ReadonlyMap<string, Point>;
  nodes: CanvasNode[];
  edges: CanvasEdge[];
}

interface Sides {
  from: Graph;
  to: Graph;
  triggers: readonly Trigger[];
  definitions: Definitions;
}

/** Two graphs in one drawing: everything of the later one, and what only the earlier one has. What differs has a class that says how. */
export function compareGraphs({ from: before, to, triggers, definitions }: Sides): Compared {
  const summary = summarize(before, to);
  // A node that was renamed is drawn once, by its name now.
  const { graph: from } = followRenames(before, to);
  const graph = new Map([...from, ...to]);
  const kinds = kindsOf(summary, from, to);
  const handles = triggers.map(({ handle }) => handle);
  const places = apart(placesOf(graph, handles), kinds);
  const drawn = {
    graph,
    triggers,
    definitions,
    places,
    problems: new Map<string, number>(),
    selected: new Set<string>(),
  };
  const { nodes, edges } = elementsOf(drawn);
  const mark = <Element extends { id: string; className?: string }>(element: Element): Element => {
    const kind = kinds.get(element.id);
    return kind ? { ...element, className: `is-${kind}` } : element;
  };
  return { summary, places, nodes: nodes.map(mark), edges: edges.map(mark) };
}

/** How each element of the drawing differs, by its id there. */
function kindsOf({ nodes, edges }: Summary, from: Graph, to: Graph): Map<string, ChangeKind> {
  const kinds = new Map<string, ChangeKind>(nodes.map(({ path, kind }) => [path, kind]));
  for (const { edge, kind } of edges) kinds.set(edgeKey(edge), kind);
  for (const id of new Set([...notesOf(from).keys(), ...notesOf(to).keys()])) {
    const [before, after] = [from.get(noteKey(id)), to.get(noteKey(id))];
    if (!isSame(before, after))
      kinds.set(noteKey(id), before === undefined ? 'added' : after === undefined ? 'removed' : 'changed');
  }
  return kinds;
}

const rowHeight = 72;

/** A node that was removed stands below the one that took its place. */
function apart(places: ReadonlyMap<string, Point>, kinds: ReadonlyMap<string, ChangeKind>): Map<string, Point> {
  const moved = new Map(places);
  const isTaken = (path: string, { x, y }: Point) =>
    [...moved].some(([other, at]) => other !== path && Math.abs(at.x - x) < 40 && Math.abs(at.y - y) < 40);
  for (const [path, place] of places) {
    if (kinds.get(path) !== 'removed') continue;
    let at = place;
    while (isTaken(path, at)) at = { x: at.x, y: at.y + rowHeight };
    moved.set(path, at);
  }
  return moved;
}
