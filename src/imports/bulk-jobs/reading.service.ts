import { FileFault } from '#src/imports/formats/file-fault.ts';
import { readFileRows } from '#src/imports/profiles/file-rows.service.ts';
import type { ReadRow, RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { notifyBulkJob } from './bulk-job-notices.service.ts';
import { type Headway, recordHeadway, type TakenJob } from './bulk-jobs.store.ts';
import { Interrupted, interruptedBy } from './interruption.rules.ts';
import { rejectRepeated, stageRows, writeRejects } from './staging.store.ts';

/** Rows that are copied in one transaction. */
const chunkRows = 10_000;
/** The part of a job's progress that reading is. */
const readingShare = 0.3;

/**
 * Reads the file to its end into the staging table, from where an earlier worker was, before anything is written. Throws FileFault
 * where it cannot be read, and Interrupted.
 */
export async function readIntoStaging(
  deps: ImportDeps,
  job: TakenJob,
  { reader, target }: { reader: RowReader; target: ImportTarget },
): Promise<void> {
  const { database, storage } = deps;
  const upload = await database
    .reader(job.tenantId)
    .upload.findUnique({ where: { tenantId_id: { tenantId: job.tenantId, id: BigInt(job.uploadId ?? 0) } } });
  if (!upload?.storageKey) throw new FileFault('The uploaded file is gone. Upload it again.');
  const { profile, tenantId, id: jobId } = job;
  const size = Number(upload.bytes ?? 0);
  let bytes = 0;
  let staged = job.rowsRead;

  const stage = (rows: ReadRow[]): Promise<void> =>
    database.withTenant(tenantId, async (tx) => {
      await stageRows(tx, jobId, staged, rows);
      const faulty = rows.filter(({ faults }) => faults.length > 0);
      const rejects = faulty.flatMap(({ line, faults }) => faults.map((fault) => ({ line, ...fault })));
      await writeRejects(tx, { tenantId, jobId }, rejects);
      const progress = size > 0 ? (readingShare * Math.min(bytes, size)) / size : 0;
      await goOn(tx, deps, job, { read: rows.length, rejected: faulty.length, progress });
      staged += rows.length;
    });

  let waiting: ReadRow[] = [];
  const key = upload.storageKey;
  const onBytes = (read: number) => {
    bytes = read;
  };
  for await (const rows of readFileRows(storage, { key, profile, reader, skip: staged, onBytes })) {
    waiting = waiting.length === 0 ? rows : waiting.concat(rows);
    if (waiting.length < chunkRows) continue;
    await stage(waiting);
    waiting = [];
  }
  if (waiting.length > 0) await stage(waiting);
  await database.withTenant(tenantId, async (tx) => {
    const mayRepeat = target.mayRepeat?.(profile) === true;
    const rejected = mayRepeat ? 0 : await rejectRepeated(tx, { tenantId, jobId }, { ...reader, key: target.key });
    await goOn(tx, deps, job, { rejected, phase: 'merging', progress: readingShare });
  });
  job.rowsRead = staged;
}

/** Records headway and rolls the chunk back where the job is no longer this worker's, or is to be cancelled. */
export async function goOn(tx: Tx, { ending }: ImportDeps, job: TakenJob, made: Headway): Promise<void> {
  const state = await recordHeadway(tx, job, made);
  const interruption = interruptedBy(state, ending.aborted);
  if (interruption) throw new Interrupted(interruption);
  notifyBulkJob(tx, job.tenantId, job.id);
}
