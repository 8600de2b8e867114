import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { finishRuns } from './run-finishing.service.ts';

const runsAtOnce = 200;

/**
 * Stops some of a workflow's live runs, oldest first: ends those that nobody drives and asks the workers of the others. Answers
 * whether there may be more.
 */
export function stopRuns(
  deps: RunDeps,
  { tenantId, workflowId }: { tenantId: string; workflowId: number },
): Promise<boolean> {
  return deps.database.withTenantSql(tenantId, async (client) => {
    const { rows } = await client.query<{ id: number; status: string }>(
      `SELECT id, status FROM runs WHERE tenant_id = $1 AND workflow_id = $2
         AND (status IN ('queued', 'waiting') OR status = 'running' AND cancel_requested_at IS NULL)
       ORDER BY id LIMIT ${runsAtOnce} FOR NO KEY UPDATE SKIP LOCKED`,
      [tenantId, workflowId],
    );
    const driven = rows.filter(({ status }) => status === 'running').map(({ id }) => id);
    if (driven.length > 0) {
      await client.query(
        'UPDATE runs SET cancel_requested_at = now() WHERE tenant_id = $1 AND id = ANY($2::bigint[])',
        [tenantId, driven],
      );
      const requests = driven.map((id) => [tenantId, id]);
      client.notify(channels.cancel, requests);
    }
    const idle = rows.filter(({ status }) => status !== 'running');
    await finishRuns(
      client,
      deps,
      null,
      idle.map(({ id }) => ({ tenantId, runId: id, status: 'cancelled', error: null, result: null })),
    );
    return rows.length === runsAtOnce;
  });
}
