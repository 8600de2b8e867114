import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { runBulkJobJob } from './bulk-jobs.declarations.ts';
import { claimUntakenJobs, jobsFirstInLine } from './bulk-jobs.store.ts';

/**
 * Wakes workers for the tenant's jobs that are first in line. Call it after the transaction that ended a job: a job whose own wake came too
 * early saw that one unfinished, so it is committed by then and found here. Never throws: `takeUpJobs` finds later what is missed.
 */
export async function wakeNext(
  { database, jobs, log }: Pick<ImportDeps, 'database' | 'jobs' | 'log'>,
  tenantId: string,
): Promise<void> {
  try {
    const ids = await database.withTenantSql(tenantId, (tx) => jobsFirstInLine(tx, tenantId));
    await jobs.insert(
      runBulkJobJob,
      ids.map((bulkJobId) => ({ payload: { tenantId, bulkJobId } })),
    );
  } catch (err) {
    log.warn(
      { err, tenantId },
      'The next bulk jobs could not be announced; the next look for jobs without a worker does it.',
    );
  }
}

/** Wakes workers for jobs that no worker has, because their worker died or their notice was lost. */
export async function takeUpJobs({ database, jobs }: Pick<ImportDeps, 'database' | 'jobs'>): Promise<void> {
  const untaken = await claimUntakenJobs(database.system);
  await jobs.insert(
    runBulkJobJob,
    untaken.map((payload) => ({ payload })),
  );
}
