import { difference } from './changes.ts';
import { fillDefaults } from './defaults.ts';
import { type Edge, edgesOf, type Graph, isTrigger, loopOf, nodeKey, nodesOf, pinKey } from './graph.ts';

/**
 * Paths of the nodes whose outputs in a run are not those that the graph would give now: the node has changed since, or its pin, an edge to
 * it, a node before it, the loop around it, or a node within it. What is pinned alike does not depend on what is before it.
 */
export function staleNodes(ran: Graph, now: Graph): Set<string> {
  const changes = fillDefaults(difference(ran, now));
  const changed = new Set(changes.map(({ key }) => key));
  const redrawn = new Set(
    changes.filter(({ key }) => key.startsWith('edge:')).map(({ from, to }) => ((to ?? from) as Edge).to),
  );
  const before = Map.groupBy(edgesOf(now), ({ to }) => to);
  const inside = Map.groupBy(nodesOf(now).keys(), loopOf);
  const isPinned = (path: string): boolean => now.has(pinKey(path)) && !changed.has(pinKey(path));
  const isChanged = (path: string): boolean =>
    [nodeKey(path), pinKey(path)].some((key) => changed.has(key)) || redrawn.has(path);

  const entered = new Map<string, boolean>();
  /** Whether something else reaches the node, or it does something else with it. */
  const entersStale = (path: string): boolean => {
    const known = entered.get(path);
    if (known !== undefined) return known;
    // A graph with a circle cannot run; it must not hang here.
    entered.set(path, false);
    const loop = loopOf(path);
    const isStale =
      isChanged(path) ||
      (loop !== '' && entersStale(loop)) ||
      (before.get(path) ?? []).some(({ from }) => !isTrigger(from) && leavesStale(from));
    entered.set(path, isStale);
    return isStale;
  };
  const left = new Map<string, boolean>();
  const leavesStale = (path: string): boolean => {
    const known = left.get(path);
    if (known !== undefined) return known;
    const isStale = !isPinned(path) && (entersStale(path) || (inside.get(path) ?? []).some(leavesStale));
    left.set(path, isStale);
    return isStale;
  };
  return new Set([...nodesOf(now).keys()].filter(leavesStale));
}
