import { cachedTicks } from '#src/infra/cron/ticks.ts';
import type { Deps } from '#src/infra/deps.ts';
import { claimUntaken, forgetOldFiles, lockDue, requestDue } from './due-transfers.store.ts';
import { runTransferJob } from './transfers.declarations.ts';

type DueDeps = Pick<Deps, 'database' | 'jobs'>;

/** Plans the transfers whose time has come, and wakes workers for all that wait. */
export async function startDueTransfers({ database, jobs }: DueDeps): Promise<void> {
  await database.withSystem(async (tx) => {
    const due = await lockDue(tx);
    if (due.length === 0) return;
    await requestDue(
      tx,
      due.map(({ tenantId, id, cron, timezone, now }) => ({ tenantId, id, nextAt: nextTime(cron, timezone, now) })),
    );
  });
  const untaken = await claimUntaken(database.system);
  await jobs.insert(
    runTransferJob,
    untaken.map((payload) => ({ payload })),
  );
}

/** The first time of a cron after `now`; null where there is none. */
export function nextTime(cron: string, timezone: string, now: Date): Date | null {
  const next = cachedTicks(cron, timezone).next(now.getTime());
  return next === undefined ? null : new Date(next);
}

/** Returns whether there may be more. */
export const sweepTransferFiles = ({ database }: Pick<Deps, 'database'>): Promise<boolean> =>
  forgetOldFiles(database.system);
