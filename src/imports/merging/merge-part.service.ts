import type { Progress, TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import type { KnownChunks } from '#src/imports/comparing/compared-rows.ts';
import type { RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import { checkpoint } from '#src/imports/staging/read-into-staging.service.ts';
import { countAccepted, locateRefused, type Reject, writeRejects } from '#src/imports/staging/staging.store.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportChunk, ImportTarget, SurveyedChunk } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

const mergedFrom = 0.3;

export interface Merging {
  reader: RowReader;
  target: ImportTarget;
  /** The surveys of chunks that reading the file has made. */
  known: KnownChunks;
}

/** The result of a part of the work. */
export interface Outcome {
  rejects: Reject[];
  made: Progress;
}

type Part = Pick<ImportChunk, 'after' | 'upTo'>;

export const toChunk = ({ tenantId, id, profile }: TakenJob, part: Part): ImportChunk => ({
  tenantId,
  jobId: id,
  ...part,
  options: profile,
});

export const computeProgress = ({ rowsRead }: TakenJob, upTo: number): number =>
  mergedFrom + ((1 - mergedFrom) * upTo) / rowsRead;

/** Merges a part of the rows in the transaction. */
export async function mergePart(
  tx: Tx,
  job: TakenJob,
  { reader, target }: Pick<Merging, 'reader' | 'target'>,
  { surveyed, hasSubscribers, ...part }: Part & { surveyed: SurveyedChunk | undefined; hasSubscribers: boolean },
): Promise<Outcome> {
  const chunk = toChunk(job, part);
  const accepted = surveyed?.accepted ?? (await countAccepted(tx, chunk));
  const { written, refused } = await target.merge(tx, { ...chunk, hasSubscribers }, surveyed);
  const rejects = await locateRefused(tx, chunk, { ...reader, refused });
  const rejected = new Set(refused.map(({ n }) => n)).size;
  const unchanged = accepted - written - rejected;
  const progress = computeProgress(job, part.upTo);
  return { rejects, made: { written, unchanged, rejected, mergedTo: part.upTo, progress } };
}

/** Records the result of work in its transaction. Throws Interrupted. */
export async function keepOutcome(tx: Tx, deps: ImportDeps, job: TakenJob, { rejects, made }: Outcome): Promise<void> {
  await writeRejects(tx, { tenantId: job.tenantId, jobId: job.id }, rejects);
  await checkpoint(tx, deps, job, made);
}
