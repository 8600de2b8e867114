import { alwaysFailsRun, type StepOutcome } from '#src/automation/blob/graph.rules.ts';
import { resumeProgress, settle, startProgress, decideVerdict } from '#src/automation/blob/progress.rules.ts';
import { setOwn } from '#src/automation/expressions/json-value.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import type { CompiledGraph, CompiledNode } from './bundle.ts';
import { recordSkip } from './step-record.ts';
import { runStep } from './step.ts';
import { StoppedError } from './stopping.ts';
import { type Drive, type FailedStep, type GraphEnd, mergePending, type Pending } from './types.ts';

/**
 * Walks a graph as far as possible. Recorded steps are not run again; the others run concurrently, each as soon as its
 * predecessors are decided. A failure that no `on_error` catches stops the steps that are still running.
 */
export async function walk(
  drive: Drive,
  graph: CompiledGraph,
  prefix: string,
  scope: ExpressionScope,
  outerSignal: AbortSignal,
): Promise<GraphEnd> {
  const { plan } = graph;
  const trigger = prefix === '' ? drive.run.triggerHandle : null;
  const outcomes = drive.recorded.size === 0 ? noOutcomes : recordedOutcomes(drive, graph, prefix, scope);
  const start =
    outcomes.size > 0 ? resumeProgress(plan, trigger, outcomes) : { ...startProgress(plan, trigger), skipped: [] };
  const { progress } = start;
  const pending: Pending[] = [];
  let failure: { error: string; failsRun: boolean; failed: FailedStep } | undefined;
  const siblings = new AbortController();
  const signal = AbortSignal.any([outerSignal, siblings.signal]);

  const findNode = (id: string): CompiledNode => {
    const compiled = graph.nodes.get(id);
    if (!compiled) throw new Error(`The bundle has no node ${id}.`);
    return compiled;
  };
  const skip = (id: string): void => recordSkip(drive, `${prefix}${id}`, findNode(id));

  const run = async (id: string): Promise<void> => {
    const compiled = findNode(id);
    const inputs = collectInputs(plan.predecessors[plan.indexById.get(id) as number] ?? [], scope);
    const end = await runStep({ drive, compiled, path: `${prefix}${id}`, scope, inputs, signal }).catch(
      (error: unknown) => {
        // Stopped because a sibling failed; that failure is the result.
        if (error instanceof StoppedError && !outerSignal.aborted) return undefined;
        throw error;
      },
    );
    if (end === undefined) return;
    if (end.kind === 'pending') {
      pending.push(end);
      return;
    }
    // An id may be `__proto__`.
    setOwn(scope.nodes, id, { outputs: end.outputs });
    const { ready, skipped } = settle(plan, progress, id, end.outcome);
    if (end.failsRun || decideVerdict(progress) === 'failed') {
      failure ??= {
        error: end.error ?? `Node ${id} failed.`,
        failsRun: end.failsRun === true,
        failed: end.failed ?? { step: `${prefix}${id}`, code: unknownCode, message: end.error ?? unknownFailure },
      };
      siblings.abort('sibling-failed');
      return;
    }
    for (const skippedId of skipped) skip(skippedId);
    await all(ready.map(run));
  };

  for (const id of start.skipped) skip(id);
  await all(start.ready.map(run));
  if (failure) return { kind: 'failed', ...failure };
  if (progress.failedNode !== null)
    return {
      kind: 'failed',
      failsRun: alwaysFailsRun(findNode(progress.failedNode).node),
      ...recordedFailure(drive, `${prefix}${progress.failedNode}`),
    };
  if (pending.length > 0) return mergePending(pending);
  return { kind: 'succeeded', result: leafOutputs(plan.leaves, scope) };
}

/** Waits for all, even when one fails: no step may still be running after the run's end is recorded. */
async function all(work: Promise<void>[]): Promise<void> {
  if (work.length === 1) return work[0];
  for (const end of await Promise.allSettled(work)) if (end.status === 'rejected') throw end.reason;
}

const noOutcomes: ReadonlyMap<string, StepOutcome> = new Map();

/** Adds the recorded outputs to the scope, and returns the outcomes that the walk resumes from. */
export function recordedOutcomes(
  drive: Drive,
  graph: CompiledGraph,
  prefix: string,
  scope: ExpressionScope,
): Map<string, StepOutcome> {
  const outcomes = new Map<string, StepOutcome>();
  for (const id of graph.nodes.keys()) {
    const last = drive.recorded.get(`${prefix}${id}`)?.at(-1);
    if (!last || last.status === 'waiting') continue;
    // A failure is final only when no attempt is left and the run has not been retried since.
    if (last.status === 'failed' && (last.wakeAt !== null || last.generation < drive.run.retries)) continue;
    outcomes.set(id, { status: last.status, branch: last.branch });
    if (last.status === 'succeeded') setOwn(scope.nodes, id, { outputs: last.outputs ?? {} });
    if (last.status === 'failed') setOwn(scope.nodes, id, { outputs: { error: last.error } });
  }
  return outcomes;
}

/** The failure recorded before this walk: of a sub-workflow, or of a step whose run was then interrupted. */
function recordedFailure({ recorded }: Drive, path: string) {
  const error = recorded.get(path)?.at(-1)?.error;
  return {
    error: `${path}: ${error?.message ?? unknownFailure}`,
    failed: { step: path, code: error?.code ?? unknownCode, message: error?.message ?? unknownFailure },
  };
}

const unknownCode = 'NODE_FAILED';
const unknownFailure = 'The node failed.';

const collectInputs = (predecessors: readonly string[], scope: ExpressionScope): Record<string, unknown> => {
  const inputs: Record<string, unknown> = {};
  for (const id of predecessors) if (Object.hasOwn(scope.nodes, id)) setOwn(inputs, id, scope.nodes[id]?.outputs);
  return inputs;
};

const leafOutputs = (leaves: readonly string[], scope: ExpressionScope): Record<string, unknown> =>
  Object.fromEntries(leaves.flatMap((id) => (Object.hasOwn(scope.nodes, id) ? [[id, scope.nodes[id]?.outputs]] : [])));
