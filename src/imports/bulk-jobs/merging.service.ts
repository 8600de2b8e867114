import type { RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportChunk, ImportTarget } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Headway, TakenJob } from './bulk-jobs.store.ts';
import { goOn } from './reading.service.ts';
import { locateRefused, type Reject, writeRejects } from './staging.store.ts';

/** Rows that are merged in one transaction. */
const chunkRows = 10_000;
const mergedFrom = 0.3;

interface Merging {
  reader: RowReader;
  target: ImportTarget;
}

/** Merges what was staged, chunk by chunk; each chunk's transaction also records that it was merged. Throws Interrupted. */
export async function mergeStaged(deps: ImportDeps, job: TakenJob, merging: Merging): Promise<void> {
  while (job.mergedTo < job.rowsRead) {
    const upTo = Math.min(job.rowsRead, job.mergedTo + chunkRows);
    await mergeChunk(deps, job, { ...merging, upTo });
    job.mergedTo = upTo;
  }
}

async function mergeChunk(
  deps: ImportDeps,
  job: TakenJob,
  { reader, target, upTo }: Merging & { upTo: number },
): Promise<void> {
  const { database } = deps;
  const { tenantId, id: jobId } = job;
  const chunk: ImportChunk = { tenantId, jobId, after: job.mergedTo, upTo, options: job.profile };
  const { prepare } = target;
  if (prepare && !job.dryRun) await database.withTenantSql(tenantId, (tx) => prepare(tx, chunk));
  await inJobTransaction(deps, job, async (tx) => {
    const accepted = await countAccepted(tx, chunk);
    const { written, refused } = await target.merge(tx, chunk);
    const rejects = await locateRefused(tx, { tenantId, jobId }, { ...reader, refused });
    const rejected = new Set(refused.map(({ n }) => n)).size;
    const unchanged = accepted - written - rejected;
    const progress = mergedFrom + ((1 - mergedFrom) * upTo) / Math.max(1, job.rowsRead);
    return { rejects, made: { written, unchanged, rejected, mergedTo: upTo, progress } };
  });
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
