import { type Graph, nodeAt } from '#console/automation/editor/model/graph.ts';
import { boundary, type Part, readPart } from './parts.ts';

interface Given {
  graph: Graph;
  address: Record<string, string | undefined>;
  /** The node that is selected. */
  chosen: string | undefined;
  show: (changes: Record<string, string | undefined>) => void;
}

/** Which part of the draft the address asks to try, and the ways to ask for one. */
export function tryParts({ graph, address, chosen, show }: Given) {
  const isNode = (path: string) => nodeAt(graph, path) !== undefined;
  // The node that the address names bounds it, else the one that is selected.
  const named = [address['at'], chosen].filter((path) => path !== undefined);
  const at = named.map(boundary).find(isNode);
  const tryPart = (part: Part, path = chosen) => {
    if (part === 'whole') show({ do: 'try', node: undefined, part: undefined, at: undefined });
    else if (path !== undefined && isNode(path)) show({ do: 'try', node: undefined, part, at: boundary(path) });
  };
  return {
    tryPart,
    section: { part: readPart(address['part']), at, choosePart: (part: Part) => show({ part, at }) },
    keys: {
      tryAll: () => tryPart('whole'),
      tryNode: () => tryPart('node'),
      tryTo: () => tryPart('to'),
      tryFrom: () => tryPart('from'),
    },
  };
}
