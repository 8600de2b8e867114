import { type Edge, edgeKey } from '#console/automation/editor/model/graph.ts';

/** The edge after the selected one among those that leave the same node; else the first that leaves the selected node, or leads to it. */
export function nextEdge(edges: readonly Edge[], selected: ReadonlySet<string>): ReadonlySet<string> {
  const present = edges.find((edge) => selected.has(edgeKey(edge)));
  const [path] = selected;
  const leaving = edges.filter(({ from }) => from === (present?.from ?? path));
  const next = present ? leaving[(leaving.indexOf(present) + 1) % leaving.length] : leaving[0];
  const found = next ?? edges.find(({ to }) => to === path);
  return found ? new Set([edgeKey(found)]) : selected;
}
