import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { endJob, recordProgress, type TakenJob, takeJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { jobRow, releaseLease } from '#test/imports/dying-worker.ts';
import { ended, type Job, makeProfile, makeTenant, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

let api: TestApp;
let tenant: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  tenant = await makeTenant(api);
  await makeProfile(api, { name: 'products', target: 'products' }, tenant);
});

/** Rows of a file whose last ones are merged in a second chunk. */
const many = 20_400;
const run = (id: number): Promise<void> => runBulkJob(api.services.imports, { tenantId: tenant, bulkJobId: id });

async function start(rows: number, prefix = 'P'): Promise<{ body: Job }> {
  const lines = Array.from({ length: rows }, (_, at) => `${prefix}-${at},Product ${at}\n`);
  const upload_id = await upload(api, `sku,name\n${lines.join('')}`, tenant);
  return (await callPlatform(api, 'POST', '/io/imports', {
    tenant,
    body: { upload_id, profile: 'products' },
  })) as never;
}

describe('a bulk job', () => {
  test('resumes from the state of the database after a failover lost the last merged chunk', async () => {
    const { body } = await start(many);
    const { imports } = api.services;
    const lose = {
      text: 'UPDATE bulk_jobs SET merged_to = 0, rows_written = 0 WHERE id = $1 AND merged_to > 0 RETURNING id',
      values: [body.id],
    };
    let isLost = false;
    const withTenantSql: typeof imports.database.withTenantSql = async (tenantId, use) => {
      const answer = await imports.database.withTenantSql(tenantId, use);
      if (!isLost) isLost = (await api.database.tenantQuery(tenant, lose)).length === 1;
      return answer;
    };
    const database = { ...imports.database, withTenantSql };
    await runBulkJob({ ...imports, database }, { tenantId: tenant, bulkJobId: body.id });
    expect(await jobRow(api, body.id)).toMatchObject({ status: 'running', merged_to: 0 });
    await releaseLease(api, body.id, tenant);
    await run(body.id);
    // The products of the lost chunk are there in this test.
    expect(await ended(api, body.id, tenant)).toMatchObject({
      status: 'completed',
      rows_read: many,
      rows_written: 400,
      rows_unchanged: 20_000,
    });
  });

  test('resumes after Postgres lost its staged rows in the crash of a backend', async () => {
    const { body } = await start(2, 'LOST');
    const { imports } = api.services;
    const isRead = { text: `SELECT id FROM bulk_jobs WHERE id = $1 AND phase <> 'reading'`, values: [body.id] };
    let isLost = false;
    const withTenantSql: typeof imports.database.withTenantSql = async (tenantId, use) => {
      const answer = await imports.database.withTenantSql(tenantId, use);
      if (!isLost && (await api.database.tenantQuery(tenant, isRead)).length === 1) {
        isLost = true;
        await api.database.tenantQuery(tenant, {
          text: 'DELETE FROM import_rows WHERE job_id = $1',
          values: [body.id],
        });
      }
      return answer;
    };
    const database = { ...imports.database, withTenantSql };
    await runBulkJob({ ...imports, database }, { tenantId: tenant, bulkJobId: body.id });
    expect([isLost, await jobRow(api, body.id)]).toEqual([true, expect.objectContaining({ status: 'running' })]);
    await releaseLease(api, body.id, tenant);
    await run(body.id);
    const job = await ended(api, body.id, tenant);
    expect(job).toMatchObject({ status: 'completed', rows_read: 2, rows_written: 2, rows_rejected: 0 });
  });

  test('neither continues nor ends on another server, which lacks its staged rows', async () => {
    const { body } = await start(2);
    const made = await api.database.withTenantSql(tenant, async (tx) => {
      const job = (await takeJob(tx, tenant, body.id, randomUUID())) as TakenJob;
      const before = { ...job, server: 'a former primary' };
      return [
        await recordProgress(tx, before, {}),
        await endJob(tx, before, { status: 'completed' }),
        await recordProgress(tx, job, {}),
      ];
    });
    expect(made).toEqual([undefined, undefined, { cancelRequested: false }]);
  });
});
