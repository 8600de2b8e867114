import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { enqueue } from '#src/automation/runs/run-creation.service.ts';
import { channels, type NoticeRow, noticeColumns, notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import type { StepStatus } from '#src/automation/runs/run-status.rules.ts';
import { executeRunJob } from '#src/automation/runs/runs.jobs.ts';
import { fromPg } from '#src/infra/jobs.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { together } from '#src/infra/postgres/together.ts';
import { insertEventsSql, wakeRelay } from '#src/journal/outbox/outbox.ts';
import { finishRuns, type FinishedRun } from './run-finishing.service.ts';

/** What one attempt of one step came to. JSON fields are storable text. */
export interface StepRecord {
  tenantId: string;
  runId: number;
  path: string;
  attempt: number;
  generation: number;
  nodeId: string;
  /** The node and its version, as `core:set` and `1.0.0`. */
  node: string;
  nodeVersion: string;
  status: StepStatus;
  /** What the node was given: its config after expressions, redacted and capped. Null before it is known. */
  inputs: string | null;
  branch: string | null;
  outputs: string | null;
  error: string | null;
  waitingFor: string | null;
  resumeToken: string | null;
  wakeAt: Date | null;
  startedAt: Date;
  completedAt: Date | null;
  /** Whether those who watch the run's steps are told. Of a step that ended at once they hear with what comes next. */
  isTold: boolean;
  logs: { level: string; message: string; at: Date }[];
  /** Events the node emitted; they go out with the step's record or not at all. */
  events: { topic: string; data: string }[];
}

/** A run that can do nothing until `wakeAt` or until one of its waiting steps is resolved. */
export interface SuspendedRun {
  tenantId: string;
  runId: number;
  /** The run's version at the claim: a run that was given up and claimed again is another's affair. */
  version: number;
  wakeAt: Date | null;
  /** Paths of the steps it waits for; one that has been resolved meanwhile wakes it at once. */
  waitingPaths: string[];
}

/** A run that its worker cannot go on with and hands back, to be taken up again from what is recorded. */
export type ReleasedRun = Pick<SuspendedRun, 'tenantId' | 'runId' | 'version'>;

export type JournalEntry =
  | { kind: 'start'; step: StepRecord }
  | { kind: 'step'; step: StepRecord }
  | { kind: 'finish'; run: FinishedRun; jobId: string }
  | { kind: 'suspend'; run: SuspendedRun; jobId: string }
  | { kind: 'release'; run: ReleasedRun; jobId: string };

/** The worker's lease is gone: others have its runs now, and nothing it did since counts. */
export class LeaseLostError extends Error {
  constructor() {
    super('The lease of this worker has expired.');
    this.name = 'LeaseLostError';
  }
}

/**
 * Writes entries of many runs in one commit, in order, under the worker's lease. Repeating a write whose answer was lost is
 * harmless: what is recorded stays as it was recorded. Throws LeaseLostError when the worker has been declared dead.
 */
export async function writeJournal(deps: RunDeps, workerId: string, entries: JournalEntry[]): Promise<void> {
  const steps = entries.flatMap((entry) => (entry.kind === 'step' ? [entry.step] : []));
  const started = entries.flatMap((entry) => (entry.kind === 'start' ? [entry.step] : []));
  const finished = entries.flatMap((entry) => (entry.kind === 'finish' ? [entry.run] : []));
  const suspended = entries.flatMap((entry) => (entry.kind === 'suspend' ? [entry.run] : []));
  const released = entries.flatMap((entry) => (entry.kind === 'release' ? [entry.run] : []));
  const jobIds = entries.flatMap((entry) => ('jobId' in entry ? [entry.jobId] : []));
  await deps.database.withSystem(async (client) => {
    // Sent together: what was recorded without the lease is rolled back.
    const [, , fresh] = await together([
      holdLease(client, workerId),
      recordStarts(client, started),
      recordSteps(client, steps),
    ]);
    await recordLogs(client, fresh);
    await finishRuns(client, deps, workerId, finished);
    await suspendRuns(client, deps, workerId, suspended);
    await releaseRuns(client, deps, workerId, released);
    if (jobIds.length > 0) await deps.jobs.boss.complete(executeRunJob.name, jobIds, null, { db: fromPg(client) });
  });
}

/** Holds the worker's lease until the transaction ends: it cannot be declared dead in between. */
export async function holdLease(client: SystemTx, workerId: string): Promise<void> {
  const { rowCount } = await client.query({
    name: 'hold-lease',
    text: 'SELECT FROM workers WHERE id = $1 AND lease_until > clock_timestamp() FOR KEY SHARE',
    values: [workerId],
  });
  if (rowCount !== 1) throw new LeaseLostError();
}

const inputColumns = `tenant_id, run_id, path, attempt, generation, node_id, node, node_version, status, branch, inputs, outputs, error, waiting_for,
  resume_token, wake_at, started_at, completed_at`;
const insertSteps = `
  INSERT INTO steps (${inputColumns})
  SELECT tenant_id, run_id, path, attempt, generation, node_id, node, node_version, status, branch, inputs::jsonb, outputs::jsonb, error::jsonb, waiting_for,
    resume_token, wake_at, started_at, completed_at
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::smallint[], $5::smallint[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::uuid[], $16::timestamptz[], $17::timestamptz[], $18::timestamptz[])
    AS t(${inputColumns})
  ON CONFLICT (tenant_id, run_id, path, attempt) DO UPDATE SET`;

// A row that is under way becomes its outcome's. Otherwise the first record stands: it is this one, written before the answer was lost.
const recordSql = `${insertSteps} status = excluded.status, branch = excluded.branch, inputs = coalesce(excluded.inputs, steps.inputs),
    outputs = excluded.outputs, error = excluded.error, waiting_for = coalesce(excluded.waiting_for, steps.waiting_for),
    resume_token = coalesce(excluded.resume_token, steps.resume_token), wake_at = excluded.wake_at, completed_at = excluded.completed_at
    WHERE steps.status = 'running' OR (steps.status = 'waiting' AND excluded.status <> 'waiting')
  RETURNING tenant_id, run_id, path, attempt`;

// An attempt that a crash cut off is made again.
const startSql = `${insertSteps} started_at = excluded.started_at, inputs = excluded.inputs WHERE steps.status = 'running'`;

const stepColumns = (steps: StepRecord[]): unknown[] => {
  const column = <T>(read: (step: StepRecord) => T): T[] => steps.map(read);
  return [
    column((step) => step.tenantId),
    column((step) => step.runId),
    column((step) => step.path),
    column((step) => step.attempt),
    column((step) => step.generation),
    column((step) => step.nodeId),
    column((step) => step.node),
    column((step) => step.nodeVersion),
    column((step) => step.status),
    column((step) => step.branch),
    column((step) => step.inputs),
    column((step) => step.outputs),
    column((step) => step.error),
    column((step) => step.waitingFor),
    column((step) => step.resumeToken),
    column((step) => step.wakeAt),
    column((step) => step.startedAt),
    column((step) => step.completedAt),
  ];
};

/** Records attempts that have begun, for those who watch: a run that is taken over makes them again. */
async function recordStarts(client: SystemTx, steps: StepRecord[]): Promise<void> {
  if (steps.length === 0) return;
  await client.query({ name: 'record-starts', text: startSql, values: stepColumns(steps) });
  notifySteps(client, steps);
}

const notifySteps = (client: SystemTx, steps: StepRecord[]): void =>
  client.notify(
    channels.steps,
    steps.map(({ tenantId, runId }) => [tenantId, runId]),
  );

/** Records the attempts with their events, and answers those that were not recorded already. */
export async function recordSteps(client: SystemTx, steps: StepRecord[]): Promise<StepRecord[]> {
  if (steps.length === 0) return [];
  const { rows } = await client.query<{ tenant_id: string; run_id: number; path: string; attempt: number }>({
    name: 'record-steps',
    text: recordSql,
    values: stepColumns(steps),
  });
  const written = new Set(rows.map((row) => `${row.tenant_id}/${row.run_id}/${row.path}#${row.attempt}`));
  const fresh =
    written.size === steps.length
      ? steps
      : steps.filter((step) => written.has(`${step.tenantId}/${step.runId}/${step.path}#${step.attempt}`));
  notifySteps(
    client,
    fresh.filter(({ isTold }) => isTold),
  );
  await emitEvents(client, fresh);
  return fresh;
}

async function emitEvents(client: SystemTx, steps: StepRecord[]): Promise<void> {
  const events = steps.flatMap((step) => step.events.map((event) => ({ ...event, step })));
  if (events.length === 0) return;
  await client.query({
    name: 'emit-events',
    text: insertEventsSql(`(
      SELECT r.tenant_id, i.topic, i.data::jsonb,
        jsonb_build_object('source', 'run', 'run_id', r.id, 'workflow_id', r.workflow_id, 'depth', r.depth,
          'root_run_id', coalesce(r.root_run_id, r.id)) AS metadata
      FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS i(tenant_id, topic, data, run_id, ord)
      JOIN runs r ON r.tenant_id = i.tenant_id AND r.id = i.run_id ORDER BY i.ord
    ) AS events`),
    values: [
      events.map(({ step }) => step.tenantId),
      events.map(({ topic }) => topic),
      events.map(({ data }) => data),
      events.map(({ step }) => step.runId),
    ],
  });
  wakeRelay(client);
}

async function recordLogs(client: SystemTx, steps: StepRecord[]): Promise<void> {
  const lines = steps.flatMap((step) => step.logs.map((line) => ({ ...line, step })));
  if (lines.length === 0) return;
  await client.query({
    name: 'record-logs',
    text: `INSERT INTO run_log_lines (tenant_id, run_id, step_path, attempt, level, message, at)
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::timestamptz[])`,
    values: [
      lines.map(({ step }) => step.tenantId),
      lines.map(({ step }) => step.runId),
      lines.map(({ step }) => step.path),
      lines.map(({ step }) => step.attempt),
      lines.map(({ level }) => level),
      lines.map(({ message }) => message),
      lines.map(({ at }) => at),
    ],
  });
  const logged = new Map(lines.map(({ step }) => [`${step.tenantId}/${step.runId}`, [step.tenantId, step.runId]]));
  client.notify(channels.logs, [...logged.values()]);
}

async function suspendRuns(client: SystemTx, deps: RunDeps, workerId: string, runs: SuspendedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const { rows } = await client.query<NoticeRow & { wake_at: Date | null }>({
    name: 'suspend-runs',
    text: `UPDATE runs r SET status = 'waiting', worker_id = NULL, version = r.version + 1, wake_at = i.wake_at, updated_at = clock_timestamp()
      FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $5::int[]) AS i(tenant_id, id, wake_at, version)
      WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND r.status = 'running' AND r.worker_id = $4 AND r.version = i.version
      RETURNING ${noticeColumns}, r.wake_at`,
    values: [
      runs.map((run) => run.tenantId),
      runs.map((run) => run.runId),
      runs.map((run) => run.wakeAt),
      workerId,
      runs.map((run) => run.version),
    ],
  });
  notifyRuns(client, rows);
  // What was resolved or cancelled while the run was being driven had nobody to wake.
  const { rows: awake } = await client.query<{ tenant_id: string; id: number }>({
    name: 'wake-resolved',
    text: `UPDATE runs r SET wake_at = clock_timestamp() FROM unnest($1::text[], $2::bigint[], $3::text[]) AS i(tenant_id, id, path)
      WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND r.status = 'waiting' AND (r.cancel_requested_at IS NOT NULL OR EXISTS (
        SELECT FROM steps s WHERE s.tenant_id = i.tenant_id AND s.run_id = i.id AND s.path = i.path AND s.completed_at IS NOT NULL
          AND s.waiting_for IS NOT NULL AND NOT EXISTS (SELECT FROM steps w WHERE w.tenant_id = s.tenant_id AND w.run_id = s.run_id
            AND w.path = s.path AND w.status = 'waiting')))
      RETURNING r.tenant_id, r.id`,
    values: [
      runs.flatMap((run) => run.waitingPaths.map(() => run.tenantId)),
      runs.flatMap((run) => run.waitingPaths.map(() => run.runId)),
      runs.flatMap((run) => run.waitingPaths),
    ],
  });
  const now = new Set(awake.map((row) => `${row.tenant_id}/${row.id}`));
  await enqueue(client, deps, [
    ...awake.map((row) => ({ tenantId: row.tenant_id, runId: row.id })),
    ...rows.flatMap((row) =>
      row.wake_at === null || now.has(`${row.tenant_id}/${row.id}`)
        ? []
        : [{ tenantId: row.tenant_id, runId: row.id, startAfter: row.wake_at }],
    ),
  ]);
}

/** How long a run that was handed back rests, so that what its worker met has time to pass. */
const releaseDelayMs = 500;

async function releaseRuns(client: SystemTx, deps: RunDeps, workerId: string, runs: ReleasedRun[]): Promise<void> {
  if (runs.length === 0) return;
  const { rows } = await client.query<NoticeRow>({
    name: 'release-runs',
    text: `UPDATE runs r SET status = 'queued', worker_id = NULL, version = r.version + 1, updated_at = clock_timestamp()
      FROM unnest($1::text[], $2::bigint[], $3::int[]) AS i(tenant_id, id, version)
      WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND r.status = 'running' AND r.worker_id = $4 AND r.version = i.version
      RETURNING ${noticeColumns}`,
    values: [runs.map((run) => run.tenantId), runs.map((run) => run.runId), runs.map((run) => run.version), workerId],
  });
  notifyRuns(client, rows);
  const startAfter = new Date(Date.now() + releaseDelayMs);
  await enqueue(
    client,
    deps,
    rows.map((row) => ({ tenantId: row.tenant_id, runId: row.id, startAfter })),
  );
}
