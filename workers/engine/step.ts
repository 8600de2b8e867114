import { createHash } from 'node:crypto';
import { alwaysFailsRun } from '#src/automation/blob/graph.rules.ts';
import { ExpressionError } from '#src/automation/expressions/expression-error.ts';
import { type NodeContext, portsFor, type RunnableNode } from '#src/automation/node-api/builtin-node.ts';
import { failureCodes } from '#src/automation/node-api/failure-codes.ts';
import { withLists } from '#src/automation/node-api/list-fields.ts';
import { assertFits, withInnerLists } from '#src/automation/node-api/nested-fields.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import { RateLimitedError } from '#src/automation/node-api/rate-limited-error.ts';
import { assertFilled } from '#src/automation/node-api/required-fields.ts';
import { executeNode } from '#src/automation/node-api/secret-outputs.ts';
import { retryDelay } from '#src/automation/workflows/backoff.rules.ts';
import { AppError, ValidationError } from '#src/infra/errors.ts';
import { isStorable, storableJson, unstorable } from '#src/infra/json.ts';
import { type ControlEnd, runControl } from './control.ts';
import { isRefusal, recordRateWait } from './rate-waits.ts';
import { findCause } from './spans.ts';
import type { GivenOutputs, RecordedStep } from './statements/run-claims.ts';
import { begin, toStepError, ignore, keepLines, newAttempt, record } from './step-record.ts';
import { sleep, StoppedError, throwIfStopped } from './stopping.ts';
import type { Attempt, FailedStep, Pending, StepEnd, StepRun } from './types.ts';

/** The result of an attempt that succeeded. */
interface Success {
  outputs: Record<string, unknown>;
  branch?: string;
  response?: { value: unknown };
}

type Config = Record<string, unknown>;

const defaultTimeoutMs = 60_000;
/** Shorter waits keep the run on this worker; longer ones suspend it, which frees its slot for another run. */
const maxSleepMs = 1_000;
const maxOutputBytes = 4 * 1024 * 1024;

/** Runs a step until it is decided or has to wait. Rejects with StoppedError when the run is stopped meanwhile. */
export async function runStep(step: StepRun): Promise<StepEnd> {
  const attempts = step.drive.recorded.get(step.path) ?? [];
  const last = attempts.at(-1);
  const given = step.drive.given.size > 0 ? step.drive.given.get(nodePath(step.path)) : undefined;
  if (given) return takeGiven(step, newAttempt((last?.attempt ?? 0) + 1), given);
  if (step.compiled.builtin?.effect === 'control') return decided(await runControl(step, last), step);
  const pending = last && pendingRetry(last);
  if (pending) return pending;
  const { retries } = step.drive.run;
  const failed = attempts.filter((attempt) => attempt.status === 'failed' && attempt.generation === retries);
  let refusals = failed.filter(isRefusal).length;
  let failures = failed.length - refusals;
  for (let number = (last?.attempt ?? 0) + (last?.status === 'waiting' ? 0 : 1); ; number += 1) {
    const attempt = newAttempt(number);
    const result = await tryOnce(step, attempt);
    throwIfStopped(step.signal);
    if (!(result instanceof NodeError)) return succeed(step, attempt, result);
    if (result instanceof RateLimitedError) {
      refusals += 1;
      const wait = await recordRateWait(step, attempt, { error: result, refusals });
      if (wait === 'again') continue;
      return wait ?? fail(step, attempt, result);
    }
    failures += 1;
    const policy = step.compiled.node.retry;
    const delay = policy && isWorthRetrying(result) ? retryDelay(policy, failures) : null;
    if (delay === null) return fail(step, attempt, result);
    const wakeAt = new Date(Date.now() + delay);
    await record(step, attempt, { status: 'failed', error: toStepError(step, result), wakeAt });
    if (delay > maxSleepMs) return { kind: 'pending', wakeAt, paths: [step.path] };
    await sleep(delay, step.signal);
  }
}

/** The path of a step's node: that of the step without the indexes of items. */
const nodePath = (path: string): string =>
  path
    .split('/')
    .filter((_, index) => index % 2 === 0)
    .join('/');

