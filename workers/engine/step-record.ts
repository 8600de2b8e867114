import { randomUUID } from 'node:crypto';
import type { NodeError } from '#src/automation/node-api/node-error.ts';
import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { storableJson } from '#src/infra/json.ts';
import { observations } from '#src/infra/observations/observations.ts';
import type { CompiledNode } from './bundle.ts';
import { recordStepSpan } from './spans.ts';
import type { StepRecord } from './statements/step-log.ts';
import type { Attempt, Drive, StepRun } from './types.ts';

let lastMs = 0;
let count = 0;

/**
 * The present instant as ISO text. Its microseconds count the calls within a millisecond, so that steps can be listed in the
 * order this process began them; after a thousand calls they no longer increase.
 */
export function nextInstant(): string {
  const ms = Date.now();
  count = ms === lastMs ? Math.min(count + 1, 999) : 0;
  lastMs = ms;
  return `${new Date(ms).toISOString().slice(0, -1)}${String(count).padStart(3, '0')}Z`;
}

const maxErrorLength = 2_000;

/** Details are stored with the step and shown in full, so a long one is truncated. */
function excerpt(detail: unknown): unknown {
  const text = typeof detail === 'string' ? detail : JSON.stringify(detail);
  return text !== undefined && text.length > maxErrorLength
    ? `${text.slice(0, maxErrorLength).toWellFormed()}…`
    : detail;
}

const excerpts = (details: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(details).map(([name, detail]) => [name, excerpt(detail)]));

const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** The recorded form of a failure. Redacted before it is truncated: half of a secret would not be recognised. */
export const toStepError = ({ drive: { secrets } }: StepRun, error: NodeError) => ({
  code: storableText(secrets.text(error.code).slice(0, 100)),
  message: storableText(secrets.text(error.message).slice(0, maxErrorLength)),
  ...(error.details && { details: excerpts(secrets.value(error.details)) }),
});

/** Appends an attempt to the step log; resolves once it is durable. */
export function record(
  step: StepRun,
  attempt: Attempt,
  result: {
    status: StepRecord['status'];
    branch?: string;
    origin?: StepRecord['origin'];
    outputs?: string;
    error?: ReturnType<typeof toStepError>;
    wakeAt?: Date | null;
    waitingFor?: string;
    resumeToken?: string;
  },
): Promise<void> {
  clearTimeout(attempt.starting);
  const recorded = stepRecord(step, attempt, result);
  recordStepSpan(step, recorded);
  const { node, status, startedAt } = recorded;
  if (status === 'succeeded' || status === 'failed')
    observations.stepEnded.tell({ node, status, ms: Date.now() - Date.parse(startedAt) });
  return step.drive.stepLog.append(step.drive.underWay, { kind: 'step', step: recorded });
}

/** A step that ends sooner is recorded once, with its result; the start of a longer one is recorded as well. */
const startAfterMs = 20;
const maxInputLength = 16 * 1024;

/** Keeps the config of an attempt, and records its start unless it ends within `startAfterMs`. */
export function begin(step: StepRun, attempt: Attempt, config: unknown): void {
  attempt.inputs = inputsText(step, config);
  attempt.starting = setTimeout(() => {
    attempt.isStartRecorded = true;
    const started = stepRecord(step, attempt, { status: 'running' });
    step.drive.stepLog.append(step.drive.underWay, { kind: 'start', step: started }).catch(ignore);
  }, startAfterMs);
}

/** The config as it is recorded: redacted and truncated. */
function inputsText({ drive: { secrets } }: StepRun, config: unknown): string | null {
  try {
    const text = storableJson(secrets.value(config ?? null), 'inputs');
    if (text.length <= maxInputLength) return text;
    return JSON.stringify({ truncated: true, length: text.length, start: text.slice(0, 1_000).toWellFormed() });
  } catch {
    // A result that cannot be stored is a failure of the node.
    return null;
  }
}

export function stepRecord(step: StepRun, attempt: Attempt, result: Parameters<typeof record>[2]): StepRecord {
  const { run, secrets } = step.drive;
  return {
    tenantId: run.tenantId,
    runId: run.id,
    path: step.path,
    attempt: attempt.number,
    generation: run.retries,
    nodeId: step.compiled.node.id,
    node: step.compiled.node.node,
    nodeVersion: step.compiled.version,
    status: result.status,
    branch: result.branch ?? null,
    origin: result.origin ?? null,
    inputs: attempt.inputs,
    outputs: result.outputs ?? null,
    calls: attempt.calls.length === 0 ? null : storableJson(secrets.value(attempt.calls), 'calls'),
    error: result.error ? errorText(result.error) : null,
    waitingFor: result.waitingFor ?? null,
    resumeToken: result.resumeToken ?? null,
    wakeAt: result.wakeAt ?? null,
    startedAt: attempt.startedAt,
    completedAt: result.status === 'waiting' || result.status === 'running' ? null : new Date(),
    isNotified: attempt.isStartRecorded || result.status === 'waiting',
    logs: attempt.logs.map((line) => ({ ...line, message: secrets.text(line.message) })),
    events: result.status === 'succeeded' ? attempt.events : [],
  };
}

/** Details come from outside and may not be storable; the failure is then recorded without them. */
function errorText(error: ReturnType<typeof toStepError>): string {
  try {
    return storableJson(error, 'error');
  } catch {
    return JSON.stringify({ code: error.code, message: error.message });
  }
}

/** Records that a node was skipped, because no edge to it was taken. */
export function recordSkip(
  drive: Drive,
  path: string,
  { node: { id: nodeId, node }, version: nodeVersion }: CompiledNode,
): void {
  const { tenantId, id: runId, retries: generation } = drive.run;
  const step: StepRecord = {
    tenantId,
    runId,
    path,
    attempt: 1,
    generation,
    nodeId,
    node,
    nodeVersion,
    status: 'skipped',
    branch: null,
    origin: null,
    inputs: null,
    outputs: null,
    calls: null,
    error: null,
    waitingFor: null,
    resumeToken: null,
    wakeAt: null,
    startedAt: nextInstant(),
    completedAt: new Date(),
    isNotified: false,
    logs: [],
    events: [],
  };
  drive.stepLog.append(drive.underWay, { kind: 'step', step }).catch(ignore);
}

/** For entries that nobody awaits: a failure of the step log ends the run anyway. */
export const ignore = (): void => undefined;

export const newAttempt = (number: number): Attempt => ({
  number,
  startedAt: nextInstant(),
  inputs: null,
  isStartRecorded: false,
  logs: [],
  events: [],
  calls: [],
});

export const newToken = (): string => randomUUID();

const maxLogLines = 1_000;

/** Keeps the lines that an attempt's code logs. */
export const keepLines =
  (logs: Attempt['logs']) =>
  ({ level, message }: NodeLogLine): void => {
    if (logs.length < maxLogLines) logs.push({ level, message: message.replaceAll('\0', ''), at: new Date() });
  };
