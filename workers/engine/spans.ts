import type { CallLog, CallTrace } from '#src/automation/node-api/sent-calls.ts';
import { newSpanId, newTraceId, type TraceContext } from '#src/infra/tracing/trace-context.ts';
import type { Tracing } from '#src/infra/tracing/tracing.ts';
import type { ClaimedRun } from './claim-runs.ts';
import type { StepRecord } from './statements/step-log.ts';
import type { Attempt, RunUnderWay, StepRun } from './types.ts';

/** The span of a run; undefined for one that is not traced. */
export const findRunSpan = (
  tracing: Tracing,
  { cause: { trace }, tenantId, id }: ClaimedRun,
): TraceContext | undefined => trace && tracing.within(trace, 'run', tenantId, id);

const nameRun = ({ tenantId, workflowId, id, isTest }: ClaimedRun) => ({
  'causeway.tenant': tenantId,
  'causeway.workflow': workflowId,
  'causeway.run': id,
  ...(isTest && { 'causeway.test': true }),
});

/** The trace context of an attempt at a step, for the requests, events and runs that it causes; undefined for a run that is not traced. */
export function findTrace({ drive, path }: StepRun, { number }: Pick<Attempt, 'number'>): CallTrace | undefined {
  const { tracing, span } = drive;
  return span && { tracing, step: tracing.within(span, 'step', path, number) };
}

/** The same with the id of the request that started the run, in the form of a log of calls. */
export const findCause = (step: StepRun, attempt: Pick<Attempt, 'number'>): Pick<CallLog, 'trace' | 'requestId'> => ({
  trace: findTrace(step, attempt),
  requestId: step.drive.run.cause.requestId,
});

/** Records an attempt at a step that has ended, or that something outside of the engine ends. */
export function recordStepSpan(
  step: StepRun,
  { attempt, status, startedAt, error, node, waitingFor }: StepRecord,
): void {
  const { tracing, run } = step.drive;
  const isOver =
    status === 'succeeded' ||
    status === 'failed' ||
    (status === 'waiting' && waitingFor !== 'time' && !waitingFor?.startsWith('rate_limit:'));
  const context = isOver && tracing.isOn && run.cause.trace?.isSampled && findTrace(step, { number: attempt })?.step;
  if (!context) return;
  tracing.record({
    context,
    parentId: step.drive.span?.spanId,
    name: 'step',
    kind: 'internal',
    from: Date.parse(startedAt),
    to: Date.now(),
    attributes: {
      ...nameRun(run),
      'causeway.path': step.path,
      'causeway.attempt': attempt,
      'causeway.node': node,
      'causeway.status': status,
    },
    error: error === null ? undefined : (JSON.parse(error) as { code: string }).code,
  });
}

/** Records how long a run waited for a worker. */
export function recordClaimSpan(tracing: Tracing, run: ClaimedRun): void {
  const { cause, fresh, createdAt, startedAt } = run;
  if (!fresh || !tracing.isOn || !cause.trace?.isSampled) return;
  const context = findRunSpan(tracing, run) as TraceContext;
  tracing.record({
    context: tracing.within(context, 'claim'),
    parentId: context.spanId,
    name: 'claim',
    kind: 'internal',
    from: createdAt.getTime(),
    to: startedAt.getTime(),
    attributes: nameRun(run),
  });
}

/** Records a run that has ended, from when it was made. */
export function recordRunSpan(
  tracing: Tracing,
  run: ClaimedRun,
  { status, failedCode }: { status: string; failedCode: string | undefined },
): void {
  const { cause, createdAt, triggerType, revision } = run;
  if (!tracing.isOn || !cause.trace?.isSampled) return;
  tracing.record({
    context: findRunSpan(tracing, run) as TraceContext,
    parentId: cause.trace.spanId,
    name: 'run',
    kind: 'internal',
    from: createdAt.getTime(),
    to: Date.now(),
    attributes: {
      ...nameRun(run),
      'causeway.revision': revision,
      'causeway.trigger': triggerType,
      'causeway.status': status,
    },
    error: status === 'failed' ? (failedCode ?? 'RUN_FAILED') : undefined,
  });
}

/** Links that a collector is sure to keep. */
const maxLinks = 100;

/** Records a commit that holds entries of traced runs. It belongs to many, so it is a trace of its own that links to them. */
export function recordCommitSpan(
  tracing: Tracing,
  batch: readonly { held: Pick<RunUnderWay, 'span'> }[],
  ms: number,
): void {
  if (!tracing.isOn) return;
  const carried = new Set(batch.map(({ held: { span } }) => span));
  const links = [...carried].filter((span) => span?.isSampled).slice(0, maxLinks) as TraceContext[];
  if (links.length === 0) return;
  const to = Date.now();
  tracing.record({
    context: { traceId: newTraceId(), spanId: newSpanId(), isSampled: true },
    name: 'commit',
    kind: 'internal',
    from: to - ms,
    to,
    attributes: { 'causeway.entries': batch.length, 'causeway.runs': carried.size },
    links,
  });
}
