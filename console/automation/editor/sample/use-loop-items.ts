import { useCallback, useMemo, useState } from 'react';
import { filterNode, type Graph, loopNode, nodeAt } from '#console/automation/editor/model/graph.ts';

/** The items of loops whose data stands beside the fields. */
export interface LoopItems {
  /** The item of the loop or filter at a path, counted from 0; the first until one is chosen. */
  itemOf: (path: string) => number;
  chooseItem: (path: string, item: number) => void;
}

const none: ReadonlyMap<string, number> = new Map();

/** The chosen items of loops; each run begins with the first ones. */
export function useLoopItems(runId: string | undefined): LoopItems {
  const [chosen, setChosen] = useState({ runId, items: none });
  const items = chosen.runId === runId ? chosen.items : none;
  const itemOf = useCallback((path: string) => items.get(path) ?? 0, [items]);
  const chooseItem = useCallback(
    (path: string, item: number) =>
      setChosen((before) => ({ runId, items: new Map(before.runId === runId ? before.items : none).set(path, item) })),
    [runId],
  );
  return useMemo(() => ({ itemOf, chooseItem }), [itemOf, chooseItem]);
}

/** The paths of the nodes whose items a node sees: the loops around it, from the outermost, and itself where it is a filter. */
export function itemSources(graph: Graph, path: string): string[] {
  const ids = path.split('/');
  const around = ids.slice(1).map((_, index) => ids.slice(0, index + 1).join('/'));
  const sources = around.filter((loop) => nodeAt(graph, loop)?.node === loopNode);
  return nodeAt(graph, path)?.node === filterNode ? [...sources, path] : sources;
}
