import { apply, type Change, invert, join } from './changes.ts';
import type { Graph } from './graph.ts';
import { isSame } from './same.ts';

/** Something that the user did. */
export interface Step {
  /** What it is called in menus: "Move 3 nodes". */
  label: string;
  changes: readonly Change[];
  /** Steps of the same kind that follow each other within a moment are one, such as the letters of a text. */
  kind?: string;
  /** Milliseconds. */
  at: number;
}

export interface History {
  done: readonly Step[];
  undone: readonly Step[];
}

export const emptyHistory: History = { done: [], undone: [] };

const togetherMs = 1_000;
const keptSteps = 500;

/** The history after one more step; what was undone before cannot be done again. */
export function record({ done }: History, step: Step): History {
  const last = done.at(-1);
  const isOne = last?.kind !== undefined && last.kind === step.kind && step.at - last.at < togetherMs;
  if (!isOne) return { done: [...done, step].slice(-keptSteps), undone: [] };
  const joined = { ...step, changes: join(last.changes, step.changes) };
  return { done: [...done.slice(0, -1), joined], undone: [] };
}

interface Travelled {
  graph: Graph;
  history: History;
  label: string;
  /** Values that somebody else has changed since, and that therefore stay. */
  kept: number;
}

/** The graph before the last step; nothing where there is none. */
export function undo({ done, undone }: History, graph: Graph): Travelled | undefined {
  const step = done.at(-1);
  if (!step) return undefined;
  const next = travel(graph, invert(step.changes));
  return { ...next, label: step.label, history: { done: done.slice(0, -1), undone: [...undone, step] } };
}

/** The graph after the step that was undone last. */
export function redo({ done, undone }: History, graph: Graph): Travelled | undefined {
  const step = undone.at(-1);
  if (!step) return undefined;
  const next = travel(graph, step.changes);
  return { ...next, label: step.label, history: { done: [...done, step], undone: undone.slice(0, -1) } };
}

/** A merge may have brought another value since: that is not ours to take back. */
function travel(graph: Graph, changes: readonly Change[]): Pick<Travelled, 'graph' | 'kept'> {
  const ours = changes.filter(({ key, from }) => isSame(graph.get(key), from));
  return { graph: apply(graph, ours), kept: changes.length - ours.length };
}
