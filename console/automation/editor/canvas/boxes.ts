import {
  type Graph,
  isTrigger,
  loopNode,
  loopOf,
  nodeAt,
  nodesOf,
  type Point,
} from '#console/automation/editor/model/graph.ts';
import { headHeight, loopPadding, nodeWidth } from '#console/automation/editor/node-shape.ts';
import type { Heights } from './places.ts';

export interface Size {
  width: number;
  height: number;
}

export type Box = Point & Size;

/** What the size of a loop depends on. */
export interface Drawing {
  graph: Graph;
  places: ReadonlyMap<string, Point>;
  heights: Heights;
}

/** A loop with nothing in it. */
export const emptyLoop: Size = {
  width: nodeWidth + 2 * loopPadding.side,
  height: loopPadding.head + headHeight + loopPadding.foot,
};

/** The sizes of loops by path: each is as large as what is in it, from the innermost out. */
export function loopSizes({ graph, places, heights }: Drawing): Map<string, Size> {
  const units = nodesOf(graph);
  const inLoops = Map.groupBy(units.keys(), loopOf);
  const sizes = new Map<string, Size>();
  const sizeOf = (path: string): Size => {
    const known = sizes.get(path);
    if (known) return known;
    if (units.get(path)?.node !== loopNode) return { width: nodeWidth, height: heights(path) };
    let { width, height } = emptyLoop;
    for (const inner of inLoops.get(path) ?? []) {
      const size = sizeOf(inner);
      const { x, y } = places.get(inner) ?? { x: 0, y: 0 };
      width = Math.max(width, x + size.width + loopPadding.side);
      height = Math.max(height, y + size.height + loopPadding.foot);
    }
    sizes.set(path, { width, height });
    return { width, height };
  };
  for (const [path, { node }] of units) if (node === loopNode) sizeOf(path);
  return sizes;
}

/** The boxes of the nodes of one loop, and outside of loops of the triggers too, by path. */
export function boxesIn(drawing: Drawing, loop: string): Map<string, Box> {
  const sizes = loopSizes(drawing);
  const own = [...drawing.places].filter(([path]) =>
    isTrigger(path) ? loop === '' : loopOf(path) === loop && nodeAt(drawing.graph, path) !== undefined,
  );
  return new Map(
    own.map(([path, point]) => [
      path,
      { ...point, ...(sizes.get(path) ?? { width: nodeWidth, height: drawing.heights(path) }) },
    ]),
  );
}

export const right = ({ x, width }: Box): number => x + width;
export const bottom = ({ y, height }: Box): number => y + height;

/** The box around boxes; undefined around none. */
export function around(boxes: readonly Box[]): Box | undefined {
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const [toRight, toBottom] = [Math.max(...boxes.map(right)), Math.max(...boxes.map(bottom))];
  return boxes.length === 0 ? undefined : { x, y, width: toRight - x, height: toBottom - y };
}

/** Whether two boxes have less than a distance between them. */
export const isNear = (one: Box, other: Box, distance = 0): boolean =>
  one.x < right(other) + distance &&
  other.x < right(one) + distance &&
  one.y < bottom(other) + distance &&
  other.y < bottom(one) + distance;
