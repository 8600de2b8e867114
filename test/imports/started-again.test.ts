import { expect } from 'vitest';
import { runBulkJob } from '#src/imports/bulk-jobs/run-bulk-job.service.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { makeTenant, upload } from './import-file.ts';

const profile = { name: 'Products', target: 'products', format: 'csv' };

test('an import that failed for a full disk is started again with the same upload, as the same job', async ({
  api,
}) => {
  const tenant = await makeTenant(api);
  await callPlatform(api, 'POST', '/io/import-profiles', { tenant, body: profile });
  const body = { upload_id: await upload(api, 'sku,name\nA-1,Cup\n', tenant), profile: 'Products' };
  const start = () => callPlatform(api, 'POST', '/io/imports', { tenant, body });
  const { body: job } = await start();
  const { imports } = api.opened;
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
