import type { Graph } from './graph.ts';
import { isSame } from './same.ts';

/** One value that differs; undefined where there is none. */
export interface Change {
  key: string;
  from: unknown;
  to: unknown;
}

/** The changes that turn one graph into another. */
export function difference(from: Graph, to: Graph): Change[] {
  const changes: Change[] = [];
  for (const [key, value] of to) {
    const before = from.get(key);
    if (!isSame(before, value)) changes.push({ key, from: before, to: value });
  }
  for (const [key, value] of from) if (!to.has(key)) changes.push({ key, from: value, to: undefined });
  return changes;
}

export function apply(graph: Graph, changes: readonly Change[]): Graph {
  const next = new Map(graph);
  for (const { key, to } of changes) {
    if (to === undefined) next.delete(key);
    else next.set(key, to);
  }
  return next;
}

export const invert = (changes: readonly Change[]): Change[] =>
  changes.toReversed().map(({ key, from, to }) => ({ key, from: to, to: from }));
