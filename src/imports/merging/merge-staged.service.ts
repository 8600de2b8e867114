import { Interrupted } from '#src/imports/bulk-jobs/bulk-jobs.rules.ts';
import type { TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { hasEventSubscribers } from '#src/imports/event-sets/event-sets.service.ts';
import { checkpoint } from '#src/imports/staging/read-into-staging.service.ts';
import { isStaged } from '#src/imports/staging/staging.store.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { SurveyedChunk } from '#src/imports/targets/target.ts';
import { chunkRows } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { toChunk, keepOutcome, type Merging, mergePart, type Outcome, computeProgress } from './merge-part.service.ts';
import { waitWithTimeout, WaitTimeout, createPairRunner } from './pair-runner.rules.ts';
import { rehearse } from './rehearsal.service.ts';
import { rolledBack } from './rolled-back.service.ts';
import { surveyAhead } from './survey.service.ts';

/**
 * Merges what was staged, chunk by chunk; each chunk's transaction also records that it was merged. Of a dry run, only
 * the result is kept. Throws Interrupted.
 */
export async function mergeStaged(deps: ImportDeps, job: TakenJob, merging: Merging): Promise<void> {
  if (job.dryRun)
    return rehearse(deps, job, merging, async (outcome) => {
      await deps.database.withTenantSql(job.tenantId, (tx) => keepOutcome(tx, deps, job, outcome));
      return true;
    });
  const survey = surveyAhead(deps, job, merging);
  const pairs = createPairRunner(deps.settings.importPairs);
  let idle: SurveyedChunk[] = [];
  try {
    for (let at = job.mergedTo; at < job.rowsRead; at += chunkRows) {
      const surveyed = await survey(at);
      if (surveyed && !changesSomething(surveyed)) {
        idle.push(surveyed);
        continue;
      }
      const passed = idle;
      if (passed.length > 0) await pairs.add((before) => skipUnchanged(deps, job, passed, before));
      idle = [];
      // A file that is not compared ahead may name a record in two chunks.
      if (!surveyed) await pairs.ended();
      await pairs.add((before) => mergeChunk(deps, job, { ...merging, surveyed }, { after: at, before }));
    }
    await skipUnchanged(deps, job, idle, pairs.ended());
  } finally {
    await pairs.settled();
  }
}

const changesSomething = ({ accepted, unchanged }: SurveyedChunk): boolean => unchanged < accepted;

/** Records chunks in which nothing is to be done. */
async function skipUnchanged(
  deps: ImportDeps,
  job: TakenJob,
  chunks: readonly SurveyedChunk[],
  before: Promise<void>,
): Promise<void> {
  await before;
  if (chunks.length === 0) return;
  const upTo = Math.min(job.rowsRead, job.mergedTo + chunks.length * chunkRows);
  const unchanged = chunks.reduce((sum, chunk) => sum + chunk.unchanged, 0);
  const made = { unchanged, mergedTo: upTo, progress: computeProgress(job, upTo) };
  await deps.database.withTenantSql(job.tenantId, (tx) => checkpoint(tx, deps, job, made));
}

/** Merges a chunk beside the one `before` it, and commits after it, so that what is merged has no gaps. */
async function mergeChunk(
  deps: ImportDeps,
  job: TakenJob,
  { surveyed, ...merging }: Merging & { surveyed: SurveyedChunk | undefined },
  { after, before }: { after: number; before: Promise<void> },
): Promise<void> {
  const { database } = deps;
  const { tenantId } = job;
  const upTo = Math.min(job.rowsRead, after + chunkRows);
  const { prepare } = merging.target;
  if (prepare) await database.withTenantSql(tenantId, (tx) => prepare(tx, toChunk(job, { after, upTo })));
  const hasSubscribers = await hasEventSubscribers(deps, tenantId, merging.target);
  const merge = (turn: () => Promise<void>): Promise<void> =>
    database.withTenantSql(tenantId, async (tx) => {
      // Postgres empties the staging table where it recovers from the crash of one backend, which ends no worker.
      if (!(await isStaged(tx, job))) throw new Interrupted('lost');
      const outcome = await mergePart(tx, job, merging, { after, upTo, surveyed, hasSubscribers });
      await turn();
      await keepOutcome(tx, deps, job, outcome);
    });
  try {
    await merge(() => waitWithTimeout(before));
  } catch (error) {
    if (!(error instanceof WaitTimeout)) throw error;
    await before;
    await merge(async () => undefined);
  }
}

/** Handles the records that no row names, where the profile asks for it. */
export async function mergeAbsent(deps: ImportDeps, job: TakenJob, { target }: Merging): Promise<void> {
  const { database } = deps;
  const { zeroAbsent } = target;
  if (!zeroAbsent || job.profile.absent !== 'zero' || job.profile.mode !== 'full') return;
  const { tenantId, id: jobId, profile } = job;
  for (let isOver = false; !isOver;) {
    let last: string | null = null;
    const zero = async (tx: Tx): Promise<Outcome> => {
      last = await zeroAbsent(tx, { tenantId, jobId, options: profile }, job.absentTo);
      return { rejects: [], made: { phase: 'absent', ...(last !== null && { absentTo: last }) } };
    };
    const rehearsed = job.dryRun ? await rolledBack(deps, tenantId, zero) : undefined;
    await database.withTenantSql(tenantId, async (tx) => keepOutcome(tx, deps, job, rehearsed ?? (await zero(tx))));
    isOver = last === null;
    job.absentTo = last ?? job.absentTo;
  }
}
