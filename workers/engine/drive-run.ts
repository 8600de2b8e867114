import type { ExpressionScope } from '#src/automation/expressions/scope.ts';
import { logFailedRun } from '#src/automation/runs/run-finishing.service.ts';
import type { FinishedRun } from '#src/automation/runs/run-finishing.store.ts';
import type { Deps } from '#src/infra/deps.ts';
import { storableJson } from '#src/infra/json.ts';
import { createKnownSecrets, type KnownSecrets } from '#src/infra/logs/known-secrets.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { isPassing } from '#src/infra/postgres/outages.ts';
import type { CompiledBundle, CompiledGraph } from './bundle.ts';
import type { ClaimedRun } from './claim-runs.ts';
import type { StepPorts } from './ports.ts';
import { readNamedSecrets, recallSecrets } from './recall-secrets.ts';
import { recordClaimSpan, recordRunSpan } from './spans.ts';
import { type GivenOutputs, loadGivenOutputs, loadSteps, type RecordedStep } from './statements/run-claims.ts';
import type { StepLog } from './step-log.ts';
import { StoppedError, type StopReason, throwIfStopped } from './stopping.ts';
import type { Drive, GraphEnd, RunUnderWay } from './types.ts';
import { walk } from './walk.ts';
import { LeaseLostError, RunNotHeldError } from './write-step-log.ts';

export interface DriveOptions {
  deps: Deps;
  run: ClaimedRun;
  loadBundle: (tenantId: string, bundleId: number) => Promise<CompiledBundle>;
  stepLog: StepLog;
  ports: StepPorts;
  underWay: RunUnderWay;
  /** Called when the run notices that the lease is lost. */
  onLeaseLost: () => void;
  /** Called when the run notices that this worker does not hold it. */
  onNotHeld: () => void;
}

/**
 * Drives a run from its recorded steps until it ends, has to wait, or is stopped, and records which. Never rejects: a
 * bug is logged and fails the run with a masked message; after a database outage the run goes back to the queue and is
 * resumed from its recorded steps.
 */
export async function driveRun(options: DriveOptions): Promise<void> {
  const { run, stepLog, underWay, deps } = options;
  const { stop } = underWay;
  const finish = async (
    status: FinishedRun['status'],
    error: string | null,
    { result, failure }: { result?: unknown; failure?: FinishedRun['failure'] } = {},
  ): Promise<void> => {
    await stepLog.append(underWay, {
      kind: 'finish',
      run: {
        tenantId: run.tenantId,
        runId: run.id,
        status,
        error,
        result: result === undefined ? null : storableJson(result, 'result'),
        ...(failure && { failure }),
      },
    });
    recordRunSpan(deps.tracing, run, { status, failedCode: failure?.code });
    observations.runEnded.tell({ status, ms: Date.now() - run.createdAt.getTime() });
  };
  let timer: NodeJS.Timeout | undefined;
  recordClaimSpan(deps.tracing, run);
  if (run.fresh) observations.runClaimed.tell({ waitedMs: run.startedAt.getTime() - run.createdAt.getTime() });
  try {
    const bundle = await options.loadBundle(run.tenantId, run.bundleId);
    const deadline = findDeadline(run, bundle);
    if (deadline !== undefined) timer = stopAt(deadline, stop);
    throwIfStopped(stop.signal);
    const drive = await newDrive(options, bundle);
    const scope = buildScope(run, options.ports.secrets(run, drive.secrets), drive.secrets);
    if (bundle.usesSecrets) {
      await readNamedSecrets(drive, scope);
      if (!run.fresh) await recallSecrets(drive, scope, stop.signal);
      throwIfStopped(stop.signal);
    }
    const end = await drive.walk(bundle.graph, '', scope, stop.signal);
    if (end.kind === 'succeeded')
      await finish('succeeded', null, { result: drive.response ? drive.response.value : end.result });
    else if (end.kind === 'failed') {
      const { step, code, message } = end.failed;
      await finish('failed', end.error, { failure: { node: nodeAt(bundle.graph, step) ?? null, code, message } });
      if (!run.isTest) logFailedRun(deps.log, run, end.failed);
    } else await suspend(options, end, deadline);
  } catch (error) {
    if (error instanceof LeaseLostError) return options.onLeaseLost();
    if (error instanceof RunNotHeldError) return options.onNotHeld();
    const reason: StopReason | undefined = error instanceof StoppedError ? error.reason : undefined;
    // A draining worker puts its runs back into the queue; recorded steps stay recorded.
    if (reason === 'draining' || reason === 'lease-lost' || reason === 'not-held') return;
    if (reason === undefined && isPassing(error)) return await release(options, error);
    if (reason === undefined) {
      const { tenantId, workflowId, id: runId } = run;
      const at = { tenantId, workflowId, runId, step: null, code: 'INTERNAL' };
      deps.log.error({ err: error, ...at }, 'A run failed with an unexpected error.');
    }
    try {
      const { status, error, ...more } = describeStop(reason);
      await finish(status, error, more);
      if (reason === 'timeout' && !run.isTest) logFailedRun(deps.log, run, { step: null, code: 'RUN_TIMEOUT' });
    } catch (failure) {
      if (!isGivenUp(failure))
        deps.log.error({ err: failure, runId: run.id }, 'The end of a run could not be recorded.');
    }
  } finally {
    clearTimeout(timer);
  }
}

