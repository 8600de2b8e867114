import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertRunRows, type NewRun, releaseHeld } from './run-creation.store.ts';
import { notifyRuns } from './run-notices.service.ts';
import { executeRunJob } from './runs.jobs.ts';
import type { NoticeRow } from './runs.store.ts';

/** A run that was stored and has not been announced yet. */
export interface MadeRun {
  run: NewRun;
  row: NoticeRow;
}

/**
 * Makes the runs of one tenant, their jobs and their audit entries in the caller's transaction, and answers their ids in order.
 * Payloads must be storable (`storableJson`); a ValidationError names `payload` where one is not.
 */
export async function insertRuns(client: Tx, deps: RunDeps, runs: NewRun[]): Promise<{ runId: number }[]> {
  const made = await storeRuns(client, runs);
  await queueRuns(client, deps, made);
  await dispatchLimited(client, deps, made);
  return made.map(({ row }) => ({ runId: row.id }));
}

/** The first part of it, a single statement: the runs and their audit entries. */
export async function storeRuns(client: Tx, runs: NewRun[]): Promise<MadeRun[]> {
  if (runs.length === 0) return [];
  const rows = await insertRunRows(client, runs);
  return rows.map((row, index) => ({ row, run: runs[index] as NewRun }));
}

/** The second part: queues the runs that no limit holds back, and notifies of all. */
export async function queueRuns(client: Tx, deps: RunDeps, made: MadeRun[]): Promise<void> {
  const free = made.filter(({ run }) => run.concurrency === null);
  const queued = free.map(({ row }) => ({ tenantId: row.tenant_id, runId: row.id }));
  const rows = made.map(({ row }) => row);
  notifyRuns(client, rows);
  await enqueue(client, deps, queued, { areNew: true });
}

/** The third part: lets runs of limited workflows through, as far as there is room. */
export async function dispatchLimited(client: Tx, deps: RunDeps, made: MadeRun[]): Promise<void> {
  const limited = made.filter(({ run }) => run.concurrency !== null);
  const workflows = new Map(limited.map(({ row }) => [`${row.tenant_id}/${row.workflow_id}`, row]));
  // In one order for everybody, so that two transactions do not wait for each other's locks.
  for (const [, row] of [...workflows].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await dispatchHeld(client, deps, row.tenant_id, row.workflow_id);
}

/**
 * Queues the runs for the engines and wakes them when the transaction commits. New runs are queued fairly between tenants;
 * those that were under way go on before their tenant's new ones.
 */
export async function enqueue(
  client: Tx,
  { jobs, fairness: stamps }: RunDeps,
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
 * Lets held runs of a workflow through, oldest first, up to its limit. Call it in every transaction that adds a run to a
 * limited workflow or ends one. The lock is the workflow's: two workers ending runs at once let through no run twice.
 */
export async function dispatchHeld(client: Tx, deps: RunDeps, tenantId: string, workflowId: number): Promise<void> {
  await lockNamed(client, `dispatch/${tenantId}/${workflowId}`);
  const released = await releaseHeld(client, tenantId, workflowId);
  await enqueue(
    client,
    deps,
    released.map((runId) => ({ tenantId, runId })),
    { areNew: true },
  );
}
