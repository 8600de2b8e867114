import { notifyBulkJob } from '#src/imports/bulk-jobs/bulk-job-notices.service.ts';
import { Interrupted, interruptedBy } from '#src/imports/bulk-jobs/bulk-jobs.rules.ts';
import { type Progress, recordProgress, type TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import type { KnownChunks } from '#src/imports/comparing/compared-rows.ts';
import { createKeyFilter } from '#src/imports/comparing/key-filter.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { readFileRows } from '#src/imports/profiles/file-rows.service.ts';
import type { ReadRow, RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { compareFile } from './compare-file.service.ts';
import { createStagingParts, type Part } from './staging-parts.service.ts';
import {
  beginRestaging,
  endRestaging,
  isStaged,
  orderByRecord,
  recountUnchanged,
  rejectRepeated,
  stageRows,
  writeRejects,
} from './staging.store.ts';

/** The share of reading in a job's progress. */
const readingShare = 0.3;

interface Reading {
  reader: RowReader;
  target: ImportTarget;
}

/**
 * Reads the file to its end into the staging table, from where an earlier worker was, before anything is written; rows that change nothing
 * are left out. Answers what is known of each chunk of rows. Throws FileFault where it cannot be read, and Interrupted.
 */
export async function readIntoStaging(
  deps: ImportDeps,
  job: TakenJob,
  { reader, target }: Reading,
): Promise<KnownChunks> {
  const upload = await findUpload(deps, job);
  const { columns } = reader;
  const keep = async (tx: Tx, { rows, faulty, read, unchanged, progress }: Part): Promise<void> => {
    await stageRows(tx, columns, rows);
    const rejects = faulty.flatMap(({ line, faults }) => faults.map((fault) => ({ line, ...fault })));
    await writeRejects(tx, { tenantId: job.tenantId, jobId: job.id }, rejects);
    const rejected = faulty.length;
    await checkpoint(tx, deps, job, { read, unchanged, rejected, progress: readingShare * progress });
    job.rowsRead += read;
    job.rowsRejected += rejected;
  };
  // Nothing is kept until a file has been compared: a worker that takes over from another keeps what it reads as it reads.
  const isFirst = job.rowsRead === 0 && job.attempts === 1;
  const compared = isFirst ? await compareFile(deps, job, { reader, target, upload }) : undefined;
  // Keys of rows that an earlier worker staged are unknown here.
  let mayRepeat = !compared && job.rowsRead > 0;
  if (compared) {
    const parts = createStagingParts(deps.database, job, { columns, from: 0, keep });
    for (let batch = 0; batch < compared.batches(); batch += 1) {
      const { upTo, isLastStaged, unchanged, faulty } = compared.stage(batch, parts.text);
      parts.unchanged += unchanged;
      parts.faulty.push(...faulty);
      const isLast = batch + 1 === compared.batches();
      if (isLast || parts.isFull())
        await parts.keep({ upTo, isLastStaged, progress: (batch + 1) / compared.batches() });
    }
    await parts.ended();
    compared.free();
    mayRepeat = compared.hasRepeated();
  } else {
    const filter = createKeyFilter(columns, target.key);
    const trackDuplicates = ({ cells }: ReadRow): void => {
      mayRepeat ||= filter.mayRepeat(cells);
    };
    await stageFile(deps, job, {
      reader,
      upload,
      from: job.rowsRead,
      keep,
      ...(isUnique(job, target) && { trackDuplicates }),
    });
  }
  const rejected = await deps.database.withTenantSql(job.tenantId, async (tx) => {
    const repeats = { ...reader, key: target.key, rows: job.rowsRead };
    const repeated = isUnique(job, target) && mayRepeat ? await rejectRepeated(tx, job, repeats) : 0;
    if (isRehearsed(job) && !isUnique(job, target)) await orderByRecord(tx, job, { ...reader, key: target.key });
    await checkpoint(tx, deps, job, { rejected: repeated, phase: 'merging', progress: readingShare });
    job.rowsRejected += repeated;
    return repeated;
  });
  // Which rows were rejected as repeated is not known here.
  return compared && rejected === 0 ? compared.chunks() : [];
}

/**
 * Stages again, and whole, what an earlier worker had read and Postgres has lost, because the staging table is unlogged, or what it has
 * left out before it had read all. Its rows have been counted already.
 */
export async function restageLost(deps: ImportDeps, job: TakenJob, { reader, target }: Reading): Promise<void> {
  const { database } = deps;
  const { tenantId } = job;
  if (job.rowsRead === 0) return;
  const lacksRows = job.phase === 'reading' && job.rowsUnchanged > 0;
  if (!lacksRows && (await database.withTenantSql(tenantId, (tx) => isStaged(tx, job)))) return;
  await database.withTenantSql(tenantId, (tx) => beginRestaging(tx, job));
  await stageFile(deps, job, {
    reader,
    upload: await findUpload(deps, job),
    from: 0,
    upTo: job.rowsRead,
    keep: async (tx, { rows }) => {
      await stageRows(tx, reader.columns, rows);
      await checkpoint(tx, deps, job, {});
    },
  });
  await database.withTenantSql(tenantId, async (tx) => {
    await endRestaging(tx, job);
    const repeats = { ...reader, key: target.key, rows: job.rowsRead, isCounted: true };
    if (job.phase !== 'reading' && isUnique(job, target)) await rejectRepeated(tx, job, repeats);
    else if (job.phase !== 'reading' && isRehearsed(job)) await orderByRecord(tx, job, { ...reader, key: target.key });
    await recountUnchanged(tx, job);
    await checkpoint(tx, deps, job, {});
  });
}

const isUnique = ({ profile }: TakenJob, target: ImportTarget): boolean => target.mayRepeat?.(profile) !== true;

/** True for dry runs and for jobs with a reject limit. */
const isRehearsed = ({ dryRun, profile }: TakenJob): boolean => dryRun || profile.maxRejected !== null;

interface StoredUpload {
  key: string;
  bytes: number;
}

async function findUpload(
  { database }: ImportDeps,
  { tenantId, uploadId }: Pick<TakenJob, 'tenantId' | 'uploadId'>,
): Promise<StoredUpload> {
  const upload = await database
    .reader(tenantId)
    .upload.findUnique({ where: { tenantId_id: { tenantId, id: BigInt(uploadId ?? 0) } } });
  if (!upload?.storageKey) throw new FileFault('The uploaded file is gone. Upload it again.');
  return { key: upload.storageKey, bytes: Number(upload.bytes ?? 0) };
}

interface Staging {
  reader: RowReader;
  upload: StoredUpload;
  /** Rows before this are skipped, and those after `upTo`. */
  from: number;
  upTo?: number;
  /** Is shown each row. */
  trackDuplicates?: (row: ReadRow) => void;
  keep: (tx: Tx, part: Part) => Promise<void>;
}

/** Reads the job's file and keeps all of its rows; the next part is read meanwhile. */
async function stageFile(
  { database, storage }: ImportDeps,
  job: TakenJob,
  { reader, upload: { key, bytes: size }, from, upTo = Number.MAX_SAFE_INTEGER, trackDuplicates, keep }: Staging,
): Promise<void> {
  let bytes = 0;
  let n = from;
  const parts = createStagingParts(database, job, { columns: reader.columns, from, keep });
  const keepPart = (): Promise<void> =>
    parts.keep({ upTo: n, isLastStaged: true, progress: size > 0 ? Math.min(bytes, size) / size : 0 });
  const onBytes = (read: number) => {
    bytes = read;
  };
  for await (const rows of readFileRows(storage, { key, profile: job.profile, reader, skip: from, onBytes })) {
    for (const row of rows.slice(0, upTo - n)) {
      n += 1;
      const { line, cells, faults } = row;
      trackDuplicates?.(row);
      parts.text.addRow({ n, line, isFaulty: faults.length > 0 }, cells);
      if (faults.length > 0) parts.faulty.push({ line, faults });
    }
    if (n >= upTo) break;
    if (parts.isFull()) await keepPart();
  }
  await keepPart();
  await parts.ended();
}

/** Records progress. Throws Interrupted, which rolls the chunk back, if another worker has the job or it is being cancelled. */
export async function checkpoint(tx: Tx, { ending }: ImportDeps, job: TakenJob, made: Progress): Promise<void> {
  const state = await recordProgress(tx, job, made);
  const interruption = interruptedBy(state, ending.aborted);
  if (interruption) throw new Interrupted(interruption);
  job.attempts = 0;
  job.mergedTo = made.mergedTo ?? job.mergedTo;
  notifyBulkJob(tx, job.tenantId, job.id);
}
