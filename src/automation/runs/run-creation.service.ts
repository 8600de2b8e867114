import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertRunRows, insertTestRuns, type NewRun } from './run-creation.store.ts';
import { notifyRuns } from './run-notices.service.ts';
import { dispatchHeld, enqueue, type RunQueue } from './run-queue.service.ts';
import type { NoticeRow } from './runs.store.ts';

/** A run that was stored but not queued or notified yet. */
export interface MadeRun {
  run: NewRun;
  row: NoticeRow;
}

/**
 * Creates runs of one tenant with their jobs and audit entries in the caller's transaction, and returns their ids in
 * order. Throws a ValidationError for `payload` when one cannot be stored (see `storableJson`).
 */
export async function insertRuns(client: Tx, deps: RunQueue, runs: NewRun[]): Promise<{ runId: number }[]> {
  const made = await storeRuns(client, runs);
  await queueRuns(client, deps, made);
  await dispatchLimited(client, deps, made);
  return made.map(({ row }) => ({ runId: row.id }));
}

/** Step 1, a single statement unless some are test runs: stores the runs and their audit entries. */
export async function storeRuns(client: Tx, runs: NewRun[]): Promise<MadeRun[]> {
  if (runs.length === 0) return [];
  const rows = await insertRunRows(client, runs);
  const made = rows.map((row, index) => ({ row, run: runs[index] as NewRun }));
  const tests = made.filter(({ run }) => run.isTest);
  if (tests.length > 0)
    await insertTestRuns(
      client,
      tests.map(({ row }) => ({ tenantId: row.tenant_id, runId: row.id })),
    );
  return made;
}

/** Step 2: queues the runs of workflows without a limit, and notifies of all. */
export async function queueRuns(client: Tx, deps: RunQueue, made: MadeRun[]): Promise<void> {
  const free = made.filter(({ run }) => run.concurrency === null);
  const queued = free.map(({ row }) => ({ tenantId: row.tenant_id, runId: row.id }));
  const rows = made.map(({ row }) => row);
  notifyRuns(client, rows);
  await enqueue(client, deps, queued, { areNew: true });
}

/** Step 3: queues runs of workflows with a limit, as far as it allows. */
export async function dispatchLimited(client: Tx, deps: RunQueue, made: MadeRun[]): Promise<void> {
  const limited = made.filter(({ run }) => run.concurrency !== null);
  const workflows = new Map(limited.map(({ row }) => [`${row.tenant_id}/${row.workflow_id}`, row]));
  // In a fixed order, so that two transactions do not wait for each other's locks.
  for (const [, row] of [...workflows].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    await dispatchHeld(client, deps, row.tenant_id, row.workflow_id);
}
