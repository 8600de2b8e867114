import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Fingerprint } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import { type GroupedFailure, joinErrorGroups } from '#src/journal/error-groups/error-groups.store.ts';
import { wakeRelay } from '#src/journal/outbox/outbox.ts';
import { startErrorWorkflows } from './error-workflows.service.ts';
import {
  endRuns,
  type FinishedRow,
  type FinishedRun,
  groupFailedRun,
  lockRunStatus,
  settleWaitingStep,
  type StepOutcome,
  wakeRun,
} from './run-finishing.store.ts';
import { notifyRuns } from './run-notices.service.ts';
import { dispatchHeld, enqueue } from './run-queue.service.ts';

/**
 * Ends runs with all consequences in one transaction: result, audit, event, the waiting step of a parent, the error
 * workflow, the next held run of a limited workflow. `workerId` is the worker that holds them; null ends runs that no
 * worker holds (queued or waiting). Runs in any other state are left unchanged. `by` is who ends them, for the audit
 * log: by default the system, or the user who requested the cancellation. Returns the runs that ended.
 */
export async function finishRuns(
  client: Tx,
  deps: RunQueue,
  workerId: string | null,
  runs: FinishedRun[],
  by: Pick<Actor, 'sub' | 'email' | 'channel'> = { sub: null, email: null, channel: 'system' },
): Promise<FinishedRow[]> {
  if (runs.length === 0) return [];
  const groups = runs.map(groupFailedRun);
  const rows = await endRuns(
    client,
    workerId,
    runs.map((run, place) => ({ ...run, errorGroupId: groups[place]?.id ?? null })),
    by,
  );
  await joinErrorGroups(client, findGrouped(rows, runs, groups));
  notifyRuns(client, rows);
  wakeRelay(client);
  for (const row of rows) {
    if (row.parent_run_id !== null && row.parent_step_path !== null) await resolveParent(client, deps, row);
  }
  const limited = new Map(
    rows.filter((row) => row.concurrency !== null).map((row) => [`${row.tenant_id}/${row.workflow_id}`, row]),
  );
  for (const row of limited.values()) await dispatchHeld(client, deps, row.tenant_id, row.workflow_id);
  await startErrorWorkflows(
    client,
    deps,
    rows.filter((row) => row.error_workflow_id !== null),
  );
  return rows;
}

/** The failures among the runs that ended. Test runs are of no group. */
function findGrouped(
  rows: readonly FinishedRow[],
  runs: readonly FinishedRun[],
  groups: readonly (Fingerprint | undefined)[],
): GroupedFailure[] {
  const ended = new Set(rows.filter((row) => !row.is_test).map((row) => `${row.tenant_id}/${row.id}`));
  return runs.flatMap(({ tenantId, runId }, place) => {
    const group = groups[place];
    return group && ended.has(`${tenantId}/${runId}`) ? [{ tenantId, ...group }] : [];
  });
}

async function resolveParent(client: Tx, deps: RunQueue, child: FinishedRow): Promise<void> {
  const succeeded = child.status === 'succeeded';
  await resolveWaitingStep(client, deps, {
    tenantId: child.tenant_id,
    runId: child.parent_run_id as number,
    path: child.parent_step_path as string,
    outputs: succeeded ? JSON.stringify({ run_id: child.id, result: parse(child.result) }) : null,
    error: succeeded
      ? null
      : JSON.stringify({
          code: 'SUB_WORKFLOW_FAILED',
          message: `Run ${child.id} ${child.status}: ${child.error ?? 'no reason given'}`,
        }),
  });
}

const parse = (text: string | null): unknown => (text === null ? null : JSON.parse(text));

/**
 * Records the outcome of a waiting step and wakes its run. Returns false when the step is no longer waiting. Locks the
 * run's row first, as suspending a run does, so that the later of the two always sees the earlier.
 */
export async function resolveWaitingStep(client: Tx, deps: RunQueue, step: StepOutcome): Promise<boolean> {
  const { tenantId, runId } = step;
  const status = await lockRunStatus(client, tenantId, runId);
  if (!(await settleWaitingStep(client, step))) return false;
  if (status === 'waiting') {
    await wakeRun(client, tenantId, runId);
    await enqueue(client, deps, [{ tenantId, runId }]);
  }
  return true;
}

/**
 * Writes a failed run to the server's log, once its end is recorded. The line names the step and the code only: the error's message
 * may contain the tenant's data, and is stored with the run.
 */
export function logFailedRun(
  log: Deps['log'],
  { tenantId, workflowId, id: runId }: { tenantId: string; workflowId: number; id: number },
  { step, code }: { step: string | null; code: string },
): void {
  log.warn({ tenantId, workflowId, runId, step, code }, 'A run failed.');
}
