import { type Command, place, wrapInLoop } from '#console/automation/editor/model/commands.ts';
import { idOf, joinPath, loopNode, loopOf, type Point } from '#console/automation/editor/model/graph.ts';
import { loopPadding } from '#console/automation/editor/node-shape.ts';
import { type Canvas, drawer, fixed, inLoop } from './add-node.ts';
import { around, type Box, bottom, boxesIn, isNear, right } from './boxes.ts';
import { bareNotes, clearOf, gap, makeWay, pushAside } from './free-space.ts';

/** Puts nodes of one loop into a new loop, close together, and the loop where they were; what is beside it makes way. */
export const wrapNodes =
  (canvas: Canvas, paths: readonly string[], path: string): Command =>
  (before) => {
    const draw = drawer(canvas);
    const all = place(fixed(canvas))(before);
    const loop = loopOf(path);
    const own = new Map([...boxesIn(draw(all), loop)].filter(([each]) => paths.includes(each)));
    const old = around([...own.values()]);
    if (!old) return before;
    const inner = [...closeTogether(own)].map(([each, at]): [string, Point] => [joinPath(path, idOf(each)), at]);
    const places = new Map([...inner, [path, inLoop(old, loop)]]);
    const unit = { node: loopNode, version: '^1.0.0', config: {} };
    const wrapped = wrapInLoop(paths, path, unit, places)(all);
    const others = boxesIn(draw(wrapped), loop);
    const now = others.get(path) ?? old;
    others.delete(path);
    const isHit = [...others.values()].some((other) => isNear(other, now, gap.y));
    const aside = place(isHit ? pushAside(others, old, now) : new Map())(wrapped);
    const beside = boxesIn(draw(aside), loop);
    beside.delete(path);
    const notes = loop === '' ? bareNotes(aside, beside.values()) : [];
    const settled = place(new Map([[path, clearOf([...beside.values(), ...notes], now)]]))(aside);
    return makeWay(loop, settled, draw(all), draw);
  };

/** Places for boxes within a loop: left of and above each other as they were, without wide gaps, and none on another. */
export function closeTogether(boxes: ReadonlyMap<string, Box>): Map<string, Point> {
  const x = narrowed(
    [...boxes.values()].map((box) => [box.x, right(box)]),
    gap.x,
  );
  const y = narrowed(
    [...boxes.values()].map((box) => [box.y, bottom(box)]),
    gap.y,
  );
  const close = [...boxes]
    .map(([path, box]): [string, Box] => [
      path,
      { ...box, x: x(box.x) + loopPadding.side, y: y(box.y) + loopPadding.head },
    ])
    .toSorted(([, one], [, other]) => one.y - other.y);
  const put: Box[] = [];
  return new Map(
    close.map(([path, box]) => {
      const at = put.some((other) => isNear(other, box)) ? clearOf(put, box) : { x: box.x, y: box.y };
      put.push({ ...box, ...at });
      return [path, at];
    }),
  );
}

/** Moves coordinates together, so that no gap between what they belong to is wider than given. */
function narrowed(stretches: readonly (readonly [from: number, to: number])[], most: number): (at: number) => number {
  const sorted = stretches.toSorted(([one], [other]) => one - other);
  let end = sorted[0]?.[0] ?? 0;
  let taken = end;
  const shifts: { from: number; by: number }[] = [];
  for (const [from, to] of sorted) {
    taken += Math.max(0, from - end - most);
    shifts.push({ from, by: taken });
    end = Math.max(end, to);
  }
  return (at) => at - (shifts.findLast(({ from }) => from <= at)?.by ?? 0);
}
