import { useState } from 'react';
import { type Graph, nodeAt } from '#console/automation/editor/model/graph.ts';

interface Renamed {
  from: string;
  to: string;
}

/**
 * The form of a node that is renamed stays, and with it the focus and the press that renamed it: a new form would take away the button under
 * the pointer.
 */
export function useRenamed(graph: Graph) {
  const [renamed, setRenamed] = useState<readonly Renamed[]>([]);
  const [keys, setKeys] = useState<ReadonlyMap<string, string>>(new Map());
  /** The React key of the form of a node. */
  const keyOf = (path: string): string => keys.get(path) ?? path;
  return {
    keyOf,
    /** The node that the address means: it learns of a new name later than the graph, and does not learn that the renaming is undone. */
    find(path: string | undefined): string | undefined {
      if (path === undefined || nodeAt(graph, path)) return path;
      const others = renamed.flatMap(({ from, to }) => (from === path ? [to] : to === path ? [from] : []));
      return others.findLast((other) => nodeAt(graph, other)) ?? path;
    },
    keep(from: string, to: string): void {
      setRenamed((before) => [...before, { from, to }]);
      // Another node may get the name that is free now.
      setKeys((before) => new Map(before).set(to, keyOf(from)).set(from, `${from} ${before.size}`));
    },
  };
}
