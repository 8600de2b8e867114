import type { z } from 'zod';
import { forEachConfig, maxItems, splitOutput } from '#src/automation/core-nodes/for-each.ts';
import { subWorkflowConfig } from '#src/automation/core-nodes/sub-workflow.ts';
import { waitConfig } from '#src/automation/core-nodes/wait.ts';
import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { valueAt } from '#src/automation/http-calls/json-path.ts';
import { readConfig } from '#src/automation/node-api/builtin-node.ts';
import { withLists } from '#src/automation/node-api/list-fields.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { AppError } from '#src/infra/errors.ts';
import { recordStepSpan, findTrace } from './spans.ts';
import type { RecordedStep } from './statements/run-claims.ts';
import { begin, newAttempt, newToken, record, stepRecord } from './step-record.ts';
import { sleep, StoppedError, throwIfStopped } from './stopping.ts';
import { type Attempt, type FailedStep, mergePending, type Pending, type StepRun } from './types.ts';

/** A wait that is recorded, or a result that is not recorded yet. */
export type ControlEnd =
  | Pending
  | { outputs: Record<string, unknown>; attempt: Attempt }
  | { failure: NodeError; attempt: Attempt; failed?: FailedStep };

/** Shorter waits keep the run on this worker; longer ones suspend it, which frees its slot for another run. */
const maxSleepMs = 1_000;

/** Runs a control-flow node. `last` is its latest recorded attempt, when the run is resumed. */
export async function runControl(step: StepRun, last: RecordedStep | undefined): Promise<ControlEnd> {
  const attempt = newAttempt(last?.status === 'waiting' ? last.attempt : (last?.attempt ?? 0) + 1);
  try {
    const { node } = step.compiled;
    if (node.node === 'core:wait') return await wait(step, last, attempt);
    if (node.node === 'core:sub-workflow') return await subWorkflow(step, last, attempt);
    return await forEach(step, attempt);
  } catch (error) {
    if (step.signal.aborted) throw new StoppedError(step.signal.reason);
    if (error instanceof NodeError) return { failure: error, attempt };
    if (error instanceof ExpressionError)
      return { failure: new NodeError('EXPRESSION_FAILED', error.message), attempt };
    if (error instanceof AppError) return { failure: new NodeError(error.code, error.message), attempt };
    throw error;
  } finally {
    clearTimeout(attempt.starting);
  }
}

async function config<S extends z.ZodType>(step: StepRun, attempt: Attempt, schema: S): Promise<z.output<S>> {
  const { listFields, node, template } = step.compiled;
  const given = withLists(listFields, node.config, await template.evaluate(step.scope));
  begin(step, attempt, given);
  return readConfig(schema, given);
}

/** Waits until a time, or until the run is resumed with data. */
async function wait(step: StepRun, last: RecordedStep | undefined, attempt: Attempt): Promise<ControlEnd> {
  let wakeAt = last?.status === 'waiting' ? last.wakeAt : null;
  if (last?.status !== 'waiting') {
    const { duration_ms: duration, until, resume } = await config(step, attempt, waitConfig);
    if (resume === true) {
      await record(step, attempt, { status: 'waiting', waitingFor: 'resume', resumeToken: newToken() });
      return { kind: 'pending', wakeAt: null, paths: [step.path] };
    }
    wakeAt = duration === null || duration === undefined ? new Date(until as string) : new Date(Date.now() + duration);
    await record(step, attempt, { status: 'waiting', waitingFor: 'time', wakeAt });
  }
  if (wakeAt === null) return { kind: 'pending', wakeAt: null, paths: [step.path] };
  const left = wakeAt.getTime() - Date.now();
  if (left > maxSleepMs) return { kind: 'pending', wakeAt, paths: [step.path] };
  if (left > 0) await sleep(left, step.signal);
  return { outputs: { data: null }, attempt };
}

async function subWorkflow(step: StepRun, last: RecordedStep | undefined, attempt: Attempt): Promise<ControlEnd> {
  // The child run completes this step when it ends.
  if (last?.status === 'waiting') return { kind: 'pending', wakeAt: null, paths: [step.path] };
  const { workflow_id: workflowId, payload, wait: waits } = await config(step, attempt, subWorkflowConfig);
  const starting = stepRecord(step, attempt, { status: 'waiting' });
  const { runId } = await step.drive.ports.subWorkflow(step.drive.run, {
    workflowId,
    payload: step.drive.secrets.value(payload ?? null),
    wait: waits,
    step: starting,
    cause: { ...step.drive.run.cause, trace: findTrace(step, attempt)?.step },
  });
  recordStepSpan(step, starting);
  step.drive.underWay.recorded = { path: step.path, attempt: attempt.number, status: 'waiting' };
  if (waits) return { kind: 'pending', wakeAt: null, paths: [step.path] };
  return { outputs: { run_id: runId, result: null }, attempt };
}

/** The next item of a loop: an output of the body, which is null after the last item. */
function readNext(nodes: ExpressionScope['nodes'], from: string, index: number): unknown {
  const [id, output] = splitOutput(from);
  const found = Object.hasOwn(nodes, id) ? valueAt(nodes[id]?.outputs, output) : { missing: id };
  if ('value' in found) return found.value;
  throw new NodeError(
    'LOOP_NEXT',
    `Item ${index} has no output ${from}. Correct config.next, or let the node output null after the last item.`,
  );
}

/** Runs the body for every item, at most `concurrency` at a time. An item that has to wait keeps its slot. */
async function forEach(step: StepRun, attempt: Attempt): Promise<ControlEnd> {
  const { body } = step.compiled;
  if (!body) throw new NodeError('INVALID_CONFIG', 'config.body: A loop needs a body.');
  const { items, concurrency, on_error: onError, next: from } = await config(step, attempt, forEachConfig);
  const results: unknown[] = Array.from({ length: items.length }, () => null);
  const pending: Pending[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([step.signal, stop.signal]);
  let failure: NodeError | undefined;
  let failed: FailedStep | undefined;
  let next = 0;

  const work = async (): Promise<void> => {
    while (next < items.length && !failure) {
      const index = next;
      next += 1;
      const scope = { ...step.scope, nodes: { ...step.scope.nodes }, item: items[index], index };
      const end = await step.drive.walk(body, `${step.path}/${index}/`, scope, signal);
      if (end.kind === 'pending') {
        pending.push(end);
        return;
      }
      if (end.kind === 'succeeded') {
        results[index] = end.result;
        const more = from == null || from === '' ? null : readNext(scope.nodes, from, index);
        if (more !== null) items.push(more);
        if (items.length > maxItems)
          throw new NodeError('LOOP_LIMIT', `A loop has at most ${maxItems} items, and its body asked for more.`);
      } else if (onError === 'continue' && !end.failsRun) results[index] = { error: end.error };
      else {
        failure ??= new NodeError('ITEM_FAILED', `Item ${index}: ${end.error}`, {
          failsRun: end.failsRun,
          details: { index },
        });
        failed ??= end.failed;
        stop.abort('sibling-failed');
      }
    }
  };

  const workers = Array.from({ length: Math.min(concurrency, items.length) }, work);
  const ends = await Promise.allSettled(workers);
  throwIfStopped(step.signal);
  if (failure) return { failure, attempt, ...(failed && { failed }) };
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return pending.length > 0 ? mergePending(pending) : { outputs: { results }, attempt };
}
