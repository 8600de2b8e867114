import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { exportFileName } from '#src/imports/transfers/export-file-name.rules.ts';
import { makeProfile, startImportWorker } from '#test/imports/import-file.ts';
import { startSftpServer, type TestSftpServer } from '#test/infra/sftp/sftp-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { findJobs, makeAccount, makeSchedule, mutate, run } from './transfers.ts';

let api: TestApp;
let server: TestSftpServer;
let accountId: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  server = await startSftpServer();
  accountId = await makeAccount(api, server);
  await mutate(api, 'createProduct', { input: { sku: 'P-1', name: 'Mug' }, select: 'product { id }' });
  await makeProfile(api, { name: 'semicolons', target: 'products', delimiter: ';', mapping: { sku: 'No', name: 'N' } });
  await startImportWorker(api);
});
afterAll(() => server.close());
beforeEach(() => {
  for (const name of Object.keys(server.faults)) delete server.faults[name as keyof typeof server.faults];
});

async function scheduled(path: string, given: object = {}): Promise<string> {
  await mkdir(join(server.root, path));
  return makeSchedule(api, 'Export', { accountId, path, filename: 'products.csv', target: 'products', ...given });
}
const readContent = (path: string) => readFile(join(server.root, path), 'utf8');

describe('a run of an export schedule', () => {
  test('puts a complete file in the place of the last one', async () => {
    const id = await scheduled('outbox');
    await writeFile(join(server.root, 'outbox/products.csv'), 'the last one');
    expect(await run(api, 'Export', id)).toMatchObject({ lastError: null, lastSuccessAt: expect.any(String) });
    expect(await readdir(join(server.root, 'outbox'))).toEqual(['products.csv']);
    expect(await readContent('outbox/products.csv')).toMatch(/^sku,name,description,active\nP-1,Mug,/);
    expect(await findJobs(api, id)).toMatchObject([{ status: 'completed' }]);
  });

  test('writes by a profile, and names the file by day and job', async () => {
    const id = await scheduled('dated', { target: null, profile: 'semicolons', filename: 'p-{date}-{job}.csv' });
    await run(api, 'Export', id);
    const [job] = await findJobs(api, id);
    const [name = ''] = await readdir(join(server.root, 'dated'));
    expect(name).toMatch(new RegExp(`^p-\\d{4}-\\d\\d-\\d\\d-${job?.id}\\.csv$`));
    expect(await readContent(`dated/${name}`)).toMatch(/^No;N\nP-1;Mug\n/);
  });

  test('leaves no file of that name if it is cut off, and puts it when it runs again', async () => {
    const id = await scheduled('cut');
    server.faults.cutAfter = 10;
    expect(await run(api, 'Export', id)).toMatchObject({
      lastError: expect.stringMatching(/closed the connection/),
      lastSuccessAt: null,
    });
    expect(await readdir(join(server.root, 'cut'))).not.toContain('products.csv');
    server.faults.cutAfter = undefined;
    expect(await run(api, 'Export', id)).toMatchObject({ lastError: null, lastSuccessAt: expect.any(String) });
    expect(await readdir(join(server.root, 'cut'))).toEqual(['products.csv']);
  });

  test('says that its directory is not there', async () => {
    const id = await makeSchedule(api, 'Export', { accountId, path: 'nowhere', filename: 'a.csv', target: 'products' });
    expect(await run(api, 'Export', id)).toMatchObject({
      lastError: expect.stringMatching(/has no nowhere/),
      failures: 1,
    });
  });
});

describe('an export schedule', () => {
  test.for<[string, object]>([
    ['target', { target: 'nothing' }],
    ['profile', { profile: 'unknown' }],
    ['filename', { filename: '../a.csv' }],
    ['filename', { filename: '.hidden' }],
    ['filename', { filename: 'a-{month}.csv' }],
    ['cron', { cron: '61 * * * *' }],
    ['accountId', { accountId: '999999' }],
  ])('is refused at its %s for %o', async ([path, given]) => {
    const input = { accountId, filename: 'a.csv', target: 'products', cron: '@daily', ...given };
    const answer = await mutate(api, 'createExportSchedule', { input, select: 'exportSchedule { id }' });
    expect(answer).toMatchObject({ __typename: 'ValidationError', fields: [{ path }] });
  });

  test('names files by the clock of its zone', () => {
    const at = new Date('2026-03-31T22:30:05Z');
    const named = (timezone: string) => exportFileName('{date} {time} {job}', { at, timezone, job: 7 });
    expect([named('UTC'), named('Europe/Berlin')]).toEqual(['2026-03-31 223005 7', '2026-04-01 003005 7']);
  });
});
