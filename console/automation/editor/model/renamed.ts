import { move } from './commands.ts';
import { type Graph, idOf, joinPath, loopNode, loopOf, nodeAt, nodesOf, placeAt } from './graph.ts';
import { isSame } from './same.ts';

/** A graph with the names that another one has for its nodes, and what each of those that differ was called. */
export interface Renamed {
  graph: Graph;
  /** The path of a node before, by its path now. */
  names: ReadonlyMap<string, string>;
}

/**
 * Nothing in a blob says that a node was renamed: one is gone and one has come. They are taken for the same where they are of one kind in one
 * loop and stand at the same place, or have the same settings where they were given no place, and no other node would do as well.
 */
export function followRenames(from: Graph, to: Graph): Renamed {
  const names = new Map<string, string>();
  let graph = from;
  // A loop is followed before what is in it, whose paths change with it.
  for (let depth = 1; depth <= deepest(from); depth += 1) {
    const isAtDepth = (path: string) => path.split('/').length === depth;
    const gone = [...nodesOf(graph).keys()].filter((path) => isAtDepth(path) && !nodeAt(to, path));
    const come = [...nodesOf(to).keys()].filter((path) => isAtDepth(path) && !nodeAt(graph, path));
    const isLike = (one: string, other: string) => isRenamed(graph, one, to, other);
    const pairs = gone.flatMap((one): [string, string][] => {
      const [other, ...more] = come.filter((each) => isLike(one, each));
      const isAlone =
        other !== undefined && more.length === 0 && gone.filter((each) => isLike(each, other)).length === 1;
      return isAlone ? [[one, other]] : [];
    });
    for (const [one, other] of pairs) names.set(other, before(one, names));
    if (pairs.length > 0) graph = move(graph, new Map(pairs));
  }
  return { graph, names };
}

const deepest = (graph: Graph): number =>
  Math.max(0, ...[...nodesOf(graph).keys()].map((path) => path.split('/').length));

/** What a node was called at first, whose loop may have got another name before it. */
function before(path: string, names: ReadonlyMap<string, string>): string {
  const loop = loopOf(path);
  return loop === '' ? path : joinPath(names.get(loop) ?? before(loop, names), idOf(path));
}

function isRenamed(from: Graph, one: string, to: Graph, other: string): boolean {
  const [gone, come] = [nodeAt(from, one), nodeAt(to, other)];
  if (!gone || !come || gone.node !== come.node || loopOf(one) !== loopOf(other)) return false;
  const [left, taken] = [placeAt(from, one), placeAt(to, other)];
  if (left !== undefined && taken !== undefined) return isSame(left, taken);
  // Loops are mostly what is in them, and new nodes begin with the same settings.
  return gone.node !== loopNode && Object.keys(gone.config).length > 0 && isSame(gone, come);
}
