import { claimColumns, claimTypes, isHeldSql, type RunClaim } from '#src/automation/runs/held-runs.store.ts';
import type { StepStatus } from '#src/automation/runs/run-status.rules.ts';
import { type NoticeRow, noticeColumns } from '#src/automation/runs/runs.store.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns, rowsOfArrays } from '#src/infra/postgres/statements/columns.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';

/** Statements of the step log. Each takes the entries of all runs that a worker commits together. */

/** The record of one attempt at one step. JSON fields are storable text. */
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
  /** The node's config after expressions, redacted and truncated. Null before it is known. */
  inputs: string | null;
  branch: string | null;
  /** How a test run got the outputs; null for a node that was executed. */
  origin: 'pinned' | 'reused' | null;
  outputs: string | null;
  /** The requests it sent, as JSON text; null where it sent none. */
  calls: string | null;
  error: string | null;
  waitingFor: string | null;
  resumeToken: string | null;
  wakeAt: Date | null;
  /** ISO text with microseconds, which order the steps of one millisecond. */
  startedAt: string;
  completedAt: Date | null;
  /** True when listeners of the run's steps are notified. A step that ends before its start is recorded is part of the next notice. */
  isNotified: boolean;
  logs: { level: string; message: string; at: Date }[];
  /** Events that the node emitted, published in the transaction that records the step. */
  events: Omit<StepEvent, 'tenantId'>[];
}

/** A run that cannot continue before `wakeAt` or before one of its waiting steps is resolved. */
export interface SuspendedRun {
  tenantId: string;
  runId: number;
  wakeAt: Date | null;
  /** Paths of the steps it waits for; if one has been resolved meanwhile, the run is woken immediately. */
  waitingPaths: string[];
}

/** A run that its worker cannot continue and releases, to be resumed from its recorded steps. */
export type ReleasedRun = Pick<SuspendedRun, 'tenantId' | 'runId'>;

/** An entry of the run's step log, with the claim under which the worker holds the run. */
export type Claimed<Written> = Written & { claim: RunClaim };

const listClaims = (written: readonly Claimed<unknown>[]): unknown[] => claimColumns(written.map(({ claim }) => claim));

const stepTypes = {
  tenant_id: 'text',
  run_id: 'bigint',
  path: 'text',
  attempt: 'smallint',
  generation: 'smallint',
  node_id: 'text',
  node: 'text',
  node_version: 'text',
  status: 'text',
  branch: 'text',
  inputs: 'jsonb',
  outputs: 'jsonb',
  error: 'jsonb',
  waiting_for: 'text',
  resume_token: 'uuid',
  wake_at: 'timestamptz',
  started_at: 'timestamptz',
  completed_at: 'timestamptz',
  origin: 'text',
  calls: 'jsonb',
};
const stepNames = Object.keys(stepTypes).join(', ');
const givenTypes = { ...stepTypes, ...claimTypes };
const worker = `$${Object.keys(givenTypes).length + 1}`;
// Nothing is written about a run that the worker does not hold: after a failover that lost commits, its id may be another run's.
const insertSteps = `
  INSERT INTO steps (${stepNames}) SELECT ${stepNames} FROM ${rowsOfArrays(givenTypes)} AS recorded
  CROSS JOIN LATERAL (
    SELECT FROM runs r WHERE r.tenant_id = recorded.tenant_id AND r.id = recorded.run_id AND ${isHeldSql('recorded', worker)} OFFSET 0
  ) AS held
  ON CONFLICT (tenant_id, run_id, path, attempt) DO UPDATE SET`;

// Only an unfinished row is updated. A finished one is the same record, written by a commit whose response was lost.
const recordSql = `${insertSteps} status = excluded.status, branch = excluded.branch, inputs = coalesce(excluded.inputs, steps.inputs),
    outputs = excluded.outputs, calls = excluded.calls, error = excluded.error, waiting_for = coalesce(excluded.waiting_for, steps.waiting_for),
    resume_token = coalesce(excluded.resume_token, steps.resume_token), wake_at = excluded.wake_at, completed_at = excluded.completed_at
    WHERE steps.status = 'running' OR (steps.status = 'waiting' AND (excluded.status <> 'waiting' OR excluded.waiting_for LIKE 'rate_limit:%'))
  RETURNING tenant_id, run_id, path, attempt`;

// An attempt that a crash interrupted starts again, with a new start time. One that waited for a rate limit continues.
const startSql = `${insertSteps} status = excluded.status, wake_at = NULL, inputs = excluded.inputs,
    started_at = CASE steps.status WHEN 'running' THEN excluded.started_at ELSE steps.started_at END
    WHERE steps.status = 'running' OR (steps.status = 'waiting' AND steps.waiting_for LIKE 'rate_limit:%')`;

const stepColumns = (steps: Claimed<StepRecord>[], workerId: string): unknown[] => [
  ...toColumns(steps, 'tenantId', 'runId', 'path', 'attempt', 'generation', 'nodeId', 'node', 'nodeVersion', 'status'),
  ...toColumns(steps, 'branch', 'inputs', 'outputs', 'error', 'waitingFor', 'resumeToken', 'wakeAt', 'startedAt'),
  ...toColumns(steps, 'completedAt', 'origin', 'calls'),
  ...listClaims(steps),
  workerId,
];

