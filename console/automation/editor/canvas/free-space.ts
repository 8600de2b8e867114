import { type Command, place } from '#console/automation/editor/model/commands.ts';
import { type Graph, loopOf, notesOf, type Point } from '#console/automation/editor/model/graph.ts';
import { around, bottom, type Box, boxesIn, type Drawing, isNear, right } from './boxes.ts';

/** Between nodes that are placed beside each other, in pixels. */
export const gap = { x: 72, y: 24 };

/** The first place below a wanted one where a box has distance from all others. */
export function clearOf(others: Iterable<Box>, wanted: Box): Point {
  const boxes = [...others];
  const { x } = wanted;
  let { y } = wanted;
  for (;;) {
    const hit = boxes.filter((other) => isNear(other, { ...wanted, y }, gap.y));
    if (hit.length === 0) return { x, y };
    y = Math.max(...hit.map(bottom)) + gap.y;
  }
}

/** A place for a copy of nodes of a loop: below them, where nothing lies; undefined for none. */
export function placeBelow(drawing: Drawing, loop: string, paths: readonly string[]): Point | undefined {
  const boxes = boxesIn(drawing, loop);
  const copied = around(paths.flatMap((path) => boxes.get(path) ?? []));
  return copied && clearOf(boxes.values(), { ...copied, y: bottom(copied) + gap.y });
}

/** The lower end of what is drawn in a loop. */
export function lowest(drawing: Drawing, loop: string): number {
  const notes = loop === '' ? notesOf(drawing.graph).values() : [];
  return Math.max(0, ...[...boxesIn(drawing, loop).values(), ...notes].map(bottom));
}

/** Notes that a node would cover; a note that is behind a node already is meant to be. */
export function bareNotes(graph: Graph, boxes: Iterable<Box>): Box[] {
  const drawn = [...boxes];
  return [...notesOf(graph).values()].filter((note) => !drawn.some((box) => isNear(box, note)));
}

/**
 * Moves nodes that were added to one loop below what they would lie on, as one block, and what is beside the loops around them out of their
 * way: they may have grown. `before` is the drawing without the nodes, in which every node has a place of its own, and `of` the drawing of
 * a later graph.
 */
export const settle =
  (paths: readonly string[], before: Drawing, of: (graph: Graph) => Drawing): Command =>
  (added) => {
    const loop = loopOf(paths[0] ?? '');
    const boxes = boxesIn(of(added), loop);
    const own = new Map([...boxes].filter(([path]) => paths.includes(path)));
    const block = around([...own.values()]);
    if (!block) return added;
    for (const path of paths) boxes.delete(path);
    const notes = loop === '' ? bareNotes(added, boxes.values()) : [];
    const to = clearOf([...boxes.values(), ...notes], block);
    const moved = [...own].map(([path, { x, y }]): [string, Point] => [
      path,
      { x: x + to.x - block.x, y: y + to.y - block.y },
    ]);
    return makeWay(loop, place(new Map(moved))(added), before, of);
  };

/** Moves what is beside a loop that has grown, and beside the loops around that, out of the way. */
export function makeWay(loop: string, graph: Graph, before: Drawing, of: (graph: Graph) => Drawing): Graph {
  if (loop === '') return graph;
  const around = loopOf(loop);
  const old = boxesIn(before, around).get(loop);
  const boxes = boxesIn(of(graph), around);
  const now = boxes.get(loop);
  boxes.delete(loop);
  if (!old || !now) return graph;
  const isHit = [...boxes.values()].some((other) => isNear(other, now));
  const moved = isHit ? pushAside(boxes, old, now) : new Map<string, Point>();
  return makeWay(around, place(moved)(graph), before, of);
}

/** Everything right of a box that has grown moves to the right, and everything below it down, so that what did not overlap does not. */
export function pushAside(others: ReadonlyMap<string, Box>, old: Box, now: Box): Map<string, Point> {
  const wider = Math.max(0, right(now) - right(old));
  const higher = Math.max(0, bottom(now) - bottom(old));
  return new Map(
    [...others].map(([path, { x, y }]) => [
      path,
      { x: x >= right(old) ? x + wider : x, y: y >= bottom(old) ? y + higher : y },
    ]),
  );
}
