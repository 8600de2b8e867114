import { expect } from 'vitest';
import { makeTenant, upload } from '#test/imports/import-file.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

const profile = { name: 'Products', target: 'products', format: 'csv' };

test('an import that failed on a full disk starts again with the same upload, as the same job', async ({ api }) => {
  const tenant = await makeTenant(api);
  await callPlatform(api, 'POST', '/io/import-profiles', { tenant, body: profile });
  const body = { upload_id: await upload(api, 'sku,name\nA-1,Cup\n', tenant), profile: 'Products' };
  const start = () => callPlatform(api, 'POST', '/io/imports', { tenant, body });
  const { body: job } = await start();
  const { imports } = api.services;
  const of = { tenantId: tenant, bulkJobId: job['id'] as never };
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
  const storage = { ...imports.storage, stream: () => Promise.reject(full) };
  await runBulkJob({ ...imports, storage }, of);
  const read = () => callPlatform(api, 'GET', `/io/bulk-jobs/${String(job['id'])}`, { tenant });
  expect((await read()).body).toMatchObject({ status: 'failed', error: expect.stringContaining('Free space') });

  expect(await start()).toMatchObject({ status: 202, body: { id: job['id'], status: 'queued', error: null } });
  await runBulkJob(imports, of);
  expect((await read()).body).toMatchObject({ status: 'completed', rows_read: 1, rows_written: 1, error: null });
  // One that has written rows stays as it is.
  expect(await start()).toMatchObject({ status: 202, body: { id: job['id'], status: 'completed' } });
});

test('an import whose disk is full after its first chunk says how many rows it merged, and does not start again', async ({
  api,
}) => {
  const tenant = await makeTenant(api);
  await callPlatform(api, 'POST', '/io/import-profiles', { tenant, body: profile });
  const rows = Array.from({ length: 20_400 }, (_, at) => `P-${at},Product ${at}\n`);
  const body = { upload_id: await upload(api, `sku,name\n${rows.join('')}`, tenant), profile: 'Products' };
  const start = () => callPlatform(api, 'POST', '/io/imports', { tenant, body });
  const { body: job } = await start();
  const { imports } = api.services;
  let isFull = false;
  const withTenantSql: typeof imports.database.withTenantSql = async (tenantId, use) => {
    const merged = await api.database.tenantQuery(tenant, {
      text: 'SELECT id FROM bulk_jobs WHERE id = $1 AND merged_to > 0',
      values: [job['id']],
    });
    if (merged.length === 0 || isFull) return imports.database.withTenantSql(tenantId, use);
    isFull = true;
    throw Object.assign(new Error('could not extend file'), { code: '53100' });
  };
  const database = { ...imports.database, withTenantSql };
  await runBulkJob({ ...imports, database }, { tenantId: tenant, bulkJobId: job['id'] as never });
  const failed = {
    status: 'failed',
    rows_written: 20_000,
    error: expect.stringContaining('The first 20000 rows of the file are done'),
  };
  expect((await callPlatform(api, 'GET', `/io/bulk-jobs/${String(job['id'])}`, { tenant })).body).toMatchObject(failed);
  expect((await start()).body).toMatchObject(failed);
});