/** Returns how many were recorded: all except attempts that have already ended and those of runs that the worker does not hold. */
export async function insertStarts(tx: SystemTx, workerId: string, steps: Claimed<StepRecord>[]): Promise<number> {
  const { rowCount } = await tx.query({ name: 'record-starts', text: startSql, values: stepColumns(steps, workerId) });
  return rowCount ?? 0;
}

/** Returns the attempts that were not recorded already, of runs that the worker holds. */
export async function upsertSteps(
  tx: SystemTx,
  workerId: string,
  steps: Claimed<StepRecord>[],
): Promise<{ tenant_id: string; run_id: number; path: string; attempt: number }[]> {
  const { rows } = await tx.query<{ tenant_id: string; run_id: number; path: string; attempt: number }>({
    name: 'record-steps',
    text: recordSql,
    values: stepColumns(steps, workerId),
  });
  return rows;
}

/** An event of a node; `data` and `metadata` are storable JSON text. */
export interface StepEvent {
  tenantId: string;
  topic: string;
  data: string;
  metadata: string;
}

export async function insertStepEvents(tx: SystemTx, events: StepEvent[]): Promise<void> {
  await tx.query({
    name: 'emit-events',
    text: insertEventsSql(`(
      SELECT i.tenant_id, i.topic, i.data::jsonb, i.metadata::jsonb
      FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS i(tenant_id, topic, data, metadata, ord) ORDER BY i.ord
    ) AS events`),
    values: toColumns(events, 'tenantId', 'topic', 'data', 'metadata'),
  });
}

export interface LogLine extends Pick<StepRecord, 'tenantId' | 'runId' | 'path' | 'attempt'> {
  level: string;
  message: string;
  at: Date;
}

export async function insertLogLines(tx: SystemTx, lines: LogLine[]): Promise<void> {
  await tx.query({
    name: 'record-logs',
    text: `INSERT INTO run_log_lines (tenant_id, run_id, step_path, attempt, level, message, at)
      SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::timestamptz[])`,
    values: toColumns(lines, 'tenantId', 'runId', 'path', 'attempt', 'level', 'message', 'at'),
  });
}

/** Suspends runs that the worker still holds, and returns them. */
export async function setWaiting(
  tx: SystemTx,
  workerId: string,
  runs: Claimed<SuspendedRun>[],
): Promise<(NoticeRow & { wake_at: Date | null })[]> {
  const { rows } = await tx.query<NoticeRow & { wake_at: Date | null }>({
    name: 'suspend-runs',
    text: `UPDATE runs r SET status = 'waiting', worker_id = NULL, version = r.version + 1, wake_at = i.wake_at, updated_at = clock_timestamp()
      FROM unnest($1::text[], $2::bigint[], $3::timestamptz[], $4::int[], $5::uuid[], $6::timestamptz[])
        AS i(tenant_id, id, wake_at, version, nonce, claimed_at)
      WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND ${isHeldSql('i', '$7')}
      RETURNING ${noticeColumns}, r.wake_at`,
    values: [...toColumns(runs, 'tenantId', 'runId', 'wakeAt'), ...listClaims(runs), workerId],
  });
  return rows;
}

/** Wakes those of the suspended runs that were cancelled, or had a step resolved, while the worker drove them. */
export async function wakeResolved(
  tx: SystemTx,
  runs: Pick<SuspendedRun, 'tenantId' | 'runId' | 'waitingPaths'>[],
): Promise<{ tenant_id: string; id: number }[]> {
  const waiting = runs.flatMap(({ waitingPaths, ...run }) => waitingPaths.map((path) => ({ ...run, path })));
  const { rows } = await tx.query<{ tenant_id: string; id: number }>({
    name: 'wake-resolved',
    text: `UPDATE runs r SET wake_at = clock_timestamp() FROM unnest($1::text[], $2::bigint[], $3::text[]) AS i(tenant_id, id, path)
      WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND r.status = 'waiting' AND (r.cancel_requested_at IS NOT NULL OR EXISTS (
        SELECT FROM steps s WHERE s.tenant_id = i.tenant_id AND s.run_id = i.id AND s.path = i.path AND s.completed_at IS NOT NULL
          AND s.waiting_for IS NOT NULL AND s.waiting_for NOT LIKE 'rate_limit:%' AND NOT EXISTS (SELECT FROM steps w WHERE w.tenant_id = s.tenant_id AND w.run_id = s.run_id
            AND w.path = s.path AND w.status = 'waiting')))
      RETURNING r.tenant_id, r.id`,
    values: toColumns(waiting, 'tenantId', 'runId', 'path'),
  });
  return rows;
}

/** Puts runs that the worker still holds back to `queued`, and returns them. */
export async function setQueued(tx: SystemTx, workerId: string, runs: Claimed<ReleasedRun>[]): Promise<NoticeRow[]> {
  const { rows } = await tx.query<NoticeRow>({
    name: 'release-runs',
    text: `UPDATE runs r SET status = 'queued', worker_id = NULL, version = r.version + 1, updated_at = clock_timestamp()
      FROM unnest($1::text[], $2::bigint[], $3::int[], $4::uuid[], $5::timestamptz[]) AS i(tenant_id, id, version, nonce, claimed_at)
      WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND ${isHeldSql('i', '$6')}
      RETURNING ${noticeColumns}`,
    values: [...toColumns(runs, 'tenantId', 'runId'), ...listClaims(runs), workerId],
  });
  return rows;
}
