import type { Actor } from '#src/infra/deps.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { StoredCause } from '#src/infra/tracing/cause.ts';
import { insertAuditSql } from '#src/journal/audit/audit.store.ts';
import { type Failure, type Fingerprint, fingerprint } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import { insertEventsSql } from '#src/journal/outbox/outbox.ts';
import { claimColumns, isHeldSql, type RunClaim } from './held-runs.store.ts';
import { insertRollupChangesSql } from './rollups/run-rollups.store.ts';
import { type NoticeRow, noticeColumns } from './runs.store.ts';

/** A run that ends. `result` is storable JSON text; null for none. */
export interface FinishedRun {
  tenantId: string;
  runId: number;
  status: 'succeeded' | 'failed' | 'cancelled';
  error: string | null;
  result: string | null;
  /** What it is grouped by, of a failed run. By default its error, without a node. */
  failure?: Omit<Failure, 'kind'>;
  /** The worker's claim on the run. A run that the worker does not hold under it is left unchanged. */
  claim?: RunClaim;
}

export interface FinishedRow extends NoticeRow, StoredCause {
  parent_run_id: number | null;
  parent_step_path: string | null;
  depth: number;
  root_run_id: number | null;
  revision: number;
  trigger_handle: string | null;
  trigger_type: string;
  concurrency: number | null;
  error_workflow_id: number | null;
  org_id: string;
  is_test: boolean;
  result: string | null;
}

const finishSql = `
  WITH input AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::int[], $7::uuid[], $8::timestamptz[], $13::uuid[])
      AS t(tenant_id, id, status, error, result, version, nonce, claimed_at, error_group_id)
  ), done AS (
    UPDATE runs r SET status = i.status, error = i.error, error_group_id = CASE WHEN NOT r.is_test THEN i.error_group_id END, version = r.version + 1, worker_id = NULL, wake_at = NULL,
      completed_at = clock_timestamp(), started_at = coalesce(r.started_at, clock_timestamp()), updated_at = clock_timestamp()
    FROM input i
    WHERE r.tenant_id = i.tenant_id AND r.id = i.id AND CASE WHEN $9::uuid IS NULL THEN r.status IN ('queued', 'waiting')
        ELSE ${isHeldSql('i', '$9')} END
    RETURNING ${noticeColumns}, r.parent_run_id, r.parent_step_path, r.depth, r.root_run_id, r.revision, r.trigger_handle, r.trigger_type, r.bundle_id, r.is_test, r.traceparent, r.request_id, i.result,
      CASE i.status WHEN 'cancelled' THEN r.cancel_requested_sub END AS canceller_sub,
      CASE i.status WHEN 'cancelled' THEN r.cancel_requested_email END AS canceller_email
  ), interrupted AS (
    UPDATE steps s SET status = 'failed', wake_at = NULL, completed_at = clock_timestamp(), error = jsonb_build_object('code', 'INTERRUPTED',
      'message', 'The run ended before this step did.')
    FROM done d WHERE d.status <> 'succeeded' AND s.tenant_id = d.tenant_id AND s.run_id = d.id
      AND (s.status = 'running' OR (s.status = 'waiting' AND d.status = 'cancelled'))
  ), results AS (
    INSERT INTO run_results (tenant_id, run_id, result) SELECT tenant_id, id, result::jsonb FROM done WHERE result IS NOT NULL
    ON CONFLICT (tenant_id, run_id) DO UPDATE SET result = excluded.result
  ), entries AS (
    SELECT t.org_id, d.tenant_id, coalesce($10::text, d.canceller_sub) AS actor_sub, coalesce($11::text, d.canceller_email) AS actor_email,
      CASE WHEN $10::text IS NULL AND d.canceller_sub IS NOT NULL THEN 'api' ELSE $12::text END AS channel,
      CASE d.status WHEN 'failed' THEN 'run.failed' ELSE 'run.finished' END AS action, 'workflow_run' AS resource_type, d.id::text AS resource_id,
      jsonb_strip_nulls(jsonb_build_object('workflow_id', d.workflow_id, 'status', d.status, 'error', left(d.error, 500))) AS metadata
    FROM done d JOIN tenants t ON t.id = d.tenant_id
  ), audited AS (${insertAuditSql('entries')}
  ), events AS (
    SELECT tenant_id, CASE status WHEN 'failed' THEN 'run.failed' ELSE 'run.finished' END AS topic,
      jsonb_build_object('run_id', id, 'workflow_id', workflow_id, 'status', status, 'error', left(error, 500), 'depth', depth) AS data,
      jsonb_strip_nulls(jsonb_build_object('source', 'run', 'run_id', id, 'workflow_id', workflow_id, 'depth', depth,
        'root_run_id', coalesce(root_run_id, id), 'traceparent', traceparent, 'request_id', request_id)) AS metadata
    FROM done WHERE NOT is_test
  ), published AS (${insertEventsSql('events')}
  ), counted AS (${insertRollupChangesSql('done', 1)}
  )
  SELECT d.*, t.org_id, w.concurrency,
    CASE WHEN d.status = 'failed' AND NOT d.is_test THEN (SELECT (content #>> '{blob,settings,error_workflow_id}')::bigint FROM workflow_bundles b
      WHERE b.tenant_id = d.tenant_id AND b.id = d.bundle_id) END AS error_workflow_id
  FROM done d
  CROSS JOIN LATERAL (SELECT org_id FROM tenants WHERE id = d.tenant_id OFFSET 0) t
  CROSS JOIN LATERAL (SELECT concurrency FROM workflows WHERE tenant_id = d.tenant_id AND id = d.workflow_id OFFSET 0) w`;

