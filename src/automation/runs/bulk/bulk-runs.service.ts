import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import { cancelFault, rerunFault, retryFault } from '#src/automation/runs/run-faults.rules.ts';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { channels, notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import { dispatchHeld, enqueue, type RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { auditedRun } from '#src/automation/runs/runs.declarations.ts';
import { findAndLockRuns, type LockedRun, requestCancels, resetRuns } from '#src/automation/runs/runs.store.ts';
import { type BatchOutcome, divide } from '#src/infra/batch-outcome.ts';
import type { Actor } from '#src/infra/deps.ts';
import { type AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { recordAudits } from '#src/journal/audit/audit.service.ts';
import { findExistingRuns, readPayloads, settleResumableSteps, wakeRuns } from './bulk-runs.store.ts';

/** The use cases of runs.service.ts for many runs in the caller's transaction. */

type Locked = Omit<BatchOutcome, 'done'> & { accepted: LockedRun[] };

/**
 * Locks the runs that no other transaction has locked. Waiting for the others could deadlock with a worker that commits several of
 * these runs in another order.
 */
async function lockRuns(
  tx: Tx,
  tenantId: string,
  ids: readonly number[],
  faultOf: (run: LockedRun) => AppError | null,
): Promise<Locked> {
  const runs = await findAndLockRuns(tx, tenantId, ids, 'SKIP LOCKED');
  const { accepted, refused } = divide(runs, faultOf);
  const locked = new Set(runs.map(({ id }) => id));
  const missing = ids.filter((id) => !locked.has(id));
  if (missing.length === 0) return { accepted, refused, deferred: [] };
  const existing = await findExistingRuns(tx, tenantId, missing);
  return {
    accepted,
    refused: [
      ...refused,
      ...missing.filter((id) => !existing.has(id)).map((id) => ({ id, error: new NotFoundError() })),
    ],
    deferred: missing.filter((id) => existing.has(id)),
  };
}

/** Dispatches the held runs of the workflows that limit them, always in the same order. */
async function dispatchWorkflows(tx: Tx, deps: RunQueue, tenantId: string, runs: readonly LockedRun[]): Promise<void> {
  const limited = new Set(runs.filter((run) => run.concurrency !== null).map((run) => run.workflow_id));
  for (const workflowId of [...limited].toSorted((a, b) => a - b)) await dispatchHeld(tx, deps, tenantId, workflowId);
}

const toIds = (runs: readonly { id: number }[]): number[] => runs.map(({ id }) => id);

/** Resumes failed runs from the steps that failed. They are queued fairly between tenants, as new runs are. */
export async function retryRuns(
  tx: Tx,
  deps: RunQueue,
  actor: Actor,
  ids: readonly number[],
  bulkActionId: number,
): Promise<BatchOutcome> {
  const { tenantId } = actor;
  const { accepted, ...others } = await lockRuns(tx, tenantId, ids, retryFault);
  const done = toIds(accepted);
  if (done.length === 0) return { done, ...others };
  const held = toIds(accepted.filter((run) => run.concurrency !== null));
  const rows = await resetRuns(tx, tenantId, done, { held });
  const metadata = { retry: true, bulk_action_id: bulkActionId };
  await recordAudits(tx, actor, { action: 'run.started', resource: auditedRun, metadata }, done);
  const free = accepted.filter((run) => run.concurrency === null);
  await enqueue(
    tx,
    deps,
    free.map(({ id }) => ({ tenantId, runId: id })),
    { areNew: true },
  );
  await dispatchWorkflows(tx, deps, tenantId, accepted);
  notifyRuns(tx, rows);
  return { done, ...others };
}

/** Payloads of runs that are started together; the others of a batch come later. */
const maxPayloadBytes = 8 * 1024 * 1024;

/** Starts a new run with the payload of each of these runs. */
export async function rerunRuns(tx: Tx, deps: RunQueue, actor: Actor, ids: readonly number[]): Promise<BatchOutcome> {
  const { tenantId } = actor;
  const { accepted, refused, deferred } = await lockRuns(tx, tenantId, ids, rerunFault);
  const payloads = await readPayloads(tx, tenantId, toIds(accepted), maxPayloadBytes);
  const fitting = accepted.filter(({ id }) => payloads.has(id));
  await insertRuns(
    tx,
    deps,
    fitting.map((run) => ({
      actor,
      workflowId: run.workflow_id,
      bundleId: run.workflow_bundle_id as number,
      revision: run.workflow_revision,
      triggerId: run.trigger_id,
      triggerHandle: run.trigger_handle,
      triggerType: run.trigger_type,
      payload: payloads.get(run.id),
      concurrency: run.concurrency,
      rerunOfId: run.id,
    })),
  );
  const later = accepted.filter(({ id }) => !payloads.has(id));
  return { done: toIds(fitting), refused, deferred: [...deferred, ...toIds(later)] };
}

const notResumable = 'No step of the run waits for an outside caller.';

/** Resumes every step of these runs that waits for an outside caller, with the same outputs, as JSON text. */
export async function resumeRuns(
  tx: Tx,
  deps: RunQueue,
  actor: Actor,
  ids: readonly number[],
  outputs: string,
): Promise<BatchOutcome> {
  const { tenantId } = actor;
  const { accepted, refused, deferred } = await lockRuns(tx, tenantId, ids, () => null);
  const done = await settleResumableSteps(tx, tenantId, toIds(accepted), outputs);
  const due = await wakeRuns(tx, tenantId, done);
  await enqueue(
    tx,
    deps,
    due.map((runId) => ({ tenantId, runId })),
  );
  const resumed = new Set(done);
  const others = accepted.filter(({ id }) => !resumed.has(id));
  return {
    done,
    refused: [...refused, ...others.map(({ id }) => ({ id, error: new ConflictError(notResumable) }))],
    deferred,
  };
}

/** Ends the runs that no worker holds, and asks the workers of the others to stop them. */
export async function cancelRuns(tx: Tx, deps: RunQueue, actor: Actor, ids: readonly number[]): Promise<BatchOutcome> {
  const { tenantId } = actor;
  const { accepted, ...others } = await lockRuns(tx, tenantId, ids, cancelFault);
  const running = toIds(accepted.filter(({ status }) => status === 'running'));
  if (running.length > 0) {
    await requestCancels(tx, actor, running);
    tx.notify(
      channels.cancel,
      running.map((id) => [tenantId, id]),
    );
  }
  const idle = accepted.filter(({ status }) => status !== 'running');
  await finishRuns(
    tx,
    deps,
    null,
    idle.map(({ id }) => ({ tenantId, runId: id, status: 'cancelled', error: null, result: null })),
    actor,
  );
  return { done: toIds(accepted), ...others };
}
