import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '#src/infra/deps.ts';
import { isOutage } from '#src/infra/postgres/outages.ts';
import type { Services } from '#src/infra/services.ts';
import { applyToBatch } from './bulk-action-kinds.service.ts';
import { notifyBulkAction } from './bulk-action-notices.service.ts';
import { ofOperators, withOwner } from './bulk-action-owners.store.ts';
import { runBulkActionJob } from './bulk-actions.declarations.ts';
import { canJudge, failsAlike, maxAttempts, mayExecute } from './bulk-actions.rules.ts';
import {
  claimUntaken,
  endBulkAction,
  type HeldAction,
  lockNextBatch,
  type NextBatch,
  readLastResult,
  recordBatch,
  releaseFailed,
  takeBulkAction,
} from './bulk-actions.store.ts';

type BulkServices = Pick<Services, 'deps' | 'automation'>;

/** Executes an action batch by batch until it has ended; does nothing if another worker has it. */
export async function runBulkAction(
  services: BulkServices,
  { tenantId, bulkActionId: id }: { tenantId: string; bulkActionId: number },
  { judgeMs = longestJudgeMs }: { judgeMs?: number } = {},
): Promise<void> {
  const { database, log } = services.deps;
  const action: HeldAction = { tenantId, id, lease: randomUUID() };
  const isTaken = await withOwner(database, tenantId, async (tx) => {
    const taken = await takeBulkAction(tx, tenantId, id, action.lease);
    if (taken) notifyBulkAction(tx, tenantId, id);
    return taken;
  });
  if (!isTaken) return;
  try {
    do if (await stopIfAlike(services.deps, action, judgeMs)) return;
    while (await handleNextBatch(services, action));
  } catch (error) {
    // During an outage nothing can be recorded; the lease ends by itself.
    if (isOutage(error)) throw error;
    log.error({ err: error, tenantId, bulkActionId: id }, 'A batch of a bulk action failed.');
    await giveBack(services.deps, action);
  }
}

/** The longest wait for the runs of a batch of the ramp, well within the lease. */
const longestJudgeMs = 5_000;
const pollMs = 100;

/**
 * Waits until most runs of the last batch have ended, if it belongs to the ramp, but no longer than `judgeMs`. Stops the action, and
 * returns true, if most of them failed with the same error.
 */
async function stopIfAlike(
  { database }: Pick<Deps, 'database'>,
  action: HeldAction,
  judgeMs: number,
): Promise<boolean> {
  const { tenantId, id } = action;
  let last = await readLastResult(database, action);
  for (const until = performance.now() + judgeMs; last && !canJudge(last) && performance.now() < until;) {
    await delay(pollMs);
    last = await readLastResult(database, action);
  }
  if (!last || !failsAlike(last)) return false;
  const error = `Most of the runs that it started failed with the same error: ${last.error}`;
  await withOwner(database, tenantId, async (tx) => {
    const batch = await lockNextBatch(tx, action);
    if (!batch) return;
    await endBulkAction(tx, action, describeEnd(batch) ?? { status: 'stopped', error });
    notifyBulkAction(tx, tenantId, id);
  });
  return true;
}

/** The wait before items are tried again that another transaction had locked. */
const lockedMs = 200;

/** Handles one batch and its progress in one transaction. Returns whether the action goes on. */
async function handleNextBatch(services: BulkServices, action: HeldAction): Promise<boolean> {
  const { tenantId, id } = action;
  const result = await withOwner(services.deps.database, tenantId, async (tx) => {
    const batch = await lockNextBatch(tx, action);
    if (!batch) return 'lost';
    notifyBulkAction(tx, tenantId, id);
    const end = describeEnd(batch);
    if (end || batch.items === null) {
      await endBulkAction(tx, action, end ?? { status: 'completed' });
      return 'ended';
    }
    const { done, refused, deferred } = await applyToBatch[batch.kind](tx, {
      services,
      actor: batch.actor,
      bulkActionId: id,
      ids: batch.items,
      given: batch.given,
    });
    await recordBatch(tx, action, { done: done.length, refused, deferred });
    return deferred.length === batch.items.length ? 'locked' : 'handled';
  });
  if (result === 'locked') await delay(lockedMs);
  return result === 'handled' || result === 'locked';
}

/** Why an action ends before its next batch. */
function describeEnd({ kind, actor, items, cancelRequested, roles, isTenant }: NextBatch) {
  if (cancelRequested) return { status: 'cancelled' } as const;
  // Nothing is left that somebody could continue.
  if (items === null) return { status: 'completed' } as const;
  if (!isTenant) return { status: 'stopped', error: 'The tenant belongs to another organisation now.' } as const;
  // Only tenants have a record of who may do what in them; operators were allowed when the action started.
  if (actor.tenantId === ofOperators || mayExecute(kind, roles ?? [])) return undefined;
  return {
    status: 'stopped',
    error: 'The user who started it has no longer the role that it needs. Somebody who has it can continue it.',
  } as const;
}

async function giveBack({ database }: Pick<Deps, 'database'>, action: HeldAction): Promise<void> {
  const { tenantId, id } = action;
  await withOwner(database, tenantId, async (tx) => {
    const attempts = await releaseFailed(tx, action);
    if (attempts === undefined || attempts < maxAttempts) return;
    const error = 'It failed several times at the same place. The log of the server says why.';
    await endBulkAction(tx, action, { status: 'stopped', error });
    notifyBulkAction(tx, tenantId, id);
  });
}

/** Wakes workers for actions that no worker has, because their worker died or their notice was lost. */
export async function takeUpBulkActions({ database, jobs }: Pick<Deps, 'database' | 'jobs'>): Promise<void> {
  const untaken = await claimUntaken(database.system);
  await jobs.insert(
    runBulkActionJob,
    untaken.map((payload) => ({ payload })),
  );
}
