import type { TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import { isOneRecord, type Reject } from '#src/imports/staging/staging.store.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { chunkRows } from '#src/imports/targets/target.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { keepOutcome, type Merging, mergePart, type Outcome } from './merge-part.service.ts';
import { rolledBack } from './rolled-back.service.ts';
import { surveyAhead } from './survey.service.ts';

/** How many of the rows may be rejected, by a number (`100`) or a share (`2.5%`); null where any number may. */
export function maxRejectedRows(limit: string | null, rows: number): number | null {
  if (limit === null) return null;
  return limit.endsWith('%') ? Math.floor((rows * Number(limit.slice(0, -1))) / 100) : Number(limit);
}

/**
 * Merges the rows in parts that are rolled back, and passes on the result of each, until `hear` resolves to false. Where a file may name
 * a record in several rows, they are in one part, because each is judged after the rows before it.
 */
export async function rehearse(
  deps: ImportDeps,
  job: TakenJob,
  merging: Merging,
  hear: (outcome: Outcome) => Promise<boolean>,
): Promise<void> {
  const { target } = merging;
  const splitsRecord = async (tx: Tx, n: number): Promise<boolean> =>
    target.mayRepeat?.(job.profile) === true && n < job.rowsRead && (await isOneRecord(tx, job, n));
  const survey = surveyAhead(deps, job, merging);
  for (let after = job.mergedTo; after < job.rowsRead;) {
    // Where rows repeat, none are compared ahead.
    const surveyed = await survey(after);
    const outcome = await rolledBack(deps, job.tenantId, async (tx) => {
      const sum: Outcome = { rejects: [], made: { written: 0, unchanged: 0, rejected: 0 } };
      do {
        const upTo = Math.min(job.rowsRead, after + chunkRows);
        add(sum, await mergePart(tx, job, merging, { after, upTo, surveyed, hasSubscribers: false }));
        after = upTo;
      } while (await splitsRecord(tx, after));
      return sum;
    });
    if (!(await hear(outcome))) return;
  }
}

function add(sum: Outcome, { rejects, made }: Outcome): void {
  for (const reject of rejects) sum.rejects.push(reject);
  sum.made = {
    ...made,
    written: (sum.made.written ?? 0) + (made.written ?? 0),
    unchanged: (sum.made.unchanged ?? 0) + (made.unchanged ?? 0),
    rejected: (sum.made.rejected ?? 0) + (made.rejected ?? 0),
  };
}

/** Rejects of the merge that are kept when a file is refused as a whole. */
const keptRejects = 10_000;

/**
 * Fails a file that rejects more rows than its profile allows, before anything of it is written: what the merge would refuse is found by
 * a rehearsal. Throws FileFault.
 */
export async function judgeRejected(deps: ImportDeps, job: TakenJob, merging: Merging): Promise<void> {
  const most = maxRejectedRows(job.profile.maxRejected, job.rowsRead);
  if (most === null || job.mergedTo > 0 || job.rowsRead === 0) return;
  let refused = 0;
  const found: Reject[] = [];
  if (job.rowsRejected <= most)
    await rehearse(deps, job, merging, async ({ rejects, made }) => {
      refused += made.rejected ?? 0;
      for (const reject of rejects.slice(0, keptRejects - found.length)) found.push(reject);
      return job.rowsRejected + refused <= most;
    });
  const rejected = job.rowsRejected + refused;
  if (rejected <= most) return;
  await deps.database.withTenantSql(job.tenantId, (tx) =>
    keepOutcome(tx, deps, job, { rejects: found, made: { rejected: refused } }),
  );
  throw new FileFault(
    `At least ${rejected} of ${job.rowsRead} rows are rejected, and the profile allows ${job.profile.maxRejected}. Nothing was written.`,
  );
}
