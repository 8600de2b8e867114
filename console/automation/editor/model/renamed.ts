import { move } from './commands.ts';
import {
  type Graph,
  idOf,
  joinPath,
  loopNode,
  loopOf,
  nodeAt,
  nodesOf,
  type NodeUnit,
  placeAt,
  type Point,
} from './graph.ts';
import { isSame } from './same.ts';

/** A graph with the names that another one has for its nodes, and what each of those that differ was called. */
export interface Renamed {
  graph: Graph;
  /** The path of a node before, by its path now. */
  names: ReadonlyMap<string, string>;
}

/**
 * Nothing in a blob says that a node was renamed: one is gone and one has come. They are taken for the same where they are of one kind in one
 * loop and stand at the same place, or else have the same settings, and no other node would do as well.
 */
export function followRenames(from: Graph, to: Graph): Renamed {
  const names = new Map<string, string>();
  let graph = from;
  // A loop is followed before what is in it, whose paths change with it.
  for (let depth = 1; depth <= deepest(from); depth += 1) {
    for (const isLike of [standsThere, isSetAlike]) {
      const pairs = pairAlike(graph, to, depth, isLike);
      for (const [one, other] of pairs) names.set(other, before(one, names));
      // Expressions follow the new names, so that settings which read a renamed node are the same after it.
      if (pairs.length > 0) graph = move(graph, new Map(pairs));
    }
  }
  return { graph, names };
}

/** Whether a node that is gone is one that has come. */
type IsLike = (gone: Side, come: Side) => boolean;

interface Side {
  unit: NodeUnit;
  place: Point | undefined;
}

/** Nodes that are gone, each with the only one that has come and is like it, and like no other. */
function pairAlike(from: Graph, to: Graph, depth: number, isLike: IsLike): [string, string][] {
  const only = (graph: Graph, other: Graph) =>
    [...nodesOf(graph)].flatMap(([path, unit]) =>
      path.split('/').length === depth && !nodeAt(other, path) ? [{ path, unit, place: placeAt(graph, path) }] : [],
    );
  const [gone, come] = [only(from, to), only(to, from)];
  const isPair = (one: (typeof gone)[number], other: (typeof come)[number]) =>
    one.unit.node === other.unit.node && loopOf(one.path) === loopOf(other.path) && isLike(one, other);
  return gone.flatMap((one): [string, string][] => {
    const [other, ...more] = come.filter((each) => isPair(one, each));
    const isAlone = other && more.length === 0 && gone.filter((each) => isPair(each, other)).length === 1;
    return isAlone ? [[one.path, other.path]] : [];
  });
}

const standsThere: IsLike = (gone, come) => gone.place !== undefined && isSame(gone.place, come.place);

/** Loops are mostly what is in them, and new nodes begin with the same settings. */
const isSetAlike: IsLike = ({ unit: gone }, { unit: come }) =>
  gone.node !== loopNode && Object.keys(gone.config).length > 0 && isSame(gone, come);

const deepest = (graph: Graph): number =>
  Math.max(0, ...[...nodesOf(graph).keys()].map((path) => path.split('/').length));

/** What a node was called at first, whose loop may have got another name before it. */
function before(path: string, names: ReadonlyMap<string, string>): string {
  const loop = loopOf(path);
  return loop === '' ? path : joinPath(names.get(loop) ?? before(loop, names), idOf(path));
}
