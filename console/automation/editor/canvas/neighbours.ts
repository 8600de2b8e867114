import {
  type Edge,
  edgesOf,
  type Graph,
  isTrigger,
  loopOf,
  type Point,
} from '#console/automation/editor/model/graph.ts';
import { impliedEdges } from './places.ts';

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

/**
 * Where an arrow key leads from a node: left and right along its edges, up and down to the nearest that is above or below, down into a
 * loop and up out of it. Undefined where there is nothing.
 */
export function neighbour(
  graph: Graph,
  places: ReadonlyMap<string, Point>,
  path: string,
  direction: Direction,
): string | undefined {
  const here = places.get(path);
  if (!here) return undefined;
  if (direction === 'ArrowLeft' || direction === 'ArrowRight') {
    const isBack = direction === 'ArrowLeft';
    const handles = [...places.keys()].filter(isTrigger).map((trigger) => trigger.slice(1));
    const ends = [...edgesOf(graph), ...impliedEdges(graph, handles)].filter(
      (edge: Edge) => (isBack ? edge.to : edge.from) === path,
    );
    return nearest(
      here,
      ends.map((edge) => (isBack ? edge.from : edge.to)),
      places,
    );
  }
  const inside = [...places.keys()].filter((other) => !isTrigger(other) && loopOf(other) === path);
  if (direction === 'ArrowDown' && inside.length > 0) return nearest({ x: 0, y: 0 }, inside, places);
  const isUp = direction === 'ArrowUp';
  const beside = [...places].filter(
    ([other, { y }]) => loopOf(other) === loopOf(path) && (isUp ? y < here.y : y > here.y),
  );
  const found = nearest(
    here,
    beside.map(([other]) => other),
    places,
  );
  return found ?? (isUp && loopOf(path) !== '' ? loopOf(path) : undefined);
}

function nearest(here: Point, paths: readonly string[], places: ReadonlyMap<string, Point>): string | undefined {
  const distance = (path: string): number => {
    const there = places.get(path) ?? here;
    return Math.hypot(there.x - here.x, there.y - here.y);
  };
  return paths.toSorted((one, other) => distance(one) - distance(other))[0];
}
