import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { readCause } from '#src/infra/tracing/cause.ts';
import { insertRuns } from './run-creation.service.ts';
import { findStartable } from './run-creation.store.ts';
import type { FinishedRow } from './run-finishing.store.ts';

/** The depth at which workflows that start one another are stopped, such as an error workflow of an error workflow. */
export const maxDepth = 10;

/** Starts the error workflow of each failed run that has a runnable one; the payload describes the failure. */
export async function startErrorWorkflows(client: Tx, deps: RunQueue, failed: FinishedRow[]): Promise<void> {
  for (const run of failed) {
    if (run.depth + 1 >= maxDepth) continue;
    const target = await findStartable(client, run.tenant_id, run.error_workflow_id as number);
    if (!target?.active || target.bundle_id === null) continue;
    await insertRuns(client, deps, [
      {
        actor: systemActor(run.org_id, run.tenant_id, 'system', readCause(run)),
        workflowId: target.id,
        bundleId: target.bundle_id,
        revision: target.revision,
        triggerId: target.trigger_id,
        triggerHandle: target.handle,
        triggerType: 'manual',
        payload: {
          error: run.error,
          run: { id: run.id, workflow_id: run.workflow_id, revision: run.revision, trigger_type: run.trigger_type },
        },
        concurrency: target.concurrency,
        depth: run.depth + 1,
        rootRunId: run.root_run_id ?? run.id,
      },
    ]);
  }
}