/** Records the outputs that a test run was given for the node, which is not executed. */
function takeGiven(step: StepRun, attempt: Attempt, { origin, branch, outputs }: GivenOutputs): Promise<StepEnd> {
  const response = step.compiled.node.node === 'core:respond' ? { value: outputs['value'] ?? null } : undefined;
  return succeed(step, attempt, { outputs, branch, ...(response && { response }) }, origin);
}

const isWorthRetrying = (error: NodeError): boolean => error.retryable && !error.failsRun;

/** The wait for the next attempt after a recorded failure; undefined when it is due, or there is none. */
function pendingRetry(last: RecordedStep): Pending | undefined {
  if (last.status !== 'failed' || last.wakeAt === null || last.wakeAt.getTime() <= Date.now()) return undefined;
  return { kind: 'pending', wakeAt: last.wakeAt, paths: [] };
}

/** Makes one attempt. Returns the node's own failure as a NodeError, and throws any other error. */
async function tryOnce(step: StepRun, attempt: Attempt): Promise<Success | NodeError> {
  try {
    const { fields, listFields, node, template } = step.compiled;
    const evaluated = template.evaluate(step.scope);
    const listed = withLists(listFields, node.config, evaluated instanceof Promise ? await evaluated : evaluated);
    const config = fields.length === 0 ? listed : withInnerLists(fields, listed as Config);
    begin(step, attempt, config);
    if (fields.length > 0) assertFits(fields, config as Config);
    const lease = step.compiled.builtin?.effect === 'pure' ? undefined : step.drive.ports.confirmLease();
    if (lease) await lease;
    assertFilled(step.compiled.requiredFields, config as Config);
    return await (step.compiled.builtin
      ? runBuiltin(step, attempt, config)
      : runPackage(step, attempt, config as Config));
  } catch (error) {
    if (step.signal.aborted) throw new StoppedError(step.signal.reason);
    return asNodeError(error);
  } finally {
    clearTimeout(attempt.starting);
  }
}

function asNodeError(error: unknown): NodeError {
  if (error instanceof NodeError) return error;
  if (error instanceof ExpressionError) return new NodeError('EXPRESSION_FAILED', error.message);
  if (error instanceof ValidationError) return new NodeError(error.code, listFaults(error) || error.message);
  if (error instanceof AppError) return new NodeError(error.code, error.message);
  throw error;
}

const listFaults = ({ fields }: ValidationError): string =>
  Object.entries(fields)
    .map(([field, faults]) => `${field}: ${faults.join(' ')}`)
    .join(' ');

export function runBuiltin(step: StepRun, attempt: Attempt, config: unknown): Success | Promise<Success> {
  const { drive, compiled, scope } = step;
  const builtin = compiled.builtin as RunnableNode;
  const execute = (getSignal: () => AbortSignal) => {
    // Few nodes use the signal or the key, which cost more than most nodes' own work.
    const ctx: NodeContext = {
      inputs: step.inputs,
      scope,
      hasEdge: (branch) => compiled.edgeBranches.has(branch),
      evaluate: (member, local) => compiled.template.deferred(member).evaluate(local ? { ...scope, ...local } : scope),
      ports: portsFor(builtin, () =>
        drive.ports.builtin(
          drive.run,
          drive.secrets,
          drive.bundle.state,
          { ...attempt, ...findCause(step, attempt) },
          {
            path: step.path,
            fields: compiled.credentialFields,
            config,
          },
        ),
      ),
      log: keepLines(attempt.logs),
      get signal() {
        return getSignal();
      },
      get idempotencyKey() {
        return builtin.effect === 'effect' ? idempotencyKey(step) : '';
      },
    };
    return executeNode(builtin, config, ctx, drive.secrets);
  };
  return builtin.effect === 'pure' ? execute(() => step.signal) : withTimeout(step, execute);
}

