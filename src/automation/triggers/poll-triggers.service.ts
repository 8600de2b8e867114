import { NodeError } from '#src/automation/node-api/node-error.ts';
import { runPollJob } from '#src/automation/polls/polls.declarations.ts';
import { type PollConfig, pollConfig, rewindInput, type WatermarkConfig } from '#src/automation/polls/polls.inputs.ts';
import { forgetKeysFrom, lockPollRow, requestPoll, seizePoll } from '#src/automation/polls/polls.store.ts';
import { type Position, readPosition } from '#src/automation/polls/positions.rules.ts';
import { auditedTrigger } from '#src/automation/workflows/workflows.declarations.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { recordAudit } from '#src/journal/audit/audit.service.ts';

/**
 * Moves the watermark to another position. The poll continues from there at its next time; a worker that is reading stops before it stores
 * its page.
 */
export async function rewindTrigger(
  { database }: Pick<Deps, 'database'>,
  actor: Actor,
  id: bigint,
  given: unknown,
): Promise<void> {
  const { to = null, forget = false } = parseInput(rewindInput, given);
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { config, watermark: before } = await lockPoll(tx, tenantId, id);
    const mark = config.watermark;
    const isTime = mark.by === 'updated_at';
    const watermark = to === null || to === '' ? null : readTo(to, mark);
    await seizePoll(tx, { tenantId, triggerId: id, restarts: true });
    await tx.poll.update({
      where: { tenantId_triggerId: { tenantId, triggerId: id } },
      data: { watermark, failures: 0, lastError: null },
    });
    if (forget === true) {
      await forgetKeysFrom(tx, { tenantId, triggerId: id, from: isTime ? watermark : null });
    }
    const metadata = { from: before, to: watermark, forget: forget === true };
    await recordAudit(tx, actor, { resource: auditedTrigger, action: 'rewind', resourceId: id, metadata });
  });
}

function readTo(to: string, mark: WatermarkConfig): Position {
  try {
    return readPosition(to, { ...mark, format: 'auto' });
  } catch (error) {
    if (error instanceof NodeError) throw new ValidationError({ to: [error.message] });
    throw error;
  }
}

/** Requests a poll now. Throws ConflictError for a trigger that is switched off. */
export async function pollTriggerNow(
  { database, jobs }: Pick<Deps, 'database' | 'jobs'>,
  actor: Actor,
  id: bigint,
): Promise<void> {
  const { tenantId } = actor;
  await database.withTenant(tenantId, async (tx) => {
    const { active } = await lockPoll(tx, tenantId, id);
    if (!active) throw new ConflictError('The trigger or its workflow is switched off. Switch it on first.');
    await requestPoll(tx, { tenantId, triggerId: id });
    await jobs.send(runPollJob, { tenantId, triggerId: Number(id) }, { tx });
    await recordAudit(tx, actor, { resource: auditedTrigger, action: 'poll', resourceId: id });
  });
}

/** Finds the poll of a trigger and locks it until the transaction ends. */
async function lockPoll(
  tx: TenantTx,
  tenantId: string,
  triggerId: bigint,
): Promise<{ config: PollConfig; watermark: Position | null; active: boolean }> {
  await lockPollRow(tx, { tenantId, triggerId });
  const poll = await tx.poll.findUnique({
    where: { tenantId_triggerId: { tenantId, triggerId } },
    include: { trigger: { select: { config: true } } },
  });
  if (!poll) throw new NotFoundError();
  const { trigger, watermark, active } = poll;
  return { config: pollConfig.parse(trigger.config), watermark, active };
}
