import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect } from 'vitest';
import { receiveUpload } from '#src/imports/uploads/uploads.service.ts';
import { createDiskDriver } from '#src/infra/storage/storage-disk.ts';
import { createStorage } from '#src/infra/storage/storage.ts';
import { makeTenant } from '#test/imports/import-file.ts';
import { createFullDisk } from '#test/infra/storage/full-disk.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { runBulkJob } from '#workers/imports/bulk-jobs.worker.ts';

const start = (api: TestApp, body: object, tenant: string) =>
  callPlatform(api, 'POST', '/io/exports', { tenant, body });

describe('an export', () => {
  test('fails if the disk is full', async ({ api }) => {
    const tenant = await makeTenant(api);
    const { body } = await start(api, { target: 'products', format: 'csv' }, tenant);
    const storage = createStorage(createFullDisk(api.dataDir));
    const { imports } = api.services;
    await runBulkJob({ ...imports, storage }, { tenantId: tenant, bulkJobId: body['id'] as never });
    expect((await callPlatform(api, 'GET', `/io/bulk-jobs/${body['id']}`, { tenant })).body).toMatchObject({
      status: 'failed',
      error: 'The disk of the server is full. Free space, and start it again.',
      download_url: null,
      rows_written: 0,
    });
  });

  test('fails on a full disk, where an upload is refused as well', async ({ api, onTestFinished, skip }) => {
    const tenant = await makeTenant(api);
    const disk = await mkdtemp(join(tmpdir(), 'causeway-full-'));
    onTestFinished(() => rm(disk, { recursive: true }));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'pipe' });
    } catch {
      skip('only root outside of a container may mount a disk');
    }
    onTestFinished(() => void execFileSync('umount', [disk]));
    const imports = { ...api.services.imports, storage: createStorage(createDiskDriver(disk)) };
    const { body: upload } = await callPlatform(api, 'POST', '/io/uploads', {
      tenant,
      body: { filename: 'products.csv', content_type: 'text/csv' },
    });
    const names = Array.from({ length: 2_000 }, (_, n) => `P-${n},${randomBytes(24).toString('hex')}`);
    const file = Buffer.from(`sku,name\n${names.join('\n')}\n`);
    const sent = { body: Readable.from([file]), length: file.length };
    const full = { code: 'UNAVAILABLE', message: expect.stringContaining('There is no space left') };
    const key = { tenantId: tenant, id: upload['upload_id'] as never };
    await expect(receiveUpload(imports, key, sent)).rejects.toMatchObject(full);
    await api.database.tenantQuery(tenant, {
      text: `INSERT INTO products (tenant_id, sku, name)
        SELECT $1, 'P-' || n, sha256(n::text::bytea)::text FROM generate_series(1, 3000) AS n`,
      values: [tenant],
    });
    const { body } = await start(api, { target: 'products', format: 'csv' }, tenant);
    await runBulkJob(imports, { tenantId: tenant, bulkJobId: body['id'] as never });
    expect((await callPlatform(api, 'GET', `/io/bulk-jobs/${body['id']}`, { tenant })).body).toMatchObject({
      status: 'failed',
      error: 'The disk of the server is full. Free space, and start it again.',
    });
    expect(await readdir(disk, { recursive: true })).toEqual(['incoming']);
  });
});
