import { FileFault } from '#src/imports/formats/file-fault.ts';
import type { PassOver } from '#src/imports/formats/records.ts';
import { readFileRows } from '#src/imports/profiles/file-rows.service.ts';
import { type ReadRow, type RowReader, takenRow } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { notifyBulkJob } from './bulk-job-notices.service.ts';
import { type Headway, recordHeadway, type TakenJob } from './bulk-jobs.store.ts';
import { Interrupted, interruptedBy } from './interruption.rules.ts';
import { createKeyFilter } from './key-filter.rules.ts';
import { createSifter, type KnownChunks, type StagedRow } from './sifting.rules.ts';
import { createStagedText, type StagedText } from './staged-text.rules.ts';
import {
  beginRestaging,
  endRestaging,
  isStaged,
  markOf,
  orderByRecord,
  recountUnchanged,
  rejectRepeated,
  stageRows,
  writeRejects,
} from './staging.store.ts';
import { readStored } from './stored-records.service.ts';

/** Rows that are copied in one transaction, or fewer where they are long: they are in memory until then. */
const stagedRows = 10_000;
const stagedLength = 8 * 1024 * 1024;
/** Rows after which headway is recorded, however few of them are staged. */
const headwayRows = 100_000;
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
  // What an earlier worker compared, and the keys of rows that it staged, are not known here.
  const isWhole = job.rowsRead === 0;
  const filter = isUnique(job, target) ? createKeyFilter(reader.columns, target.key) : undefined;
  const records = isWhole ? await readStored(deps, job, { reader, target, bytes: upload.bytes }) : undefined;
  const sifter = createSifter({ records, filter });
  const { plainSources } = reader;
  const changes = createStagedText(job.id);
  await stageFile(deps, job, {
    reader,
    upload,
    from: job.rowsRead,
    sift: sifter.sift,
    passOver: plainSources && records?.passOver(plainSources, changes),
    changes,
    keep: async (tx, { rows, faulty, read, unchanged, progress }) => {
      await stageRows(tx, reader.columns, rows);
      const rejects = faulty.flatMap(({ line, faults }) => faults.map((fault) => ({ line, ...fault })));
      await writeRejects(tx, { tenantId: job.tenantId, jobId: job.id }, rejects);
      const rejected = faulty.length;
      await goOn(tx, deps, job, { read, unchanged, rejected, progress: readingShare * progress });
      job.rowsRead += read;
      job.rowsRejected += rejected;
    },
  });
  const rejected = await deps.database.withTenantSql(job.tenantId, async (tx) => {
    const repeats = { ...reader, key: target.key, rows: job.rowsRead };
    const isRepeated = filter && (!isWhole || sifter.hasRepeated());
    const repeated = isRepeated ? await rejectRepeated(tx, job, repeats) : 0;
    if (isRehearsed(job) && !filter) await orderByRecord(tx, job, { ...reader, key: target.key });
    await goOn(tx, deps, job, { rejected: repeated, phase: 'merging', progress: readingShare });
    job.rowsRejected += repeated;
    return repeated;
  });
  // Which rows were rejected as repeated is not known here.
  return isWhole && rejected === 0 ? sifter.chunks(job.rowsRead) : [];
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
    sift: (row, n) => [{ ...row, n }],
    changes: createStagedText(job.id),
    keep: async (tx, { rows }) => {
      await stageRows(tx, reader.columns, rows);
      await goOn(tx, deps, job, {});
    },
  });
  await database.withTenantSql(tenantId, async (tx) => {
    await endRestaging(tx, job);
    const repeats = { ...reader, key: target.key, rows: job.rowsRead, isCounted: true };
    if (job.phase !== 'reading' && isUnique(job, target)) await rejectRepeated(tx, job, repeats);
    else if (job.phase !== 'reading' && isRehearsed(job)) await orderByRecord(tx, job, { ...reader, key: target.key });
    await recountUnchanged(tx, job);
    await goOn(tx, deps, job, {});
  });
}

const isUnique = ({ profile }: TakenJob, target: ImportTarget): boolean => target.mayRepeat?.(profile) !== true;

/** Whether its merges are tried before they are done, or in their stead. */
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

/** What one transaction keeps of a file. */
interface Part {
  rows: Buffer;
  /** Those of them that are rejected. */
  faulty: readonly StagedRow[];
  /** Rows of the file in it, and how many of them are not staged. */
  read: number;
  unchanged: number;
  progress: number;
}

interface Staging {
  reader: RowReader;
  upload: StoredUpload;
  /** Rows before this are skipped, and those after `upTo`. */
  from: number;
  upTo?: number;
  /** The rows to stage for a row of the file. */
  sift: (row: ReadRow, n: number) => readonly StagedRow[];
  passOver?: PassOver | undefined;
  /** Where rows are until they are copied. */
  changes: StagedText;
  keep: (tx: Tx, part: Part) => Promise<void>;
}

/** Reads the job's file and keeps its rows, each part in a transaction; the next is read meanwhile. */
async function stageFile(
  { database, storage }: ImportDeps,
  { tenantId, profile }: TakenJob,
  {
    reader,
    upload: { key, bytes: size },
    from,
    upTo = Number.MAX_SAFE_INTEGER,
    sift,
    passOver,
    changes,
    keep,
  }: Staging,
): Promise<void> {
  let bytes = 0;
  let n = from;
  let kept = from;
  let faulty: StagedRow[] = [];
  let unchanged = 0;
  let isLastStaged = true;
  let keeping: Promise<void> = Promise.resolve();
  const keepPart = async (): Promise<void> => {
    if (!isLastStaged) changes.addRow(markOf(n, reader.columns));
    const part: Part = {
      rows: changes.take(),
      faulty,
      read: n - kept,
      unchanged,
      progress: size > 0 ? Math.min(bytes, size) / size : 0,
    };
    [faulty, unchanged, kept] = [[], 0, n];
    await keeping;
    keeping = database.withTenant(tenantId, (tx) => keep(tx, part));
    // Awaited before the next part; until then, this keeps a failure from counting as unhandled.
    keeping.catch(() => undefined);
  };
  const onBytes = (read: number) => {
    bytes = read;
  };
  for await (const rows of readFileRows(storage, { key, profile, reader, skip: from, onBytes, passOver })) {
    for (const row of rows.slice(0, upTo - n)) {
      n += 1;
      const staged = sift(row, n);
      isLastStaged = staged.length > 0 || row === takenRow;
      if (!isLastStaged) unchanged += 1;
      for (const each of staged) {
        changes.addRow(each);
        if (each.n > 0 && each.faults.length > 0) faulty.push(each);
      }
    }
    if (n >= upTo) break;
    if (changes.rows() >= stagedRows || changes.length() >= stagedLength || n - kept >= headwayRows) await keepPart();
  }
  if (n > kept) await keepPart();
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
