import { randomUUID } from 'node:crypto';
import { notifyBulkJob } from '#src/imports/bulk-jobs/bulk-job-notices.service.ts';
import {
  bulkJobData,
  exportCompleted,
  exportFailed,
  importCompleted,
  importFailed,
} from '#src/imports/bulk-jobs/bulk-jobs.declarations.ts';
import { type BulkJobStatus, Interrupted } from '#src/imports/bulk-jobs/bulk-jobs.rules.ts';
import {
  endJob,
  type EndedJob,
  releaseJob,
  renewLease,
  type TakenJob,
  takeJob,
} from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { wakeNext } from '#src/imports/bulk-jobs/wake-jobs.service.ts';
import { runExport } from '#src/imports/exports/export-run.service.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { mergeAbsent, mergeStaged } from '#src/imports/merging/merge-staged.service.ts';
import { judgeRejected } from '#src/imports/merging/rehearsal.service.ts';
import { createRowReader } from '#src/imports/profiles/row-reader.rules.ts';
import { readIntoStaging, restageLost } from '#src/imports/staging/read-into-staging.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { every } from '#src/infra/background/every.ts';
import { observations } from '#src/infra/observations/observations.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { isFull } from '#src/infra/storage/storage-full.ts';
import { readCause } from '#src/infra/tracing/cause.ts';
import type { TraceContext } from '#src/infra/tracing/trace-context.ts';
import type { Tracing } from '#src/infra/tracing/tracing.ts';
import { publishEvent } from '#src/journal/outbox/outbox.ts';

/** Workers that may fail or die at the same place, one after the other, before the job is given up. */
const maxAttempts = 5;
const givenUp = 'It failed several times at the same place. The log of the server says why.';

/** Between renewals of a lease, well before it ends. By them, a worker that reads also learns that its job is to be cancelled. */
const renewMs = 1_000;

/** Runs a job until it has ended or is interrupted; does nothing if it is not its turn, or another worker has it. */
export async function runBulkJob(
  deps: ImportDeps,
  { tenantId, bulkJobId }: { tenantId: string; bulkJobId: number },
): Promise<void> {
  const { database } = deps;
  if (deps.ending.aborted) return;
  const job = await database.withTenantSql(tenantId, async (tx) => {
    // Whose turn it is among a tenant's jobs is settled by one transaction at a time.
    await lockNamed(tx, `bulk-jobs/${tenantId}`);
    const taken = await takeJob(tx, tenantId, bulkJobId, randomUUID());
    if (taken) notifyBulkJob(tx, tenantId, bulkJobId);
    return taken;
  });
  if (!job) return;
  // Its workers died, perhaps of the file: the next one would die too, with everything else that it does.
  if (job.attempts > maxAttempts) return end(deps, job, 'failed', givenUp);
  const renewing = every({
    everyMs: renewMs,
    firstMs: renewMs,
    work: async () => {
      const renewed = await renewLease(database, job);
      if (renewed) job.cancelRequested = renewed.cancelRequested;
    },
    log: deps.log,
    fault: 'The lease of a bulk job was not renewed; the next chunk finds out whether it is lost.',
    level: 'warn',
  });
  try {
    await work(deps, job);
    await end(deps, job, 'completed');
  } catch (error) {
    await handleFailure(deps, job, error);
  } finally {
    await renewing.stop();
  }
}

async function work(deps: ImportDeps, job: TakenJob): Promise<void> {
  if (job.kind === 'export') return runExport(deps, job);
  const target = deps.targets.get(job.target);
  if (!target) throw new FileFault(`There is no target ${job.target} any more.`);
  const reader = createRowReader(target, job.profile, deps.expressions);
  await restageLost(deps, job, { reader, target });
  const known = job.phase === 'reading' ? await readIntoStaging(deps, job, { reader, target }) : [];
  const merging = { reader, target, known };
  if (job.phase !== 'absent') await judgeRejected(deps, job, merging);
  if (job.phase !== 'absent') await mergeStaged(deps, job, merging);
  await mergeAbsent(deps, job, merging);
}

async function handleFailure(deps: ImportDeps, job: TakenJob, error: unknown): Promise<void> {
  if (error instanceof FileFault) return end(deps, job, 'failed', error.message);
  if (isFull(error)) return end(deps, job, 'failed', await fullDisk(deps, job));
  if (error instanceof Interrupted && error.why === 'lost') return undefined;
  if (error instanceof Interrupted && error.why === 'cancelled') return end(deps, job, 'cancelled');
  if (!(error instanceof Interrupted)) {
    deps.log.error(
      { err: error, tenantId: job.tenantId, bulkJobId: job.id },
      'A bulk job was interrupted by an error.',
    );
    if (job.attempts >= maxAttempts) return end(deps, job, 'failed', givenUp);
  }
  return releaseJob(deps.database, job, { isEnding: error instanceof Interrupted });
}

/** An import that has written rows is not started again: its rows could count twice. */
async function fullDisk({ database }: ImportDeps, { kind, dryRun, tenantId, id }: TakenJob): Promise<string> {
  // From the database: the commit of the last chunk may be what failed.
  const [stored] = await database.tenantQuery<{ mergedTo: number }>(tenantId, {
    text: 'SELECT merged_to AS "mergedTo" FROM bulk_jobs WHERE tenant_id = $1 AND id = $2',
    values: [tenantId, id],
  });
  const mergedTo = stored?.mergedTo ?? 0;
  return kind === 'import' && !dryRun && mergedTo > 0
    ? `The disk of the server is full. The first ${mergedTo} rows of the file are done: free space, and send the others as a new file.`
    : 'The disk of the server is full. Free space, and start it again.';
}

const topics = {
  import: { completed: importCompleted, failed: importFailed },
  export: { completed: exportCompleted, failed: exportFailed },
};

/** Ends the job with its event, then wakes workers for those that it kept waiting. */
async function end(deps: ImportDeps, job: TakenJob, status: BulkJobStatus, error?: string): Promise<void> {
  const { tenantId } = job;
  await deps.database.withTenantSql(tenantId, async (tx) => {
    const ended = await endJob(tx, job, { status, ...(error !== undefined && { error }) });
    if (!ended) return;
    observations.bulkJobEnded.tell({ kind: job.kind, target: job.target, status });
    notifyBulkJob(tx, tenantId, job.id);
    const cause = readCause(ended);
    recordJobSpan(deps.tracing, tenantId, { ...ended, status }, cause.trace);
    if (status !== 'cancelled') {
      await publishEvent(tx, {
        tenantId,
        cause,
        topic: topics[job.kind][status === 'completed' ? 'completed' : 'failed'],
        data: bulkJobData({ ...ended, status }),
      });
    }
  });
  await wakeNext(deps, tenantId);
}

/** Records a job that has ended, from when it was first taken up. */
function recordJobSpan(
  tracing: Tracing,
  tenantId: string,
  { id, kind, target, status, startedAt, finishedAt, rowsRead }: EndedJob,
  trace: TraceContext | undefined,
): void {
  if (!tracing.isOn || !trace?.isSampled) return;
  const to = (finishedAt ?? new Date()).getTime();
  tracing.record({
    context: tracing.within(trace, 'bulk-job', tenantId, id),
    parentId: trace.spanId,
    name: kind,
    kind: 'internal',
    from: startedAt?.getTime() ?? to,
    to,
    attributes: {
      'causeway.tenant': tenantId,
      'causeway.bulk_job': id,
      'causeway.target': target,
      'causeway.status': status,
      'causeway.rows': rowsRead,
    },
    error: status === 'failed' ? 'JOB_FAILED' : undefined,
  });
}
