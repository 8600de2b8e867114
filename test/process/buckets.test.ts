import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { openS3Driver } from '#src/infra/storage/storage-s3.ts';
import type { StorageDriver } from '#src/infra/storage/storage.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { lacksS3, type S3Server, s3Suffix, startS3Server } from '#test/infra/storage/s3-server.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { templateDatabase } from '#test/setup/template-database.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { type RunningServer, startServer } from './running-server.ts';

// An API process and a worker on two machines, which have a database and a bucket in common, and no directory.
describe.skipIf(lacksS3)(`files in a bucket${s3Suffix}`, startsProcesses, () => {
  let directory: string;
  let s3: S3Server;
  let driver: StorageDriver;
  let postgres: EmbeddedPostgres;
  let env: Record<string, string>;
  let api: RunningServer;
  let worker: RunningServer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'buckets-test-'));
    s3 = await startS3Server();
    const { credentials, ...bucket } = await s3.makeBucket('causeway');
    driver = await openS3Driver({ ...bucket, credentials });
    await copyMigratedCluster(join(directory, 'pg'));
    postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'pg') });
    env = {
      DATABASE_URL: `postgresql://postgres@/${templateDatabase}?host=${encodeURIComponent(join(directory, 'pg.run'))}`,
      CREDENTIALS_KEY: generateKey(),
      SECRETS_KEY: generateKey(),
      URL_SIGNING_SECRET: 'the same secret on both of the machines',
      S3_BUCKET: bucket.bucket,
      S3_ENDPOINT: bucket.endpoint,
      S3_ACCESS_KEY_ID: credentials.accessKeyId,
      S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    api = startServer(join(directory, 'api'), { ...env, ROLE: 'api' });
    await api.untilReady();
    worker = startServer(join(directory, 'worker'), { ...env, ROLE: 'worker' });
    await api.run('org', 'create', 'acme', '--name', 'Acme');
    await api.run('tenant', 'create', 'acme/acme-shop', '--name', 'Acme shop');
  }, 180_000);
  afterAll(async () => {
    for (const server of [worker, api]) {
      server?.child.kill('SIGTERM');
      await server?.exited;
    }
    await postgres?.stop();
    await s3?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const stored = async () => [...(await driver.listAll('sha256', { recursive: true })).objects].length;

  test('are imported and exported by a worker of another machine', async () => {
    const key = (await api.run('api-key', 'create', '--tenant', 'acme-shop', '--name', 'files', '--scope', '*')).trim();
    const headers = {
      'x-platform-api-key': key,
      'x-platform-tenant': 'acme-shop',
      'content-type': 'application/json',
    };
    const profile = { name: 'Products', target: 'products', format: 'csv' };
    const body = JSON.stringify(profile);
    const made = await fetch(`${api.url}/v1/io/import-profiles`, { method: 'POST', headers, body });
    expect(made.status).toBe(201);
    const [file, out] = [join(directory, 'products.csv'), join(directory, 'out.csv')];
    await writeFile(file, 'sku,name,description,active\nA-1,Cup,,true\nA-2,Pot,,true\n');
    const access = ['--url', api.url, '--tenant', 'acme-shop', '--key', key, '--json'];
    const imported = await api.run('import', file, '--profile', 'Products', ...access);
    expect(JSON.parse(imported)).toMatchObject({ job: { rows_written: 2, rows_rejected: 0 } });
    await api.run('export', 'products', '--out', out, ...access);
    expect(await readFile(out, 'utf8')).toBe(await readFile(file, 'utf8'));
    // Both have the same bytes, and so the same key.
    expect(await stored()).toBe(1);
  });

  test('are those of node packages as well', async () => {
    const token = (await api.run('token', '--role', 'operator')).trim();
    const access = ['--org', 'acme', '--url', api.url, '--token', token, '--json'];
    const published = await api.run('node', 'publish', 'examples/erp-nodes', ...access);
    expect(JSON.parse(published)).toMatchObject({ published: true });
    expect(await stored()).toBeGreaterThan(1);
  });

  test('are in no directory of a machine', () => {
    for (const machine of ['api', 'worker']) expect(existsSync(join(directory, machine, 'storage'))).toBe(false);
  });

  test('stop the start with what to change where the bucket is missing', async () => {
    const lost = startServer(join(directory, 'api'), { ...env, ROLE: 'api', S3_BUCKET: 'nowhere' });
    expect(await lost.exited).toBe(1);
    expect(lost.output()).toContain('There is no bucket nowhere. Create it, or correct S3_BUCKET.');
  });
});
