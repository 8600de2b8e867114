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

/** The changes of two steps as those of one, with each key once. What a merge brought in between is not ours to take back, so it stays. */
export function join(first: readonly Change[], then: readonly Change[]): Change[] {
  const joined = new Map(first.map((change) => [change.key, change]));
  for (const change of then) {
    const before = joined.get(change.key);
    const isNext = before !== undefined && isSame(before.to, change.from);
    joined.set(change.key, isNext ? { ...change, from: before.from } : change);
  }
  return [...joined.values()];
}

/** What takes changes back. They keep their order, so a graph that was replaced comes back with its nodes in the order that they had. */
export const invert = (changes: readonly Change[]): Change[] =>
  changes.map(({ key, from, to }) => ({ key, from: to, to: from }));
