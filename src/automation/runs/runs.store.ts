import type { BundleStatus, TriggerType } from '#prisma/enums.ts';
import type { Actor } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertRollupChangesSql } from './rollups/run-rollups.store.ts';

/** The columns of `runs` that a notice contains, in order; for RETURNING. */
export const noticeColumns = `r.tenant_id, r.id, r.workflow_id, r.status, r.version, r.started_at, r.completed_at, r.updated_at, r.error`;

export interface NoticeRow {
  tenant_id: string;
  id: number;
  workflow_id: number;
  status: string;
  version: number;
  started_at: Date | null;
  completed_at: Date | null;
  updated_at: Date;
  error: string | null;
}

export interface LockedRun extends NoticeRow {
  bundle_id: number;
  revision: number;
  trigger_id: number | null;
  trigger_handle: string | null;
  trigger_type: TriggerType;
  is_test: boolean;
  /** Null for a test run, which no limit holds back. */
  concurrency: number | null;
  workflow_bundle_id: number | null;
  workflow_revision: number;
  workflow_active: boolean;
  workflow_deleted: boolean;
  bundle_status: BundleStatus;
  bundle_error: string | null;
}

/** Locks runs, in ascending order, and reads them together with their workflows, in one round trip. */
export async function findAndLockRuns(
  tx: Tx,
  tenantId: string,
  ids: readonly (number | bigint)[],
  whenLocked: '' | 'SKIP LOCKED' = '',
): Promise<LockedRun[]> {
  const { rows } = await tx.query<LockedRun>(
    `SELECT ${noticeColumns}, r.bundle_id, r.revision, r.trigger_id, r.trigger_handle, r.trigger_type, r.is_test,
       CASE WHEN NOT r.is_test THEN w.concurrency END AS concurrency,
       w.bundle_id AS workflow_bundle_id, w.revision AS workflow_revision, w.active AS workflow_active,
       w.deleted_at IS NOT NULL AS workflow_deleted, w.bundle_status, w.bundle_error
     FROM runs r JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id
     WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[]) ORDER BY r.id FOR NO KEY UPDATE OF r ${whenLocked}`,
    [tenantId, ids],
  );
  return rows;
}

/** Records who first asked the workers of running runs to cancel them. */
export async function requestCancels(
  tx: Tx,
  { tenantId, sub, email }: Actor,
  ids: readonly (number | bigint)[],
): Promise<void> {
  await tx.query(
    `UPDATE runs SET cancel_requested_at = now(), cancel_requested_sub = $3, cancel_requested_email = $4
     WHERE tenant_id = $1 AND id = ANY($2::bigint[]) AND cancel_requested_at IS NULL`,
    [tenantId, ids, sub, email],
  );
}

/**
 * Puts runs that ended back to `queued`, without their results, and takes them out of the rollups. The runs must be locked. Those in
 * `held` wait for a place of their workflow.
 */
export async function resetRuns(
  tx: Tx,
  tenantId: string,
  ids: readonly (number | bigint)[],
  { held }: { held: readonly (number | bigint)[] },
): Promise<NoticeRow[]> {
  const { rows } = await tx.query<NoticeRow>(
    `WITH ended AS MATERIALIZED (
       SELECT tenant_id, workflow_id, trigger_type, status, started_at, completed_at, is_test FROM runs
       WHERE tenant_id = $1 AND id = ANY($2::bigint[]) AND completed_at IS NOT NULL
     ), uncounted AS (${insertRollupChangesSql('ended', -1)}
     )
     UPDATE runs r SET status = 'queued', held = r.id = ANY($3::bigint[]), retries = r.retries + 1, takeovers = 0, version = r.version + 1, error = NULL, error_group_id = NULL, completed_at = NULL,
       cancel_requested_at = NULL, cancel_requested_sub = NULL, cancel_requested_email = NULL, updated_at = clock_timestamp()
     WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[]) RETURNING ${noticeColumns}`,
    [tenantId, ids, held],
  );
  await tx.query('DELETE FROM run_results WHERE tenant_id = $1 AND run_id = ANY($2::bigint[])', [tenantId, ids]);
  return rows;
}

export async function readPayload(tx: Tx, tenantId: string, id: bigint): Promise<unknown> {
  const { rows } = await tx.query<{ payload: unknown }>(
    'SELECT payload FROM run_payloads WHERE tenant_id = $1 AND run_id = $2',
    [tenantId, id],
  );
  return rows[0]?.payload;
}

/** The path of the run's step that the token resumes. */
export async function findStepByToken(
  tx: Tx,
  tenantId: string,
  id: bigint,
  token: string,
): Promise<string | undefined> {
  const { rows } = await tx.query<{ path: string }>(
    'SELECT path FROM steps WHERE tenant_id = $1 AND run_id = $2 AND resume_token = $3',
    [tenantId, id, token],
  );
  return rows[0]?.path;
}
