import type { BatchOutcome } from '#src/infra/batch-outcome.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { auditRetriedJobs, findExistingJobs, lockFailedJobs } from './bulk-failed-jobs.store.ts';
import { notPutBack } from './failed-jobs.rules.ts';

/**
 * Puts these failed jobs back into their queues, in the caller's transaction as the system role: jobs have no tenant column. They move with
 * the commit that records them, so none is put back twice.
 */
export async function retryFailedJobs(
  tx: Tx,
  { jobs }: Pick<Deps, 'jobs'>,
  actor: Actor,
  items: readonly { item: number; key: string }[],
  bulkActionId: number,
): Promise<BatchOutcome> {
  const locked = await lockFailedJobs(
    tx,
    items.map(({ key }) => key),
  );
  const found = new Map(locked.map((job) => [job.key, job]));
  const missing = items.filter(({ key }) => !found.has(key));
  const existing =
    missing.length > 0
      ? await findExistingJobs(
          tx,
          missing.map(({ key }) => key),
        )
      : new Set();
  const left = new Set(locked.length > 0 ? await jobs.retryManyFailed([...found.keys()], { tx }) : []);
  await auditRetriedJobs(
    tx,
    actor,
    bulkActionId,
    locked.filter(({ key }) => !left.has(key)),
  );
  const outcome: BatchOutcome = { done: [], refused: [], deferred: [] };
  for (const { item: id, key } of items) {
    const job = found.get(key);
    if (job && left.has(key)) outcome.refused.push({ id, error: new ConflictError(notPutBack(job.job)) });
    else if (job) outcome.done.push(id);
    else if (existing.has(key)) outcome.deferred.push(id);
    else outcome.refused.push({ id, error: new NotFoundError() });
  }
  return outcome;
}
