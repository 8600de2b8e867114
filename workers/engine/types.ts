import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import type { ClaimedRun, RecordedStep } from '#src/automation/runs/engine/run-claims.service.ts';
import type { StepRecord } from '#src/automation/runs/engine/run-journal.service.ts';
import type { StepOutcome } from '#src/automation/workflows/blob/graph.rules.ts';
import type { CompiledBundle, CompiledGraph, CompiledNode } from './bundle.ts';
import type { Journal } from './journal.ts';
import type { StepPorts } from './ports.ts';
import type { RunSecrets } from './run-secrets.ts';

/** One run under way on this worker. */
export interface Drive {
  run: ClaimedRun;
  bundle: CompiledBundle;
  journal: Journal;
  ports: StepPorts;
  secrets: RunSecrets;
  /** Recorded attempts by path, in order. */
  recorded: ReadonlyMap<string, RecordedStep[]>;
  /** The last core:respond value, once there is one. */
  response: { value: unknown } | undefined;
  /** Walks a graph within the run: its own, or the body of a loop. */
  walk(graph: CompiledGraph, prefix: string, scope: ExpressionScope, signal: AbortSignal): Promise<GraphEnd>;
}

/** One step to be run: a node at its place in the run. */
export interface StepRun {
  drive: Drive;
  compiled: CompiledNode;
  /** The node's id, qualified by the loops it stands in: `each/3/map`. */
  path: string;
  scope: ExpressionScope;
  /** Outputs of the predecessors, by node id. */
  inputs: Record<string, unknown>;
  signal: AbortSignal;
}

/** One attempt at a step, and what it has said so far. */
export interface Attempt {
  number: number;
  startedAt: Date;
  logs: StepRecord['logs'];
  events: StepRecord['events'];
}

export interface Pending {
  kind: 'pending';
  /** When to go on at the latest; null for an outside event alone. */
  wakeAt: Date | null;
  /** The steps waited for. */
  paths: string[];
}

/** How one step came out: decided, or waiting for a time or an outside event. */
export type StepEnd =
  | { kind: 'decided'; outcome: StepOutcome; outputs: Record<string, unknown>; error?: string; failsRun?: boolean }
  | Pending;

/** How a graph came out of one stretch of driving. `result` is the outputs of its last nodes, by node id. */
export type GraphEnd =
  | { kind: 'succeeded'; result: Record<string, unknown> }
  | { kind: 'failed'; error: string; failsRun: boolean }
  | Pending;

/** The earliest time among several, and everything that is waited for. */
export function mergePending(pending: Pending[]): Pending {
  const times = pending.flatMap(({ wakeAt }) => (wakeAt === null ? [] : [wakeAt.getTime()]));
  return {
    kind: 'pending',
    wakeAt: times.length > 0 ? new Date(Math.min(...times)) : null,
    paths: pending.flatMap(({ paths }) => paths),
  };
}
