import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runCauseway } from '#bin/causeway.ts';
import { formatProgress } from '#bin/commands/bulk/bulk-jobs.ts';
import { makeProfile, startImportWorker } from '#test/imports/import-file.ts';
import { test } from '#test/setup/app-test.ts';

let cwd: string;
let env: Record<string, string>;
test.beforeAll(async ({ api }) => {
  cwd = await mkdtemp(join(tmpdir(), 'bulk-commands-'));
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  await startImportWorker(api);
  env = {
    CAUSEWAY_URL: `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`,
    CAUSEWAY_TENANT: 'acme-shop',
    CAUSEWAY_API_KEY: await api.apiKey(['io:read', 'io:write']),
  };
});
test.afterAll(() => rm(cwd, { recursive: true }));

async function causeway(argv: string[], more: { env?: Record<string, string>; isTerminal?: boolean } = {}) {
  const outcome = { code: 0, out: '', err: '' };
  outcome.code = await runCauseway(argv, {
    out: (text) => void (outcome.out += text),
    err: (text) => void (outcome.err += text),
    cwd,
    env,
    ...more,
  });
  return outcome;
}

describe('import and export', () => {
  test('import a file, write its rejects beside it, and export it again', async ({ api }) => {
    expect(await causeway(['import', 'missing.csv'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/^There is no file/),
    });
    await writeFile(join(cwd, 'mugs.csv'), 'sku,name\nM-1,Mug\nM-2,\n');
    expect(await causeway(['import', 'mugs.csv'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/has no import profile. Make one with POST /),
    });
    await makeProfile(api, { name: 'Mugs', target: 'products' });

    const dry = await causeway(['import', 'mugs.csv', '--dry-run', '--json']);
    expect([dry.code, dry.err, JSON.parse(dry.out)]).toMatchObject([
      3,
      '',
      { job: { rows_written: 1, rows_rejected: 1 } },
    ]);
    expect((await causeway(['import', 'mugs.csv', '--dry-run'])).out).toBe(
      'dry run, nothing was kept: 2 rows read, 1 written, 0 unchanged, 1 rejected\n',
    );
    const watched = await causeway(['import', 'mugs.csv'], { isTerminal: true });
    expect(watched).toEqual({
      code: 3,
      out: 'completed: 2 rows read, 1 written, 0 unchanged, 1 rejected\n',
      err: expect.stringMatching(/\[#{30}\] 100 % {2}2 rows .* rows\/s\n.*mugs\.csv\.rejects\.csv\n$/),
    });
    expect(await readFile(join(cwd, 'mugs.csv.rejects.csv'), 'utf8')).toBe(
      'line,column,value,reason\n3,name,,A value is needed.\n',
    );

    const exported = await causeway(['export', 'products', '--filter', 'sku=M-1', '--json']);
    expect([exported.code, JSON.parse(exported.out)]).toMatchObject([
      0,
      { job: { rows_written: 1 }, file: join(cwd, 'products.csv') },
    ]);
    expect(await readFile(join(cwd, 'products.csv'), 'utf8')).toBe('sku,name,description,active\nM-1,Mug,,true\n');
    expect(await causeway(['import', 'products.csv', '--profile', 'Mugs'])).toEqual({
      code: 0,
      out: 'completed: 1 rows read, 0 written, 1 unchanged, 0 rejected\n',
      err: '',
    });
    expect(await causeway(['export', '--profile', 'Mugs', '--format', 'ndjson', '--out', 'all.txt'])).toMatchObject({
      code: 0,
    });
    expect(await readFile(join(cwd, 'all.txt'), 'utf8')).toMatch(/^\{"sku":"M-1"/);
    expect((await readdir(cwd)).toSorted()).toEqual(['all.txt', 'mugs.csv', 'mugs.csv.rejects.csv', 'products.csv']);

    await writeFile(join(cwd, 'broken.csv'), 'sku,name\n"M-1,Mug\n');
    expect(await causeway(['import', 'broken.csv', '--profile', 'Mugs'])).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^failed: 0 rows read/),
      err: expect.stringMatching(/^A quote is not closed/),
    });
  });

  test.for<[string[], number, string]>([
    [['import'], 2, 'Name one file'],
    [['export'], 2, 'Name what to export'],
    [['export', 'stock', '--filter', 'main'], 2, '--filter takes a field and a value'],
    [['export', 'stock', '--filter', 'location=main', '--filter', 'location=store'], 2, 'Give one value of location'],
    [['export', 'stock', '--key', 'cw_no_key'], 1, 'The server answered 401: Unauthenticated. Check the API key'],
    [['export', 'nonsense'], 1, 'There is no such target'],
    [['export', 'stock', '--out', 'nowhere/stock.csv'], 2, 'nowhere; make it first.'],
    [['export', 'stock', '--out', '.'], 2, 'is a directory; name a file in it.'],
    [['import', '.'], 2, 'is a directory; name a file in it.'],
    [['api-key', '--nonsense'], 2, 'There is no command "api-key --nonsense".'],
    [['export', 'stock', '--url', 'http://127.0.0.1:1'], 1, 'cannot be reached'],
  ])('%j ends with %d and says what to do', async ([argv, code, message]) => {
    expect(await causeway(argv)).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  test('need a tenant and a key', async () => {
    const { CAUSEWAY_API_KEY: key = '', CAUSEWAY_TENANT: tenant = '' } = env;
    expect(await causeway(['export', 'stock'], { env: { CAUSEWAY_API_KEY: key } })).toMatchObject({ code: 2 });
    expect(await causeway(['export', 'stock'], { env: { CAUSEWAY_TENANT: tenant } })).toMatchObject({ code: 2 });
    expect(await causeway(['import', '--help'])).toMatchObject({ code: 0, out: expect.stringContaining('--dry-run') });
  });
});

test('the progress bar shows rows, their rate and the remaining time', () => {
  const job = { progress: 0.25, rows_read: 250_000, status: 'running' } as Parameters<typeof formatProgress>[0];
  expect(formatProgress(job, 10_000)).toBe(
    '[########----------------------] 25 %  250,000 rows  25,000 rows/s  30 s left',
  );
  expect(formatProgress({ ...job, status: 'queued', progress: 0 }, 10)).toMatch(/waiting for its turn$/);
});
