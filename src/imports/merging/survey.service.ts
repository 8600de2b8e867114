import type { TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { SurveyedChunk } from '#src/imports/targets/target.ts';
import { chunkRows } from '#src/imports/targets/target.ts';
import { toChunk, type Merging } from './merge-part.service.ts';
import { surveyedFirst, surveyedNext } from './survey-sizes.rules.ts';

/** Answers what was found of the chunk after a row; undefined where its target compares each chunk as it merges it. */
export type Survey = (after: number) => Promise<SurveyedChunk | undefined>;

/** Compares the rows with the stored records, far ahead of the merge, where the target can. */
export function surveyAhead({ database }: ImportDeps, job: TakenJob, { target, known }: Merging): Survey {
  const { tenantId } = job;
  const { prepare, survey } = target;
  let from = 0;
  let found: SurveyedChunk[] | undefined = [];
  // One who takes over from a worker that came no further begins with little.
  let rows = job.attempts > 1 ? chunkRows : surveyedFirst;
  return async (after) => {
    if (!survey || !found) return undefined;
    const ahead = known[after / chunkRows] ?? found[(after - from) / chunkRows];
    if (ahead) return ahead;
    const part = toChunk(job, { after, upTo: Math.min(job.rowsRead, after + rows) });
    if (prepare && !job.dryRun) await database.withTenantSql(tenantId, (tx) => prepare(tx, part));
    const began = performance.now();
    found = await database.withTenantSql(tenantId, (tx) => survey(tx, part, chunkRows));
    from = after;
    rows = surveyedNext(rows, performance.now() - began);
    return found?.[0];
  };
}
