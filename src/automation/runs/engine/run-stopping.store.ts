import type { Tx } from '#src/infra/postgres/tx.ts';

/** Locks the oldest active runs of a workflow without a cancellation request, except those that others have locked. */
export async function lockLiveRuns(
  tx: Tx,
  tenantId: string,
  workflowId: number,
  limit: number,
): Promise<{ id: number; status: string }[]> {
  const { rows } = await tx.query<{ id: number; status: string }>(
    `SELECT id, status FROM runs WHERE tenant_id = $1 AND workflow_id = $2
       AND (status IN ('queued', 'waiting') OR status = 'running' AND cancel_requested_at IS NULL)
     ORDER BY id LIMIT $3 FOR NO KEY UPDATE SKIP LOCKED`,
    [tenantId, workflowId, limit],
  );
  return rows;
}

export async function requestCancels(tx: Tx, tenantId: string, ids: number[]): Promise<void> {
  await tx.query('UPDATE runs SET cancel_requested_at = now() WHERE tenant_id = $1 AND id = ANY($2::bigint[])', [
    tenantId,
    ids,
  ]);
}