/** The end of a run that was cancelled or exceeded its time limit; without a reason, of one that a bug ended. */
function describeStop(reason: StopReason | undefined): Pick<FinishedRun, 'status' | 'error' | 'failure'> {
  if (reason === 'cancelled') return { status: 'cancelled', error: null };
  const [code, error] =
    reason === 'timeout'
      ? (['RUN_TIMEOUT', 'The run exceeded its time limit.'] as const)
      : (['INTERNAL', 'Server Error'] as const);
  return { status: 'failed', error, failure: { node: null, code, message: error } };
}

/** Puts the run back into the queue. The step log retries this until the database takes it, or the lease is lost. */
async function release({ deps, run, stepLog, underWay }: DriveOptions, error: unknown): Promise<void> {
  const { tenantId, id: runId } = run;
  deps.log.warn({ err: error, tenantId, runId }, 'A run was interrupted and goes back to the queue.');
  await stepLog.append(underWay, { kind: 'release', run: { tenantId, runId } }).catch((failure: unknown) => {
    if (!isGivenUp(failure)) deps.log.error({ err: failure, runId }, 'A run could not be put back into the queue.');
  });
}

/** True when this worker no longer holds the run: another worker has it, or it goes back to the queue. */
const isGivenUp = (failure: unknown): boolean =>
  failure instanceof LeaseLostError || failure instanceof RunNotHeldError;

/** A test run is kept for a day, so it may not wait for longer. */
const longestTestMs = 24 * 3_600_000;

function findDeadline({ isTest, startedAt }: ClaimedRun, { settings }: CompiledBundle): number | undefined {
  const limit = isTest ? Math.min(settings.timeout_ms ?? longestTestMs, longestTestMs) : settings.timeout_ms;
  return limit && startedAt.getTime() + limit;
}

const longestTimerMs = 2 ** 31 - 1;

function stopAt(deadline: number, stop: AbortController): NodeJS.Timeout | undefined {
  const left = deadline - Date.now();
  if (left <= 0) stop.abort('timeout');
  return left > longestTimerMs ? undefined : setTimeout(() => stop.abort('timeout'), Math.max(left, 0));
}

async function newDrive({ deps, run, underWay, stepLog, ports }: DriveOptions, bundle: CompiledBundle): Promise<Drive> {
  const steps = run.fresh ? [] : await loadSteps(deps, run.tenantId, run.id);
  const drive: Drive = {
    run,
    underWay,
    bundle,
    stepLog,
    ports,
    secrets: createKnownSecrets(),
    tracing: deps.tracing,
    span: underWay.span,
    recorded: byPath(steps),
    given: run.isTest ? await loadGivenOutputs(deps, run.tenantId, run.id) : nothingGiven,
    response: lastResponse(bundle, steps),
    walk: (graph, prefix, scope, signal) => walk(drive, graph, prefix, scope, signal),
  };
  return drive;
}

const nothingGiven: ReadonlyMap<string, GivenOutputs> = new Map();

function byPath(steps: RecordedStep[]): Map<string, RecordedStep[]> {
  const paths = new Map<string, RecordedStep[]>();
  for (const step of steps) {
    const attempts = paths.get(step.path);
    if (attempts) attempts.push(step);
    else paths.set(step.path, [step]);
  }
  return paths;
}

/** The value of the last core:respond step that was recorded. */
function lastResponse({ graph }: CompiledBundle, steps: RecordedStep[]): Drive['response'] {
  const responses = steps.filter((step) => step.status === 'succeeded' && nodeAt(graph, step.path) === 'core:respond');
  const [last] = responses.toSorted((a, b) => (b.completedAt?.getTime() ?? 0) - (a.completedAt?.getTime() ?? 0));
  return last && { value: last.outputs?.['value'] };
}

/** The slug of the node at a path, which may lead through the bodies of loops: `each/3/map`. */
function nodeAt(graph: CompiledGraph, path: string): string | undefined {
  const [id, , ...rest] = path.split('/');
  const found = graph.nodes.get(id ?? '');
  return rest.length > 0 && found?.body ? nodeAt(found.body, rest.join('/')) : found?.node.node;
}

/** The run's scope; the outputs of its nodes are added as they complete. */
const buildScope = (run: ClaimedRun, secrets: ExpressionScope['secrets'], known: KnownSecrets): ExpressionScope => ({
  trigger: { payload: run.payload, type: run.triggerType, handle: run.triggerHandle },
  nodes: {},
  run: { id: run.id, started_at: run.startedAt.toISOString() },
  secrets,
  known,
});

function suspend(
  { run, stepLog, underWay }: DriveOptions,
  end: Extract<GraphEnd, { kind: 'pending' }>,
  deadline: number | undefined,
): Promise<void> {
  // A run with a time limit also wakes at its deadline, and then fails.
  const times = [end.wakeAt?.getTime(), deadline].filter((time) => time !== undefined);
  return stepLog.append(underWay, {
    kind: 'suspend',
    run: {
      tenantId: run.tenantId,
      runId: run.id,
      wakeAt: times.length > 0 ? new Date(Math.min(...times)) : null,
      waitingPaths: end.paths,
    },
  });
}
