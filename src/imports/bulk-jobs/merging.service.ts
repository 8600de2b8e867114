import type { RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportChunk, ImportTarget, SurveyedChunk } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Headway, TakenJob } from './bulk-jobs.store.ts';
import { goOn } from './reading.service.ts';
import { locateRefused, type Reject, writeRejects } from './staging.store.ts';

/** Rows that are merged in one transaction: those who book at their places wait for it. */
const chunkRows = 20_000;
const mergedFrom = 0.3;

interface Merging {
  reader: RowReader;
  target: ImportTarget;
}

/** Merges what was staged, chunk by chunk; each chunk's transaction also records that it was merged. Throws Interrupted. */
export async function mergeStaged(deps: ImportDeps, job: TakenJob, merging: Merging): Promise<void> {
  const surveyed = await survey(deps, job, merging);
  for (let at = 0; job.mergedTo < job.rowsRead; at += 1) {
    const idle = surveyed?.slice(at) ?? [];
    const busy = idle.findIndex(changesSomething);
    if (busy !== -1) idle.length = busy;
    if (idle.length > 0) await passOver(deps, job, idle);
    at += idle.length;
    if (job.mergedTo < job.rowsRead) await mergeChunk(deps, job, { ...merging, surveyed: surveyed?.[at] });
  }
}

const changesSomething = ({ accepted, unchanged }: SurveyedChunk): boolean => unchanged < accepted;

/** Compares what is left with what is there, where the target can. */
async function survey(deps: ImportDeps, job: TakenJob, { target }: Merging): Promise<SurveyedChunk[] | undefined> {
  const { database } = deps;
  const { tenantId } = job;
  const { prepare } = target;
  if (!target.survey || job.mergedTo >= job.rowsRead) return undefined;
  const rows = chunkOf(job, job.rowsRead);
  if (prepare && !job.dryRun) await database.withTenantSql(tenantId, (tx) => prepare(tx, rows));
  return database.withTenantSql(tenantId, async (tx) => target.survey?.(tx, rows, chunkRows));
}

const chunkOf = ({ tenantId, id, mergedTo, profile }: TakenJob, upTo: number): ImportChunk => ({
  tenantId,
  jobId: id,
  after: mergedTo,
  upTo,
  options: profile,
});

const progressOf = ({ rowsRead }: TakenJob, upTo: number): number => mergedFrom + ((1 - mergedFrom) * upTo) / rowsRead;

/** Records chunks in which nothing is to be done. */
async function passOver(deps: ImportDeps, job: TakenJob, chunks: readonly SurveyedChunk[]): Promise<void> {
  const upTo = Math.min(job.rowsRead, job.mergedTo + chunks.length * chunkRows);
  const unchanged = chunks.reduce((sum, chunk) => sum + chunk.unchanged, 0);
  const made = { unchanged, mergedTo: upTo, progress: progressOf(job, upTo) };
  await deps.database.withTenantSql(job.tenantId, (tx) => goOn(tx, deps, job, made));
  job.mergedTo = upTo;
}

async function mergeChunk(
  deps: ImportDeps,
  job: TakenJob,
  { reader, target, surveyed }: Merging & { surveyed: SurveyedChunk | undefined },
): Promise<void> {
  const { database } = deps;
  const { tenantId, id: jobId } = job;
  const upTo = Math.min(job.rowsRead, job.mergedTo + chunkRows);
  const chunk = chunkOf(job, upTo);
  const { prepare } = target;
  if (prepare && !job.dryRun) await database.withTenantSql(tenantId, (tx) => prepare(tx, chunk));
  await inJobTransaction(deps, job, async (tx) => {
    const accepted = surveyed?.accepted ?? (await countAccepted(tx, chunk));
    const { written, refused } = await target.merge(tx, chunk, surveyed);
    const rejects = await locateRefused(tx, { tenantId, jobId }, { ...reader, refused });
    const rejected = new Set(refused.map(({ n }) => n)).size;
    const unchanged = accepted - written - rejected;
    return { rejects, made: { written, unchanged, rejected, mergedTo: upTo, progress: progressOf(job, upTo) } };
  });
  job.mergedTo = upTo;
}

/** Deals with what no row names, where the profile asks for it. */
export async function mergeAbsent(deps: ImportDeps, job: TakenJob, { target }: Merging): Promise<void> {
  const { zeroAbsent } = target;
  if (!zeroAbsent || job.profile.absent !== 'zero' || job.profile.mode !== 'full') return;
  const { tenantId, id: jobId, profile } = job;
  for (let isOver = false; !isOver;) {
    let last: string | null = null;
    await inJobTransaction(deps, job, async (tx) => {
      last = await zeroAbsent(tx, { tenantId, jobId, options: profile }, job.absentTo);
      return { rejects: [], made: { phase: 'absent', ...(last !== null && { absentTo: last }) } };
    });
    isOver = last === null;
    job.absentTo = last ?? job.absentTo;
  }
}

/** Thrown to roll a dry run's chunk back; it carries what the chunk would have done. */
class RolledBack extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome) {
    super('The chunk of a dry run is rolled back.');
    this.outcome = outcome;
  }
}

interface Outcome {
  rejects: Reject[];
  made: Headway;
}

/** Does the work and records it, in one transaction; of a dry run's work only what it came to is kept. */
async function inJobTransaction(deps: ImportDeps, job: TakenJob, work: (tx: Tx) => Promise<Outcome>): Promise<void> {
  const { database } = deps;
  const keep = async (tx: Tx, { rejects, made }: Outcome): Promise<void> => {
    await writeRejects(tx, { tenantId: job.tenantId, jobId: job.id }, rejects);
    await goOn(tx, deps, job, made);
  };
  if (!job.dryRun) return database.withTenantSql(job.tenantId, async (tx) => keep(tx, await work(tx)));
  const outcome = await database
    .withTenantSql(job.tenantId, async (tx): Promise<Outcome> => {
      throw new RolledBack(await work(tx));
    })
    .catch((error: unknown) => {
      if (error instanceof RolledBack) return error.outcome;
      throw error;
    });
  await database.withTenantSql(job.tenantId, (tx) => keep(tx, outcome));
}

async function countAccepted(tx: Tx, { tenantId, jobId, after, upTo }: ImportChunk): Promise<number> {
  const { rows } = await tx.query<{ accepted: number }>({
    name: 'count-accepted-rows',
    text: `SELECT count(*) AS accepted FROM import_rows WHERE tenant_id = $1 AND job_id = $2 AND n > $3 AND n <= $4 AND NOT faulty`,
    values: [tenantId, jobId, after, upTo],
  });
  return rows[0]?.accepted ?? 0;
}
