import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { stopWorkflowRunsJob } from '#src/automation/workflows/workflows.declarations.ts';
import type { Deps } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

const runsAtOnce = 200;

/**
 * Stops a batch of a workflow's active runs, oldest first: ends those that no worker holds, and requests cancellation
 * of the others. Returns whether there may be more.
 */
export function stopRuns(
  deps: Pick<Deps, 'database'> & RunQueue,
  { tenantId, workflowId }: { tenantId: string; workflowId: number },
): Promise<boolean> {
  return deps.database.withTenantSql(tenantId, async (client) => {
    const runs = await lockLiveRuns(client, tenantId, workflowId, runsAtOnce);
    const driven = runs.filter(({ status }) => status === 'running').map(({ id }) => id);
    if (driven.length > 0) {
      await requestCancels(client, tenantId, driven);
      const requests = driven.map((id) => [tenantId, id]);
      client.notify(channels.cancel, requests);
    }
    const idle = runs.filter(({ status }) => status !== 'running');
    await finishRuns(
      client,
      deps,
      null,
      idle.map(({ id }) => ({ tenantId, runId: id, status: 'cancelled', error: null, result: null })),
    );
    return runs.length === runsAtOnce;
  });
}

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

const passesPerJob = 100;

/** Stops the runs of a deleted workflow, in batches. A job that has done its share leaves the rest to a new job. */
export async function stopWorkflowRuns(
  deps: Pick<Deps, 'database'> & RunQueue,
  job: { tenantId: string; workflowId: number },
): Promise<void> {
  for (let pass = 0; pass < passesPerJob; pass += 1) {
    if (!(await stopRuns(deps, job))) return;
  }
  await deps.jobs.send(stopWorkflowRunsJob, job);
}
