import type { Deps } from '#src/infra/deps.ts';

const batch = 10_000;

/**
 * Deletes staged rows of jobs that have ended, and what jobs rejected more than thirty days ago; returns whether there may be more.
 */
export async function sweepStaging({ database }: Pick<Deps, 'database'>): Promise<boolean> {
  const { rowCount: rows } = await database.system.query(
    `DELETE FROM import_rows WHERE (tenant_id, job_id, n) IN (
      SELECT r.tenant_id, r.job_id, r.n FROM bulk_jobs j JOIN import_rows r ON r.tenant_id = j.tenant_id AND r.job_id = j.id
      WHERE j.status NOT IN ('queued', 'running') AND j.finished_at > now() - interval '7 days' LIMIT ${batch})`,
  );
  const { rowCount: rejects } = await database.system.query(
    `DELETE FROM import_rejects WHERE (tenant_id, job_id, line, id) IN (
      SELECT r.tenant_id, r.job_id, r.line, r.id FROM bulk_jobs j
      JOIN import_rejects r ON r.tenant_id = j.tenant_id AND r.job_id = j.id
      WHERE j.finished_at < now() - interval '30 days' LIMIT ${batch})`,
  );
  return rows === batch || rejects === batch;
}