async function withTimeout<T>(step: StepRun, work: (getSignal: () => AbortSignal) => T | Promise<T>): Promise<T> {
  const limit = step.compiled.node.timeout_ms ?? defaultTimeoutMs;
  const { isRepeatable = true } = step.compiled.builtin as RunnableNode;
  const clock = new AbortController();
  let signal: AbortSignal | undefined;
  const timer = setTimeout(() => clock.abort(), limit);
  try {
    return await work(() => (signal ??= AbortSignal.any([step.signal, clock.signal])));
  } catch (error) {
    if (clock.signal.aborted && !step.signal.aborted) throw timedOut(limit, isRepeatable);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const timedOut = (limit: number, isRepeatable: boolean): NodeError =>
  new NodeError('TIMEOUT', `The node did not end within ${limit} ms.`, { retryable: isRepeatable });

async function runPackage(step: StepRun, attempt: Attempt, config: Config): Promise<Success> {
  const { codeHash, node, credentialFields } = step.compiled;
  if (codeHash === null) throw new NodeError('NO_CODE', `${node.node} has no built code, so it cannot be executed.`);
  const timeoutMs = node.timeout_ms ?? defaultTimeoutMs;
  const outcome = await step.drive.ports.package({
    run: step.drive.run,
    path: step.path,
    secrets: step.drive.secrets,
    state: step.drive.bundle.state,
    codeHash,
    credentialFields,
    config,
    inputs: step.inputs,
    idempotencyKey: idempotencyKey(step),
    timeoutMs,
    signal: step.signal,
    callLog: { calls: attempt.calls, ...findCause(step, attempt) },
    onLog: keepLines(attempt.logs),
  });
  if (outcome.ok) return outcome.value as Success;
  const { kind, error } = outcome;
  throw new NodeError(error.code ?? failureCodes[kind], error.message, {
    retryable: kind !== 'invalid_result',
  });
}

/**
 * Equal for every attempt of a step, and unique to that step. After a database is restored, ids of runs are
 * reused, so it also depends on the run's random value.
 */
export const idempotencyKey = ({ drive: { run }, path }: StepRun): string =>
  createHash('sha256')
    .update(`${run.tenantId}/${run.claim.nonce ?? run.id}/${path}`)
    .digest('base64url');

async function succeed(
  step: StepRun,
  attempt: Attempt,
  success: Success,
  origin?: GivenOutputs['origin'],
): Promise<StepEnd> {
  const { branch: taken = 'default', response } = success;
  let text: string;
  let outputs: Success['outputs'];
  try {
    outputs = step.drive.secrets.value(success.outputs);
    text = storableJson(outputs, 'outputs');
    if (!isStorable(taken)) throw new ValidationError({ branch: [unstorable] });
    if (text.length > maxOutputBytes)
      throw new NodeError(
        'OUTPUT_TOO_LARGE',
        `Outputs are ${text.length} bytes; at most ${maxOutputBytes} can be kept.`,
      );
  } catch (error) {
    return fail(step, attempt, asNodeError(error));
  }
  // The name of an edge's branch is in the workflow for all to read; any other name may contain a secret from an expression.
  const branch = step.compiled.edgeBranches.has(taken) ? taken : step.drive.secrets.value(taken);
  const written = record(step, attempt, {
    status: 'succeeded',
    branch,
    outputs: text,
    ...(origin && { origin }),
  });
  // A pure node's result can be recomputed, so it waits for the run's next commit; a side effect is durable before the
  // run continues.
  if (origin || step.compiled.builtin?.effect === 'pure') written.catch(ignore);
  else await written;
  if (response) step.drive.response = { value: step.drive.secrets.value(response.value) };
  return { kind: 'decided', outcome: { status: 'succeeded', branch }, outputs };
}

async function fail(step: StepRun, attempt: Attempt, error: NodeError, failed?: FailedStep): Promise<StepEnd> {
  const described = toStepError(step, error);
  await record(step, attempt, { status: 'failed', error: described });
  return {
    kind: 'decided',
    outcome: { status: 'failed' },
    outputs: { error: described },
    error: `${step.path}: ${described.message}`,
    // Even where its message cannot be computed.
    failsRun: error.failsRun || alwaysFailsRun(step.compiled.node),
    failed: failed ?? { step: step.path, code: described.code, message: described.message },
  };
}

/** Records the result of a control-flow node like that of any other node. */
async function decided(end: ControlEnd, step: StepRun): Promise<StepEnd> {
  if ('kind' in end) return end;
  return 'failure' in end
    ? fail(step, end.attempt, end.failure, end.failed)
    : succeed(step, end.attempt, { outputs: end.outputs });
}
