import { insertRuns } from '#src/automation/runs/run-creation.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { noManualTrigger } from '#src/automation/runs/runnable.rules.ts';
import { type BatchOutcome, divide } from '#src/infra/batch-outcome.ts';
import type { Actor } from '#src/infra/deps.ts';
import { AppError, ConflictError, NotFoundError } from '#src/infra/errors.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { recordAudits } from '#src/journal/audit/audit.service.ts';
import {
  findExistingLetters,
  type LockedLetter,
  lockLetters,
  readLetterPayloads,
  settleLetters,
} from './bulk-dead-letters.store.ts';
import { auditedDeadLetter } from './dead-letters.declarations.ts';
import { continueCause } from './letter-cause.rules.ts';
import { notifyDeadLetters } from './live-dead-letters.service.ts';
import { replayFault, settledAlready } from './replay-faults.rules.ts';

/** The use cases of dead-letters.service.ts for many dead letters in the caller's transaction. */

async function lock(
  tx: Tx,
  tenantId: string,
  ids: readonly number[],
  faultOf: (letter: LockedLetter) => AppError | null,
): Promise<Omit<BatchOutcome, 'done'> & { accepted: LockedLetter[] }> {
  const letters = await lockLetters(tx, tenantId, ids);
  const { accepted, refused } = divide(letters, (letter) =>
    letter.status === 'pending' ? faultOf(letter) : new ConflictError(settledAlready),
  );
  const locked = new Set(letters.map(({ id }) => id));
  const missing = ids.filter((id) => !locked.has(id));
  const existing = missing.length > 0 ? await findExistingLetters(tx, tenantId, missing) : new Set();
  const unknown = missing.filter((id) => !existing.has(id)).map((id) => ({ id, error: new NotFoundError() }));
  return { accepted, refused: [...refused, ...unknown], deferred: missing.filter((id) => existing.has(id)) };
}

function faultOfReplay(letter: LockedLetter): AppError | null {
  if (letter.deleted || letter.trigger) return replayFault(letter);
  return new AppError('UNPROCESSABLE', noManualTrigger);
}

/** Payloads of runs that are started together; the others of a batch come later. */
const maxPayloadBytes = 8 * 1024 * 1024;

/** Starts a run with the payload of each of these dead letters. */
export async function replayDeadLetters(
  tx: Tx,
  deps: RunQueue,
  actor: Actor,
  ids: readonly number[],
): Promise<BatchOutcome> {
  const { tenantId } = actor;
  const { accepted, refused, deferred } = await lock(tx, tenantId, ids, faultOfReplay);
  const payloads = await readLetterPayloads(
    tx,
    tenantId,
    accepted.map(({ id }) => id),
    maxPayloadBytes,
  );
  const fitting = accepted.flatMap(({ trigger, ...letter }) =>
    trigger && payloads.has(letter.id) ? [{ ...letter, trigger }] : [],
  );
  const made = await insertRuns(
    tx,
    deps,
    fitting.map(({ id, trigger, ...letter }) => ({
      actor: continueCause(letter, actor),
      workflowId: letter.workflow_id,
      bundleId: letter.bundle_id as number,
      revision: letter.revision,
      triggerId: trigger.id,
      triggerHandle: trigger.handle,
      triggerType: trigger.type,
      payload: payloads.get(id),
      eventId: letter.event_id,
      concurrency: letter.concurrency,
    })),
  );
  await settleLetters(
    tx,
    tenantId,
    'replayed',
    fitting.map(({ id }, place) => ({ id, runId: made[place]?.runId as number })),
  );
  notifyDeadLetters(
    tx,
    tenantId,
    fitting.map(({ id }) => id),
  );
  const later = accepted.filter(({ id }) => !payloads.has(id)).map(({ id }) => id);
  return { done: fitting.map(({ id }) => id), refused, deferred: [...deferred, ...later] };
}

/** Settles these dead letters without runs. */
export async function discardDeadLetters(
  tx: Tx,
  actor: Actor,
  ids: readonly number[],
  bulkActionId: number,
): Promise<BatchOutcome> {
  const { tenantId } = actor;
  const { accepted, ...others } = await lock(tx, tenantId, ids, () => null);
  const done = accepted.map(({ id }) => id);
  await settleLetters(tx, tenantId, 'discarded', accepted);
  notifyDeadLetters(tx, tenantId, done);
  const metadata = { bulk_action_id: bulkActionId };
  await recordAudits(tx, actor, { resource: auditedDeadLetter, action: 'discard', metadata }, done);
  return { done, ...others };
}
