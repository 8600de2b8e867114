import type { DeadLetter } from '#prisma/client.ts';
import type { BundleStatus, TriggerType } from '#prisma/enums.ts';
import type { RunDeps } from '#src/automation/runs/live/live-runs.service.ts';
import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import {
  bundleNotReady,
  noManualTrigger,
  workflowDeleted,
  workflowInactive,
} from '#src/automation/runs/runnable.rules.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { replayInput } from './dead-letters.inputs.ts';

const settledAlready = 'Dead letter has already been replayed or discarded.';

interface Claimed {
  workflow_id: number;
  trigger_handle: string;
  payload: unknown;
  active: boolean;
  deleted: boolean;
  revision: number;
  bundle_id: number | null;
  bundle_status: BundleStatus;
  concurrency: number | null;
}

interface ReplayTrigger {
  id: number;
  handle: string;
  type: TriggerType;
}

/**
 * Starts a fresh run from the captured payload, and answers its id. Of several replays one wins, since the status is settled in
 * the transaction that makes the run; whatever stands in the way leaves the dead letter pending.
 */
export async function replayDeadLetter(
  deps: RunDeps,
  actor: Actor,
  id: bigint,
  given: unknown = {},
): Promise<{ runId: number; deadLetterId: bigint }> {
  const { triggerHandle } = parseInput(replayInput, given);
  return deps.database.withTenantSql(actor.tenantId, async (tx) => {
    const letter = await claim(tx, actor.tenantId, id);
    if (letter.deleted) throw new ConflictError(workflowDeleted);
    const trigger = await resolveTrigger(tx, actor.tenantId, letter, triggerHandle ?? null);
    if (!letter.active) throw new ConflictError(workflowInactive);
    if (letter.bundle_id === null || letter.bundle_status !== 'ready') throw new ConflictError(bundleNotReady);
    const { rowCount } = await tx.query('SELECT FROM workers WHERE lease_until > now() LIMIT 1');
    if (rowCount === 0) throw new AppError('UNAVAILABLE', 'Workflow worker is unavailable.');
    const [run] = await insertRuns(tx, deps, [
      {
        actor,
        workflowId: letter.workflow_id,
        bundleId: letter.bundle_id,
        revision: letter.revision,
        triggerId: trigger.id,
        triggerHandle: trigger.handle,
        triggerType: trigger.type,
        payload: letter.payload,
        concurrency: letter.concurrency,
      },
    ]);
    const runId = run?.runId as number;
    await tx.query('UPDATE dead_letters SET replayed_run_id = $3 WHERE tenant_id = $1 AND id = $2', [
      actor.tenantId,
      id,
      runId,
    ]);
    return { runId, deadLetterId: id };
  });
}

/** Takes the dead letter out of `pending`; whoever comes second waits for the first to commit, and then finds it taken. */
async function claim(tx: Tx, tenantId: string, id: bigint): Promise<Claimed> {
  const { rows } = await tx.query<Claimed>(
    `UPDATE dead_letters d SET status = 'replayed', updated_at = clock_timestamp() FROM workflows w
     WHERE d.tenant_id = $1 AND d.id = $2 AND d.status = 'pending' AND w.tenant_id = d.tenant_id AND w.id = d.workflow_id
     RETURNING d.workflow_id, d.trigger_handle, w.active, w.deleted_at IS NOT NULL AS deleted, w.revision, w.bundle_id,
       w.bundle_status, w.concurrency,
       (SELECT payload FROM dead_letter_payloads p WHERE p.tenant_id = d.tenant_id AND p.dead_letter_id = d.id)`,
    [tenantId, id],
  );
  const [letter] = rows;
  if (letter) return letter;
  const known = await tx.query('SELECT FROM dead_letters WHERE tenant_id = $1 AND id = $2', [tenantId, id]);
  throw known.rowCount === 0 ? new NotFoundError() : new ConflictError(settledAlready);
}

/** The trigger asked for, which must be there; else the captured one, or where that has gone, the manual one. */
async function resolveTrigger(tx: Tx, tenantId: string, letter: Claimed, asked: string | null): Promise<ReplayTrigger> {
  const { rows } = await tx.query<ReplayTrigger>(
    `SELECT id, handle, type FROM triggers
     WHERE tenant_id = $1 AND workflow_id = $2 AND active AND (handle = $3 OR ($4 AND type = 'manual'))
     ORDER BY handle = $3 DESC, id LIMIT 1`,
    [tenantId, letter.workflow_id, asked ?? letter.trigger_handle, asked === null],
  );
  const [trigger] = rows;
  if (trigger) return trigger;
  if (asked === null) throw new AppError('UNPROCESSABLE', noManualTrigger);
  throw new ValidationError({ triggerHandle: ['The workflow has no active trigger with this handle.'] });
}

/** Settles a dead letter without a run. */
export async function discardDeadLetter({ database }: Deps, actor: Actor, id: bigint): Promise<DeadLetter> {
  const { tenantId } = actor;
  return database.withTenant(tenantId, async (tx) => {
    const { count } = await tx.deadLetter.updateMany({
      where: { tenantId, id, status: 'pending' },
      data: { status: 'discarded', updatedAt: new Date() },
    });
    const letter = await tx.deadLetter.findFirst({ where: { tenantId, id } });
    if (!letter) throw new NotFoundError();
    if (count === 0) throw new ConflictError(settledAlready);
    return letter;
  });
}
