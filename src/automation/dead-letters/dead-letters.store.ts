import type { BundleStatus, TriggerType } from '#prisma/enums.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { StoredCause } from '#src/infra/tracing/cause.ts';

export interface ClaimedLetter extends StoredCause {
  workflow_id: number;
  trigger_handle: string;
  payload: unknown;
  event_id: string | null;
  active: boolean;
  deleted: boolean;
  revision: number;
  bundle_id: number | null;
  bundle_status: BundleStatus;
  bundle_error: string | null;
  concurrency: number | null;
}

export interface ReplayTrigger {
  id: number;
  handle: string;
  type: TriggerType;
}

/** Takes a dead letter out of `pending`. A second caller waits for the first to commit, and then finds nothing. */
export async function claimPending(tx: Tx, tenantId: string, id: bigint): Promise<ClaimedLetter | undefined> {
  const { rows } = await tx.query<ClaimedLetter>(
    `UPDATE dead_letters d SET status = 'replayed', updated_at = clock_timestamp() FROM workflows w
     WHERE d.tenant_id = $1 AND d.id = $2 AND d.status = 'pending' AND w.tenant_id = d.tenant_id AND w.id = d.workflow_id
     RETURNING d.workflow_id, d.trigger_handle, d.event_id, d.traceparent, d.request_id, w.active, w.deleted_at IS NOT NULL AS deleted, w.revision, w.bundle_id,
       w.bundle_status, w.bundle_error, w.concurrency,
       (SELECT payload FROM dead_letter_payloads p WHERE p.tenant_id = d.tenant_id AND p.dead_letter_id = d.id)`,
    [tenantId, id],
  );
  return rows[0];
}

export async function isKnown(tx: Tx, tenantId: string, id: bigint): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM dead_letters WHERE tenant_id = $1 AND id = $2', [tenantId, id]);
  return rowCount === 1;
}

export async function isAnyWorkerLive(tx: Tx): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM workers WHERE lease_until > now() LIMIT 1');
  return rowCount === 1;
}

export async function setReplayedRun(tx: Tx, tenantId: string, id: bigint, runId: number): Promise<void> {
  const values = [tenantId, id, runId];
  await tx.query('UPDATE dead_letters SET replayed_run_id = $3 WHERE tenant_id = $1 AND id = $2', values);
}

/** The active trigger with this handle, or else, where `orManual`, the workflow's oldest manual one. */
export async function findReplayTrigger(
  tx: Tx,
  tenantId: string,
  workflowId: number,
  { handle, orManual }: { handle: string; orManual: boolean },
): Promise<ReplayTrigger | undefined> {
  const { rows } = await tx.query<ReplayTrigger>(
    `SELECT id, handle, type FROM triggers
     WHERE tenant_id = $1 AND workflow_id = $2 AND active AND (handle = $3 OR ($4 AND type = 'manual'))
     ORDER BY handle = $3 DESC, id LIMIT 1`,
    [tenantId, workflowId, handle, orManual],
  );
  return rows[0];
}
