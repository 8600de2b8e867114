import { expect } from 'vitest';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

/** A job as the database has it, and how many of its rows are staged. */
export const jobRow = async (api: TestApp, id: number) =>
  (
    await api.database.system.query(
      `SELECT status, merged_to, rows_read, rows_unchanged, phase, lease_until,
        (SELECT count(*)::int FROM import_rows r WHERE r.job_id = j.id) AS staged FROM bulk_jobs j WHERE id = $1`,
      [id],
    )
  ).rows[0];

/** A worker that loses the database as the job has come so far: it neither goes on nor gives the job back. */
export async function dieOnceFar(
  api: TestApp,
  id: number,
  isFar: (job: { merged_to: number; rows_read: number; phase: string; staged: number }) => boolean,
  tenant = 'acme-shop',
): Promise<void> {
  const { database } = api.deps;
  let isGone = false;
  const unlessGone =
    <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (isGone) throw new Error('The database is gone.');
      const answer = await call(...args);
      isGone ||= isFar(await jobRow(api, id));
      return answer;
    };
  const dying = {
    ...api.services.imports,
    database: {
      ...database,
      withTenant: unlessGone(database.withTenant),
      withTenantSql: unlessGone(database.withTenantSql),
      tenantQuery: unlessGone(database.tenantQuery),
    },
  } as ImportDeps;
  await expect(runBulkJob(dying, { tenantId: tenant, bulkJobId: id })).rejects.toThrow('The database is gone.');
}

/** Lets another worker have the job of one that died. The lease is another's too: a renewal that was under way must not prolong it. */
export const releaseLease = (api: TestApp, id: number, tenant = 'acme-shop'): Promise<unknown> =>
  api.database.tenantQuery(tenant, {
    text: `UPDATE bulk_jobs SET lease = gen_random_uuid(), lease_until = now() WHERE tenant_id = $1 AND id = $2`,
    values: [tenant, id],
  });
