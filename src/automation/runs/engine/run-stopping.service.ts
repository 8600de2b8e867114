import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { channels } from '#src/automation/runs/run-notices.service.ts';
import { finishRuns } from './run-finishing.service.ts';
import { lockLiveRuns, requestCancels } from './run-stopping.store.ts';

const runsAtOnce = 200;

/**
 * Stops a batch of a workflow's active runs, oldest first: ends those that no worker holds, and requests cancellation
 * of the others. Returns whether there may be more.
 */
export function stopRuns(
  deps: RunDeps,
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
