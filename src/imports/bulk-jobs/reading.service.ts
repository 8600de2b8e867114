import { FileFault } from '#src/imports/formats/file-fault.ts';
import { readFileRows } from '#src/imports/profiles/file-rows.service.ts';
import type { ReadRow, RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { notifyBulkJob } from './bulk-job-notices.service.ts';
import { type Headway, recordHeadway, type TakenJob } from './bulk-jobs.store.ts';
import { Interrupted, interruptedBy } from './interruption.rules.ts';
import { createKeyFilter } from './key-filter.rules.ts';
import {
  beginRestaging,
  countStaged,
  endRestaging,
  orderByRecord,
  rejectRepeated,
  stageRows,
  writeRejects,
} from './staging.store.ts';

/** Rows that are copied in one transaction, or fewer where they are long: they are in memory until then. */
const chunkRows = 10_000;
const chunkLength = 8 * 1024 * 1024;
/** The share of reading in a job's progress. */
const readingShare = 0.3;

interface Reading {
  reader: RowReader;
  target: ImportTarget;
}

/**
 * Reads the file to its end into the staging table, from where an earlier worker was, before anything is written. Throws FileFault
 * where it cannot be read, and Interrupted.
 */
export async function readIntoStaging(deps: ImportDeps, job: TakenJob, { reader, target }: Reading): Promise<void> {
  // Keys of rows that an earlier worker staged are not known here.
  let hasRepeated = job.rowsRead > 0;
  const filter = isUnique(job, target) ? createKeyFilter(reader.columns, target.key) : undefined;
  await stageFile(deps, job, {
    reader,
    from: job.rowsRead,
    keep: async (tx, { rows, from, progress }) => {
      for (const { cells } of rows) hasRepeated ||= filter?.mayRepeat(cells) === true;
      await stageRows(tx, { id: job.id, from, columns: reader.columns }, rows);
      const faulty = rows.filter(({ faults }) => faults.length > 0);
      const rejects = faulty.flatMap(({ line, faults }) => faults.map((fault) => ({ line, ...fault })));
      await writeRejects(tx, { tenantId: job.tenantId, jobId: job.id }, rejects);
      await goOn(tx, deps, job, { read: rows.length, rejected: faulty.length, progress: readingShare * progress });
      job.rowsRead += rows.length;
      job.rowsRejected += faulty.length;
    },
  });
  await deps.database.withTenantSql(job.tenantId, async (tx) => {
    const repeats = { ...reader, key: target.key, rows: job.rowsRead };
    const rejected = filter && hasRepeated ? await rejectRepeated(tx, job, repeats) : 0;
    if (isRehearsed(job) && !filter) await orderByRecord(tx, job, { ...reader, key: target.key });
    await goOn(tx, deps, job, { rejected, phase: 'merging', progress: readingShare });
    job.rowsRejected += rejected;
  });
}

/**
 * Stages again what an earlier worker had read and Postgres has lost, because the staging table is unlogged. Its rows have been
 * counted already.
 */
export async function restageLost(deps: ImportDeps, job: TakenJob, { reader, target }: Reading): Promise<void> {
  const { database } = deps;
  const { tenantId } = job;
  if (job.rowsRead === 0) return;
  if ((await database.withTenantSql(tenantId, (tx) => countStaged(tx, job))) === job.rowsRead) return;
  await database.withTenantSql(tenantId, (tx) => beginRestaging(tx, job));
  await stageFile(deps, job, {
    reader,
    from: 0,
    upTo: job.rowsRead,
    keep: async (tx, { rows, from }) => {
      await stageRows(tx, { id: job.id, from, columns: reader.columns }, rows);
      await goOn(tx, deps, job, {});
    },
  });
  await database.withTenantSql(tenantId, async (tx) => {
    await endRestaging(tx, job);
    const repeats = { ...reader, key: target.key, rows: job.rowsRead, isCounted: true };
    if (job.phase !== 'reading' && isUnique(job, target)) await rejectRepeated(tx, job, repeats);
    else if (job.phase !== 'reading' && isRehearsed(job)) await orderByRecord(tx, job, { ...reader, key: target.key });
    await goOn(tx, deps, job, {});
  });
}

const isUnique = ({ profile }: TakenJob, target: ImportTarget): boolean => target.mayRepeat?.(profile) !== true;

/** Whether its merges are tried before they are done, or in their stead. */
const isRehearsed = ({ dryRun, profile }: TakenJob): boolean => dryRun || profile.maxRejected !== null;

interface Staging {
  reader: RowReader;
  /** Rows before this are skipped, and those after `upTo`. */
  from: number;
  upTo?: number;
  keep: (tx: Tx, part: { rows: ReadRow[]; from: number; progress: number }) => Promise<void>;
}

/** Reads the job's file and keeps its rows, each part in a transaction; the next is read meanwhile. */
async function stageFile(
  { database, storage }: ImportDeps,
  { tenantId, uploadId, profile }: TakenJob,
  { reader, from, upTo = Number.MAX_SAFE_INTEGER, keep }: Staging,
): Promise<void> {
  const upload = await database
    .reader(tenantId)
    .upload.findUnique({ where: { tenantId_id: { tenantId, id: BigInt(uploadId ?? 0) } } });
  if (!upload?.storageKey) throw new FileFault('The uploaded file is gone. Upload it again.');
  const size = Number(upload.bytes ?? 0);
  let bytes = 0;
  let staged = from;
  let keeping: Promise<void> = Promise.resolve();
  const stage = async (rows: ReadRow[]): Promise<void> => {
    await keeping;
    const part = { rows, from: staged, progress: size > 0 ? Math.min(bytes, size) / size : 0 };
    staged += rows.length;
    keeping = database.withTenant(tenantId, (tx) => keep(tx, part));
    // Awaited before the next part; until then, this keeps a failure from counting as unhandled.
    keeping.catch(() => undefined);
  };
  const onBytes = (read: number) => {
    bytes = read;
  };
  let waiting: ReadRow[] = [];
  let length = 0;
  for await (const rows of readFileRows(storage, { key: upload.storageKey, profile, reader, skip: from, onBytes })) {
    waiting = waiting.length === 0 ? rows : waiting.concat(rows);
    if (staged + waiting.length >= upTo) break;
    length += rows.reduce((sum, { cells }) => cells.reduce((text, cell) => text + (cell?.length ?? 0), sum), 0);
    if (waiting.length < chunkRows && length < chunkLength) continue;
    await stage(waiting);
    waiting = [];
    length = 0;
  }
  if (waiting.length > 0) await stage(waiting.slice(0, upTo - staged));
  await keeping;
}

/** Records headway and rolls the chunk back where the job is no longer this worker's, or is to be cancelled. */
export async function goOn(tx: Tx, { ending }: ImportDeps, job: TakenJob, made: Headway): Promise<void> {
  const state = await recordHeadway(tx, job, made);
  const interruption = interruptedBy(state, ending.aborted);
  if (interruption) throw new Interrupted(interruption);
  job.attempts = 0;
  notifyBulkJob(tx, job.tenantId, job.id);
}
