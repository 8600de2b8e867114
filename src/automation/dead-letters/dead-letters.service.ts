import type { DeadLetter } from '#prisma/client.ts';
import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { noManualTrigger, workflowDeleted } from '#src/automation/runs/runnable.rules.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';
import { auditedDeadLetter } from './dead-letters.declarations.ts';
import { replayInput } from './dead-letters.inputs.ts';
import {
  claimPending,
  type ClaimedLetter,
  findReplayTrigger,
  isAnyWorkerLive,
  isKnown,
  type ReplayTrigger,
  setReplayedRun,
} from './dead-letters.store.ts';
import { continueCause } from './letter-cause.rules.ts';
import { notifyDeadLetters } from './live-dead-letters.service.ts';
import { replayFault, settledAlready } from './replay-faults.rules.ts';

/**
 * Starts a new run from the captured payload and returns its id. The transaction that creates the run also changes the
 * status, so only one of several replays succeeds, and after a failure the dead letter is still pending.
 */
export async function replayDeadLetter(
  deps: Pick<Deps, 'database'> & RunQueue,
  actor: Actor,
  id: bigint,
  given: unknown = {},
): Promise<{ runId: number; deadLetterId: bigint }> {
  const { triggerHandle } = parseInput(replayInput, given);
  return deps.database.withTenantSql(actor.tenantId, async (tx) => {
    const letter = await claim(tx, actor.tenantId, id);
    if (letter.deleted) throw new ConflictError(workflowDeleted);
    const trigger = await resolveTrigger(tx, actor.tenantId, letter, triggerHandle ?? null);
    const fault = replayFault(letter);
    if (fault) throw fault;
    if (!(await isAnyWorkerLive(tx))) throw new AppError('UNAVAILABLE', 'Workflow worker is unavailable.');
    const [run] = await insertRuns(tx, deps, [
      {
        actor: continueCause(letter, actor),
        workflowId: letter.workflow_id,
        bundleId: letter.bundle_id as number,
        revision: letter.revision,
        triggerId: trigger.id,
        triggerHandle: trigger.handle,
        triggerType: trigger.type,
        payload: letter.payload,
        eventId: letter.event_id,
        concurrency: letter.concurrency,
      },
    ]);
    const runId = run?.runId as number;
    await setReplayedRun(tx, actor.tenantId, id, runId);
    notifyDeadLetters(tx, actor.tenantId, [id]);
    return { runId, deadLetterId: id };
  });
}

async function claim(tx: Tx, tenantId: string, id: bigint): Promise<ClaimedLetter> {
  const letter = await claimPending(tx, tenantId, id);
  if (letter) return letter;
  throw (await isKnown(tx, tenantId, id)) ? new ConflictError(settledAlready) : new NotFoundError();
}

/** The requested trigger, which must exist; by default the captured one or, if that no longer exists, the manual one. */
async function resolveTrigger(
  tx: Tx,
  tenantId: string,
  letter: ClaimedLetter,
  asked: string | null,
): Promise<ReplayTrigger> {
  const trigger = await findReplayTrigger(tx, tenantId, letter.workflow_id, {
    handle: asked ?? letter.trigger_handle,
    orManual: asked === null,
  });
  if (trigger) return trigger;
  if (asked === null) throw new AppError('UNPROCESSABLE', noManualTrigger);
  throw new ValidationError({ triggerHandle: ['The workflow has no active trigger with this handle.'] });
}

/** Closes a dead letter without starting a run. */
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
    await recordAudit(tx, actor, { resource: auditedDeadLetter, action: 'discard', resourceId: id });
    notifyDeadLetters(tx, tenantId, [id]);
    return letter;
  });
}
