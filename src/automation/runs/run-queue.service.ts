import type { Jobs } from '#src/infra/jobs.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Stamps } from './fairness.service.ts';
import { releaseHeld } from './run-creation.store.ts';
import { executeRunJob } from './runs.declarations.ts';

/** The dependencies of use cases that queue runs for the engines. */
export interface RunQueue {
  jobs: Jobs;
  /** The order in which this process queues the runs of tenants. */
  fairness: Stamps;
}

/**
 * Queues the runs for the engines and wakes them when the transaction commits. New runs are queued fairly between tenants;
 * runs that were already started come before their tenant's new ones.
 */
export async function enqueue(
  client: Tx,
  { jobs, fairness: stamps }: RunQueue,
  runs: { tenantId: string; runId: number; startAfter?: Date }[],
  { areNew = false }: { areNew?: boolean } = {},
): Promise<void> {
  if (runs.length === 0) return;
  const fairness = await stamps.read(client);
  await jobs.insert(
    executeRunJob,
    runs.map(({ tenantId, runId, startAfter }) => ({
      payload: { tenantId, runId },
      priority: areNew ? fairness.next(tenantId) : fairness.again(tenantId, startAfter),
      group: tenantId,
      ...(startAfter && { startAfter }),
    })),
    { tx: client },
  );
}

/**
 * Queues held runs of a workflow, oldest first, up to its limit. Call it in every transaction that adds a run to a
 * limited workflow or ends one. A lock per workflow keeps two workers from queueing the same run.
 */
export async function dispatchHeld(client: Tx, deps: RunQueue, tenantId: string, workflowId: number): Promise<void> {
  await lockNamed(client, `dispatch/${tenantId}/${workflowId}`);
  const released = await releaseHeld(client, tenantId, workflowId);
  await enqueue(
    client,
    deps,
    released.map((runId) => ({ tenantId, runId })),
    { areNew: true },
  );
}
