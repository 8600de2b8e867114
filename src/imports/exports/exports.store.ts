import type { TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * Records the progress of an export; one that another worker takes over starts again. Undefined where another worker has
 * it.
 */
export async function recordExported(
  tx: Tx,
  job: Pick<TakenJob, 'tenantId' | 'id' | 'lease'>,
  { rows: written, progress, resultKey = null }: { rows: number; progress: number; resultKey?: string | null },
): Promise<{ cancelRequested: boolean } | undefined> {
  const { rows } = await tx.query<{ cancelRequested: boolean }>({
    name: 'record-exported',
    text: `UPDATE bulk_jobs SET rows_read = $4, rows_written = $4, progress = $5, result_key = $6
      WHERE tenant_id = $1 AND id = $2 AND lease = $3 AND status = 'running' RETURNING cancel_requested AS "cancelRequested"`,
    values: [job.tenantId, job.id, job.lease, written, progress, resultKey],
  });
  return rows[0];
}

/** Forgets the files of exports that ended a day ago, and answers where they are. As the system. */
export async function forgetOldResults(system: Pick<Tx, 'query'>): Promise<string[]> {
  const { rows } = await system.query<{ result_key: string }>(
    `WITH old AS MATERIALIZED (
       SELECT tenant_id, id, result_key FROM bulk_jobs
       WHERE result_key IS NOT NULL AND status NOT IN ('queued', 'running') AND finished_at < now() - interval '1 day'
       LIMIT 100 FOR UPDATE SKIP LOCKED
     ), forgotten AS (
       UPDATE bulk_jobs j SET result_key = NULL FROM old WHERE j.tenant_id = old.tenant_id AND j.id = old.id
     )
     SELECT result_key FROM old`,
  );
  return rows.map(({ result_key: key }) => key);
}
