import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import type { Deps, Actor } from '#src/infra/deps.ts';
import { type AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { storableJson } from '#src/infra/json.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { insertRuns } from './run-creation.service.ts';
import { cancelFault, rerunFault, retryFault } from './run-faults.rules.ts';
import { finishRuns, resolveWaitingStep } from './run-finishing.service.ts';
import { channels, notifyRuns } from './run-notices.service.ts';
import { dispatchHeld, enqueue } from './run-queue.service.ts';
import { keptRevision } from './runnable.rules.ts';
import { auditedRun } from './runs.declarations.ts';
import { resumeRunInput } from './runs.inputs.ts';
import {
  findAndLockRuns,
  findStepByToken,
  type LockedRun,
  type NoticeRow,
  readPayload,
  requestCancels,
  resetRuns,
} from './runs.store.ts';

/** The result of a mutation of runs: enough to follow the run. */
export interface RunAnswer {
  runId: number;
  workflowId: number;
  status: string;
}

/** Locks a run of the tenant and reads what actions on it need. Throws NotFoundError. */
async function lockRun(tx: Tx, tenantId: string, id: bigint): Promise<LockedRun> {
  const [row] = await findAndLockRuns(tx, tenantId, [id]);
  if (!row) throw new NotFoundError();
  return row;
}

function refuse(fault: AppError | null): void {
  if (fault) throw fault;
}

const answer = (row: NoticeRow, status: string): RunAnswer => ({ runId: row.id, workflowId: row.workflow_id, status });

/**
 * Immediately ends a run that no worker holds, and asks the worker of a running one to stop it. Throws ConflictError when
 * it has ended.
 */
export async function cancelRun(deps: Pick<Deps, 'database'> & RunQueue, actor: Actor, id: bigint): Promise<RunAnswer> {
  return deps.database.withTenantSql(actor.tenantId, async (tx) => {
    const run = await lockRun(tx, actor.tenantId, id);
    refuse(cancelFault(run));
    if (run.status === 'running') {
      await requestCancels(tx, actor, [id]);
      tx.notify(channels.cancel, [[actor.tenantId, run.id]]);
      return answer(run, 'running');
    }
    const cancelled = {
      tenantId: actor.tenantId,
      runId: run.id,
      status: 'cancelled',
      error: null,
      result: null,
    } as const;
    await finishRuns(tx, deps, null, [cancelled], actor);
    return answer(run, 'cancelled');
  });
}

/**
 * Resumes a failed run from the steps that failed; completed steps are not repeated. It keeps its revision, because its records belong to
 * that revision's nodes; `warning` says so if the workflow has another by now.
 */
export async function retryRun(
  deps: Pick<Deps, 'database'> & RunQueue,
  actor: Actor,
  id: bigint,
): Promise<RunAnswer & { warning: string | null }> {
  const { tenantId } = actor;
  return deps.database.withTenantSql(actor.tenantId, async (tx) => {
    const run = await lockRun(tx, tenantId, id);
    refuse(retryFault(run));
    const rows = await resetRuns(tx, tenantId, [id], { held: run.concurrency === null ? [] : [id] });
    await recordAudit(tx, actor, {
      action: 'run.started',
      resource: auditedRun,
      resourceId: run.id,
      metadata: { retry: true },
    });
    if (run.concurrency === null) await enqueue(tx, deps, [{ tenantId, runId: run.id }]);
    else await dispatchHeld(tx, deps, tenantId, run.workflow_id);
    notifyRuns(tx, rows);
    return { ...answer(run, 'queued'), warning: keptRevision(run) };
  });
}

/** Starts a new run of the workflow's current revision, with the same payload or an edited one. */
export async function rerunRun(
  deps: Pick<Deps, 'database'> & RunQueue,
  actor: Actor,
  id: bigint,
  given: { payload?: unknown } = {},
): Promise<RunAnswer> {
  const { tenantId } = actor;
  if (given.payload !== undefined) storableJson(given.payload, 'payload');
  return deps.database.withTenantSql(actor.tenantId, async (tx) => {
    const run = await lockRun(tx, tenantId, id);
    refuse(rerunFault(run));
    const [made] = await insertRuns(tx, deps, [
      {
        actor,
        workflowId: run.workflow_id,
        bundleId: run.workflow_bundle_id as number,
        revision: run.workflow_revision,
        triggerId: run.trigger_id,
        triggerHandle: run.trigger_handle,
        triggerType: run.trigger_type,
        payload: given.payload === undefined ? await readPayload(tx, tenantId, id) : given.payload,
        concurrency: run.concurrency,
        rerunOfId: run.id,
      },
    ]);
    return { runId: made?.runId as number, workflowId: run.workflow_id, status: 'queued' };
  });
}

/**
 * Resumes a step that waits for an outside caller, with the caller's data. Throws NotFoundError for a token that no
 * step of the run has.
 */
export async function resumeRun(
  deps: Pick<Deps, 'database'> & RunQueue,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<RunAnswer> {
  const input = parseInput(resumeRunInput, given);
  const outputs = storableJson({ data: input.data ?? null }, 'data');
  const { tenantId } = actor;
  return deps.database.withTenantSql(actor.tenantId, async (tx) => {
    const run = await lockRun(tx, tenantId, id);
    const path = await findStepByToken(tx, tenantId, id, input.token);
    if (path === undefined) throw new NotFoundError();
    const resolved = await resolveWaitingStep(tx, deps, {
      tenantId,
      runId: run.id,
      path,
      outputs,
      error: null,
    });
    if (!resolved) throw new ConflictError('The step has been resumed already.');
    return answer(run, run.status);
  });
}
