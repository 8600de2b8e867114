import { edgesOf, type Graph, nodeAt } from './model/graph.ts';

/** The selected keys that are still drawn: another person, a merge or Undo may have removed the others. */
export function stillDrawn(
  selected: ReadonlySet<string>,
  graph: Graph,
  places: ReadonlyMap<string, unknown>,
): ReadonlySet<string> {
  const drawn = [...selected].filter((key) => places.has(key) || graph.has(key));
  return drawn.length === selected.size ? selected : new Set(drawn);
}

/** The selection after Undo: instead of a node that it took away, the one before that, so that the next node is added there again. */
export function selectedAfterUndo(selected: ReadonlySet<string>, before: Graph, after: Graph): ReadonlySet<string> {
  const gone = [...selected].filter((path) => nodeAt(before, path) && !nodeAt(after, path));
  if (gone.length === 0) return selected;
  const sources = edgesOf(before).flatMap(({ from, to }) => (gone.includes(to) && !gone.includes(from) ? [from] : []));
  return new Set([...selected, ...sources].filter((key) => !gone.includes(key)));
}