/** The group of a run that fails; undefined for any other. */
export const groupFailedRun = ({ status, error, failure }: FinishedRun): Fingerprint | undefined =>
  status === 'failed'
    ? fingerprint({ kind: 'run', ...(failure ?? { node: null, code: 'RUN_FAILED', message: error ?? '' }) })
    : undefined;

/** Ends runs with their results, audit entries and events, in one statement for all runs that end together. */
export async function endRuns(
  tx: Tx,
  workerId: string | null,
  runs: (FinishedRun & { errorGroupId: string | null })[],
  by: Pick<Actor, 'sub' | 'email' | 'channel'>,
): Promise<FinishedRow[]> {
  const { rows } = await tx.query<FinishedRow>({
    name: 'finish-runs',
    text: finishSql,
    values: [
      ...toColumns(runs, 'tenantId', 'runId', 'status', 'error', 'result'),
      ...claimColumns(runs.map(({ claim }) => claim ?? {})),
      workerId,
      by.sub,
      by.email,
      by.channel,
      ...toColumns(runs, 'errorGroupId'),
    ],
  });
  return rows;
}

/** Locks a run and returns its status. */
export async function lockRunStatus(tx: Tx, tenantId: string, runId: number): Promise<string | undefined> {
  const { rows } = await tx.query<{ status: string }>(
    'SELECT status FROM runs WHERE tenant_id = $1 AND id = $2 FOR NO KEY UPDATE',
    [tenantId, runId],
  );
  return rows[0]?.status;
}

/** The outcome of a waiting step: its outputs or its error, as JSON text. */
export interface StepOutcome {
  tenantId: string;
  runId: number;
  path: string;
  outputs: string | null;
  error: string | null;
}

/** Ends a waiting step; returns false when it is no longer waiting. */
export async function settleWaitingStep(tx: Tx, step: StepOutcome): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE steps SET status = CASE WHEN $5::text IS NULL THEN 'succeeded' ELSE 'failed' END, outputs = $4::jsonb, error = $5::jsonb,
       branch = CASE WHEN $5::text IS NULL THEN 'default' END, wake_at = NULL, completed_at = clock_timestamp()
     WHERE tenant_id = $1 AND run_id = $2 AND path = $3 AND status = 'waiting'`,
    [step.tenantId, step.runId, step.path, step.outputs, step.error],
  );
  return rowCount === 1;
}

/** Makes a waiting run due now. */
export async function wakeRun(tx: Tx, tenantId: string, runId: number): Promise<void> {
  await tx.query('UPDATE runs SET wake_at = now(), updated_at = now() WHERE tenant_id = $1 AND id = $2', [
    tenantId,
    runId,
  ]);
}
