import { apply, type Change, difference } from './changes.ts';
import { readDraft, writeDraft } from './draft.ts';
import { type Edge, type Graph, isTrigger, loopOf, nodeKey } from './graph.ts';
import { isSame } from './same.ts';

/** A value that both edits changed, each in its own way; or a node that one removed and something of the other needs. */
export interface Conflict {
  key: string;
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

/** The changes of two edits of `base`. Where they disagree, mine holds until the user has decided. */
export function merge(base: Graph, mine: Graph, theirs: Graph): { graph: Graph; conflicts: Conflict[] } {
  const changes = difference(base, mine);
  const conflicts = new Map(
    changes.flatMap(({ key, from, to }): [string, Conflict][] => {
      const other = theirs.get(key);
      return isSame(other, from) || isSame(other, to) ? [] : [[key, { key, base: from, mine: to, theirs: other }]];
    }),
  );
  const needed = [...neededBy(changes, theirs, base), ...neededBy(difference(base, theirs), mine, base)];
  for (const key of needed) {
    conflicts.set(key, { key, base: base.get(key), mine: mine.get(key), theirs: theirs.get(key) });
  }
  const found = [...conflicts.values()];
  return { graph: takeSides(apply(theirs, changes), found, () => 'mine'), conflicts: found };
}

/** The keys of nodes that changes need, and that the other edit has removed: ends of edges, and loops around nodes. */
function neededBy(changes: readonly Change[], other: Graph, base: Graph): string[] {
  const needed = changes.flatMap(({ key, to }): string[] => {
    if (to === undefined) return [];
    if (key.startsWith('edge:')) return [(to as Edge).from, (to as Edge).to].filter((path) => !isTrigger(path));
    return key.startsWith('node:') ? [loopOf(key.slice('node:'.length))] : [];
  });
  return needed.map(nodeKey).filter((key) => base.has(key) && !other.has(key));
}

/** The graph with the value of one side at each key that the edits disagree on. */
export const decide = (graph: Graph, conflicts: readonly Conflict[], takes: Takes): Graph =>
  withoutTorn(takeSides(graph, conflicts, takes));

type Takes = (key: string) => 'mine' | 'theirs';

const takeSides = (graph: Graph, conflicts: readonly Conflict[], takes: Takes): Graph =>
  apply(
    graph,
    conflicts.map((conflict): Change => ({
      key: conflict.key,
      from: graph.get(conflict.key),
      to: conflict[takes(conflict.key)],
    })),
  );

/** The graph without edges, pins and nodes in loops whose node was removed, as it would be written. */
export const withoutTorn = (graph: Graph): Graph => readDraft(writeDraft(graph));

/** The base in which a conflict that is not decided yet has the value that both edits began with: mine is not theirs changed once more. */
export const undecidedBase = (graph: Graph, conflicts: readonly Conflict[]): Graph =>
  apply(
    graph,
    conflicts.map(({ key, base }): Change => ({ key, from: undefined, to: base })),
  );
