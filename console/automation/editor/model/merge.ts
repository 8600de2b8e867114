import { apply, type Change, difference } from './changes.ts';
import type { Graph } from './graph.ts';
import { isSame } from './same.ts';

/** A value that both edits changed, each in its own way. */
export interface Conflict {
  key: string;
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

/** The changes of two edits of `base`. Where they disagree, mine holds until the user has decided. */
export function merge(base: Graph, mine: Graph, theirs: Graph): { graph: Graph; conflicts: Conflict[] } {
  const changes = difference(base, mine);
  const conflicts = changes.flatMap(({ key, from, to }): Conflict[] => {
    const other = theirs.get(key);
    return isSame(other, from) || isSame(other, to) ? [] : [{ key, base: from, mine: to, theirs: other }];
  });
  return { graph: apply(theirs, changes), conflicts };
}

/** The graph with the value of one side at each key that the edits disagree on. */
export const decide = (
  graph: Graph,
  conflicts: readonly Conflict[],
  takes: (key: string) => 'mine' | 'theirs',
): Graph =>
  apply(
    graph,
    conflicts.map((conflict): Change => ({
      key: conflict.key,
      from: graph.get(conflict.key),
      to: conflict[takes(conflict.key)],
    })),
  );
