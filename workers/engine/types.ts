import type { StepOutcome } from '#src/automation/blob/graph.rules.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import type { SentCall } from '#src/automation/node-api/sent-calls.ts';
import type { HeldRun } from '#src/automation/runs/held-runs.store.ts';
import type { KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import type { TraceContext } from '#src/infra/tracing/trace-context.ts';
import type { Tracing } from '#src/infra/tracing/tracing.ts';
import type { CompiledBundle, CompiledGraph, CompiledNode } from './bundle.ts';
import type { ClaimedRun } from './claim-runs.ts';
import type { StepPorts } from './ports.ts';
import type { GivenOutputs, RecordedStep } from './statements/run-claims.ts';
import type { StepRecord } from './statements/step-log.ts';
import type { StepLog } from './step-log.ts';

/** A run of this worker, and what stops it. */
export interface RunUnderWay extends HeldRun {
  stop: AbortController;
  /** False once the database no longer says that this worker holds it; nothing is written about it from then on. */
  isHeld: boolean;
  /** The span of the run; undefined for one that is not traced. */
  span: TraceContext | undefined;
}

/** One run under way on this worker. */
export interface Drive {
  run: ClaimedRun;
  underWay: RunUnderWay;
  bundle: CompiledBundle;
  stepLog: StepLog;
  ports: StepPorts;
  secrets: KnownSecrets;
  tracing: Tracing;
  /** The span of the run; undefined for one that is not traced. */
  span: TraceContext | undefined;
  /** Recorded attempts by path, in order. */
  recorded: ReadonlyMap<string, RecordedStep[]>;
  /** What nodes of a test run answer instead of being executed, by the path of the node; empty for any other run. */
  given: ReadonlyMap<string, GivenOutputs>;
  /** The last core:respond value, once there is one. */
  response: { value: unknown } | undefined;
  /** Walks a graph within the run: its own, or the body of a loop. */
  walk(graph: CompiledGraph, prefix: string, scope: ExpressionScope, signal: AbortSignal): Promise<GraphEnd>;
}

/** One step to run: a node at its path in the run. */
export interface StepRun {
  drive: Drive;
  compiled: CompiledNode;
  /** The node's id, qualified by the loops around it: `each/3/map`. */
  path: string;
  scope: ExpressionScope;
  /** Outputs of the predecessors, by node id. */
  inputs: Record<string, unknown>;
  signal: AbortSignal;
}

/** One attempt at a step, with its log lines, events and requests so far. */
export interface Attempt {
  number: number;
  startedAt: string;
  /** The node's evaluated config, as JSON text; null before it is known. */
  inputs: string | null;
  /** Fires when the attempt takes so long that its start is recorded. */
  starting?: NodeJS.Timeout;
  isStartRecorded: boolean;
  logs: StepRecord['logs'];
  events: StepRecord['events'];
  calls: SentCall[];
}

export interface Pending {
  kind: 'pending';
  /** When to resume at the latest; null when only an outside event resumes it. */
  wakeAt: Date | null;
  /** The steps that wait. */
  paths: string[];
}

/** The result of a step: decided, or waiting for a time or an outside event. */
export type StepEnd =
  | {
      kind: 'decided';
      outcome: StepOutcome;
      outputs: Record<string, unknown>;
      error?: string;
      failsRun?: boolean;
      failed?: FailedStep;
    }
  | Pending;

/** The step at which a run failed, in a loop the innermost one, and its error. */
export interface FailedStep {
  step: string;
  code: string;
  /** Without the step; redacted. */
  message: string;
}

/** The result of one walk through a graph. `result` holds the outputs of its last nodes, by node id. */
export type GraphEnd =
  | { kind: 'succeeded'; result: Record<string, unknown> }
  | { kind: 'failed'; error: string; failsRun: boolean; failed: FailedStep }
  | Pending;

/** Merges several waits: the earliest time, and the paths of all. */
export function mergePending(pending: Pending[]): Pending {
  const times = pending.flatMap(({ wakeAt }) => (wakeAt === null ? [] : [wakeAt.getTime()]));
  return {
    kind: 'pending',
    wakeAt: times.length > 0 ? new Date(Math.min(...times)) : null,
    paths: pending.flatMap(({ paths }) => paths),
  };
}
