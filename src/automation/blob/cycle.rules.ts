import type { WorkflowGraph } from './blob.inputs.ts';

/** The ids along one cycle, with the first repeated at the end; undefined when there is none. */
export function findCycle(graph: WorkflowGraph): string[] | undefined {
  const successors = new Map<string, string[]>();
  const waiting = new Map<string, number>();
  for (const { from, to } of graph.edges) {
    if (!('node' in from)) continue;
    const list = successors.get(from.node) ?? [];
    list.push(to);
    successors.set(from.node, list);
    waiting.set(to, (waiting.get(to) ?? 0) + 1);
  }
  const free = [...successors.keys()].filter((id) => !waiting.has(id));
  for (const id of free) {
    for (const to of successors.get(id) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1;
      waiting.set(to, left);
      if (left === 0) free.push(to);
    }
  }
  // Every remaining node is on a cycle or after one, so walking back through them must repeat a node.
  const before = new Map<string, string>();
  for (const [from, targets] of successors) {
    if ((waiting.get(from) ?? 0) > 0) for (const to of targets) before.set(to, from);
  }
  let [at] = [...before.keys()];
  if (at === undefined) return undefined;
  const seen = new Set<string>();
  for (; !seen.has(at); at = before.get(at) ?? at) seen.add(at);
  const cycle = [at];
  for (let next = before.get(at); next !== undefined && next !== at; next = before.get(next)) cycle.push(next);
  return [...cycle, at].toReversed();
}
