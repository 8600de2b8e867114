import pg from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { runBulkJobJob } from '#src/imports/bulk-jobs/bulk-jobs.declarations.ts';
import { startImport } from '#src/imports/bulk-jobs/bulk-jobs.service.ts';
import { claimUntakenJobs } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { systemActor } from '#src/infra/deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { dieOnceFar, jobRow, releaseLease } from '#test/imports/dying-worker.ts';
import { makeProfile, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

let api: TestApp;
/** A session of the database's owner, beside those of the product. */
let owner: pg.Client;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  for (const tenant of ['acme-shop', 'acme-outlet'])
    for (const target of ['products', 'organizations']) await makeProfile(api, { name: target, target }, tenant);
});
afterAll(() => owner.end());

const products = (many: number): string =>
  `sku,name\n${Array.from({ length: many }, (_, at) => `P-${at},Product ${at}\n`).join('')}`;
const organizations = (many: number): string =>
  `customer_number,name\n${Array.from({ length: many }, (_, at) => `C-${at},Customer ${at}\n`).join('')}`;
let uploads = 0;
/** A file that differs from those before it: the same upload again would be the same job. */
async function start(content: string, { profile = 'products', tenant = 'acme-shop' } = {}): Promise<number> {
  const more = `Z-${(uploads += 1)},Last\n`;
  const body = { upload_id: await upload(api, `${content}${more}`, tenant), profile };
  return (await callPlatform(api, 'POST', '/io/imports', { tenant, body })).body['id'] as never;
}
const run = (bulkJobId: number, { tenantId = 'acme-shop', deps = api.services.imports } = {}): Promise<void> =>
  runBulkJob(deps, { tenantId, bulkJobId });
const readStatus = async (id: number): Promise<string> => (await jobRow(api, id)).status;
/** Takes what was sent to workers out of the queue, and answers for which jobs. */
async function wakes(): Promise<number[]> {
  const { rows } = await api.database.system.query<{ id: number }>(
    `DELETE FROM pgboss.job WHERE name = $1 AND state < 'active' RETURNING (data->>'bulkJobId')::int AS id`,
    [runBulkJobJob.name],
  );
  return rows.map(({ id }) => id);
}

describe('the turn of a bulk job', () => {
  test('comes when the job before it ends, even if it was woken while that job ended', async () => {
    const { imports } = api.services;
    const first = await start(products(2));
    let second = 0;
    async function comeLate(tx: Tx): Promise<void> {
      const { rows } = await tx.query(`SELECT FROM bulk_jobs WHERE id = $1 AND status = 'completed'`, [first]);
      if (rows.length === 0 || second !== 0) return;
      second = await start(products(2));
      await run(second);
      await wakes();
    }
    const withTenantSql: typeof imports.database.withTenantSql = (tenantId, work) =>
      imports.database.withTenantSql(tenantId, async (tx) => {
        const answer = await work(tx);
        await comeLate(tx);
        return answer;
      });
    await run(first, { deps: { ...imports, database: { ...imports.database, withTenantSql } } });
    expect(await readStatus(second)).toBe('queued');
    expect(await wakes()).toEqual([second]);
    await run(second);
    expect(await readStatus(second)).toBe('completed');
  });

  test('comes before a job with a lower id that was committed after it had begun, even if its worker died', async () => {
    const { imports } = api.services;
    const uploadId = String(await upload(api, products(3)));
    const isMade = Promise.withResolvers<number>();
    const mayCommit = Promise.withResolvers<void>();
    const send: ImportDeps['jobs']['send'] = async (job, payload, options) => {
      await imports.jobs.send(job, payload, options);
      isMade.resolve((payload as { bulkJobId: number }).bulkJobId);
      await mayCommit.promise;
    };
    const deps = { ...imports, jobs: { ...imports.jobs, send } };
    const committing = startImport(deps, systemActor('acme', 'acme-shop'), { uploadId, profile: 'products' });
    const lower = await isMade.promise;
    const begun = await start(products(2_000));
    await dieOnceFar(api, begun, ({ rows_read: read }) => read > 0);
    mayCommit.resolve();
    await committing;
    await releaseLease(api, begun);

    await api.database.system.query('UPDATE bulk_jobs SET announced_at = NULL');
    const claimed = await claimUntakenJobs(api.database.system);
    expect(claimed).toEqual([{ tenantId: 'acme-shop', bulkJobId: begun }]);
    await run(lower);
    expect(await readStatus(lower)).toBe('queued');
    await run(begun);
    await run(lower);
    expect([await readStatus(begun), await readStatus(lower)]).toEqual(['completed', 'completed']);
  });

  test('comes when the job before it is cancelled', async () => {
    const first = await start(products(2));
    const second = await start(products(3));
    await run(second);
    await wakes();
    expect(await callPlatform(api, 'POST', `/io/bulk-jobs/${first}/cancel`)).toMatchObject({ status: 202 });
    expect(await wakes()).toEqual([second]);
    await run(second);
    expect(await readStatus(second)).toBe('completed');
  });

  test('does not wait for ten jobs of another target', async () => {
    const outlet = { tenant: 'acme-outlet' };
    const running = await start(products(2), outlet);
    await owner.query(
      `UPDATE bulk_jobs SET status = 'running', lease = gen_random_uuid(), lease_until = now() + interval '1 h' WHERE id = $1`,
      [running],
    );
    const first = await start(organizations(2), { ...outlet, profile: 'organizations' });
    for (let n = 0; n < 10; n += 1) await start(products(1), outlet);
    const second = await start(organizations(3), { ...outlet, profile: 'organizations' });
    await wakes();
    await run(first, { tenantId: 'acme-outlet' });
    expect(await wakes()).toEqual([second]);
  });

  test('is decided immediately while another session locks the row of a job that is ending', async () => {
    const held = await start(products(2));
    const other = await start(organizations(2), { profile: 'organizations' });
    const { imports } = api.services;
    const isHeld = Promise.withResolvers<void>();
    let mayHold = true;
    const withTenantSql: typeof imports.database.withTenantSql = async (tenantId, work) => {
      if (mayHold && (await jobRow(api, held)).merged_to > 0) {
        mayHold = false;
        await owner.query('BEGIN');
        await owner.query('SELECT FROM bulk_jobs WHERE id = $1 FOR UPDATE', [held]);
        isHeld.resolve();
      }
      return imports.database.withTenantSql(tenantId, work);
    };
    const ending = run(held, { deps: { ...imports, database: { ...imports.database, withTenantSql } } });
    await isHeld.promise;
    await run(other);
    expect([await readStatus(held), await readStatus(other)]).toEqual(['running', 'completed']);
    await owner.query('ROLLBACK');
    await ending;
    expect(await readStatus(held)).toBe('completed');
  });

  test('is announced although more than a hundred announced jobs wait', async () => {
    await owner.query(
      `INSERT INTO bulk_jobs (tenant_id, kind, target, profile, dry_run, status, announced_at)
       SELECT 'acme-outlet', 'export', 'target ' || n, '{}', false, 'queued', now() FROM generate_series(1, 120) n`,
    );
    const lost = await start(products(2));
    await api.database.system.query('UPDATE bulk_jobs SET announced_at = NULL WHERE id = $1', [lost]);
    expect(await claimUntakenJobs(api.database.system)).toEqual([{ tenantId: 'acme-shop', bulkJobId: lost }]);
  });
});
