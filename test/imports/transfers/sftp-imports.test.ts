import { appendFile, mkdir, readdir, rename, symlink, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect } from 'vitest';
import { sweepTransferFiles, startDueTransfers } from '#src/imports/transfers/due-transfers.service.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';
import { makeProfile, startImportWorker } from '#test/imports/import-file.ts';
import { startSftpServer, type TestSftpServer } from '#test/infra/sftp/sftp-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import {
  databaseId,
  findJobs,
  makeAccount,
  makeSchedule,
  mutate,
  place,
  readSchedule,
  run,
  settled,
} from './transfers.ts';

let api: TestApp;
let server: TestSftpServer;
let accountId: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  server = await startSftpServer();
  accountId = await makeAccount(api, server);
  await makeProfile(api, { name: 'products', target: 'products' });
  await startImportWorker(api);
});
afterAll(() => server.close());
beforeEach(() => {
  for (const name of Object.keys(server.faults)) delete server.faults[name as keyof typeof server.faults];
});

const product = (sku: string) => `sku,name\n${sku},Mug\n`;
const namesIn = async (directory: string) => (await readdir(join(server.root, directory))).toSorted();

/** A directory of its own and a schedule of it. */
async function scheduled(path: string, given: object = {}): Promise<string> {
  await mkdir(join(server.root, path));
  return makeSchedule(api, 'Import', { accountId, profile: 'products', path, pattern: '*.csv', ...given });
}

describe('a run of an import schedule', () => {
  test('imports the files that match its pattern, the oldest first, and moves them aside with the ids of their jobs', async () => {
    const id = await scheduled('inbox');
    await place(server, 'inbox/b.csv', product('B-1'), 1);
    await place(server, 'inbox/a.csv', product('A-1'), 2);
    await place(server, 'inbox/a.txt', product('T-1'));
    await symlink('/etc/passwd', join(server.root, 'inbox', 'link.csv'));
    expect(await run(api, 'Import', id)).toMatchObject({
      lastError: null,
      failures: 0,
      lastRunAt: expect.any(String),
      lastSuccessAt: expect.any(String),
    });
    const jobs = await findJobs(api, id);
    expect(jobs).toMatchObject([
      { name: 'b.csv', status: 'completed', rows_written: 1 },
      { name: 'a.csv', status: 'completed', rows_written: 1 },
    ]);
    expect(await namesIn('inbox')).toEqual(['a.txt', 'link.csv', 'processed']);
    expect(await namesIn('inbox/processed')).toEqual(jobs.map((job) => `${job.id}-${job.name}`).toSorted());
  });

  test('moves a file whose import failed to `failed`, and imports the others', async () => {
    const id = await scheduled('failing');
    await place(server, 'failing/bad.csv', 'no,header\n', 1);
    await place(server, 'failing/good.csv', product('G-1'), 2);
    expect(await run(api, 'Import', id)).toMatchObject({ lastError: null });
    const [bad, good] = await findJobs(api, id);
    expect([bad?.status, good?.status]).toEqual(['failed', 'completed']);
    expect(await namesIn('failing/failed')).toEqual([`${bad?.id}-bad.csv`]);
    expect(await namesIn('failing/processed')).toEqual([`${good?.id}-good.csv`]);
  });

  test('imports a failed file again after it is put back, and a file that was left when a user runs it', async () => {
    await makeProfile(api, { name: 'named otherwise', target: 'products', mapping: { sku: 'number', name: 'title' } });
    const repair = (id: string) =>
      mutate(api, 'updateImportSchedule', { input: { id, profile: 'products' }, select: 'importSchedule { id }' });
    const byItsCron = async (id: string, path: string): Promise<void> => {
      await api.database.tenantQuery('acme-shop', {
        text: `UPDATE transfers SET next_at = now() - interval '1 minute' WHERE tenant_id = 'acme-shop' AND path = $1`,
        values: [path],
      });
      await startDueTransfers(api.deps);
      await settled(api, 'Import', id);
    };
    const moving = await scheduled('moved', { profile: 'named otherwise' });
    await place(server, 'moved/a.csv', product('P-1'));
    await byItsCron(moving, 'moved');
    const [failed] = await findJobs(api, moving);
    expect(failed).toMatchObject({ status: 'failed' });
    await repair(moving);
    await rename(join(server.root, `moved/failed/${failed?.id}-a.csv`), join(server.root, 'moved/a.csv'));
    await byItsCron(moving, 'moved');
    expect((await findJobs(api, moving)).map(({ status }) => status)).toEqual(['failed', 'completed']);

    const leaving = await scheduled('kept', { profile: 'named otherwise', afterwards: 'LEAVE' });
    await place(server, 'kept/a.csv', product('P-2'));
    await byItsCron(leaving, 'kept');
    await repair(leaving);
    await byItsCron(leaving, 'kept');
    expect(await findJobs(api, leaving)).toMatchObject([{ status: 'failed' }]);
    await run(api, 'Import', leaving);
    expect(await findJobs(api, leaving)).toMatchObject([{ status: 'completed', rows_written: 1 }]);
  });

  test('deletes or leaves files by its setting, and imports no file that it left twice', async () => {
    const deleting = await scheduled('deleted', { afterwards: 'DELETE' });
    await place(server, 'deleted/a.csv', product('D-1'));
    await run(api, 'Import', deleting);
    expect(await namesIn('deleted')).toEqual([]);

    const leaving = await scheduled('left', { afterwards: 'LEAVE' });
    await place(server, 'left/a.csv', product('L-1'));
    for (let runs = 0; runs < 2; runs += 1) await run(api, 'Import', leaving);
    expect(await namesIn('left')).toEqual(['a.csv']);
    expect(await findJobs(api, leaving)).toHaveLength(1);
    await place(server, 'left/a.csv', product('L-1'), 5);
    await run(api, 'Import', leaving);
    expect(await findJobs(api, leaving)).toHaveLength(2);
    await api.database.tenantQuery('acme-shop', {
      text: `UPDATE transfer_files SET settled_at = now() - interval '91 days' WHERE tenant_id = 'acme-shop'`,
    });
    await sweepTransferFiles(api.deps);
    await run(api, 'Import', leaving);
    expect(await findJobs(api, leaving)).toHaveLength(2);
  });

  test('fetches at most its number of files', async () => {
    const id = await scheduled('many', { maxFiles: 2 });
    for (let n = 0; n < 3; n += 1) await place(server, `many/${n}.csv`, product(`M-${n}`), n);
    await run(api, 'Import', id);
    expect((await findJobs(api, id)).map(({ name }) => name)).toEqual(['0.csv', '1.csv']);
    await run(api, 'Import', id);
    expect((await findJobs(api, id)).map(({ name }) => name)).toEqual(['0.csv', '1.csv', '2.csv']);
  });

  test('names a file that is too large, and imports the others', async () => {
    const id = await scheduled('large');
    await place(server, 'large/large.csv', '', 1);
    // It takes no room: a hole.
    await truncate(join(server.root, 'large', 'large.csv'), 2 ** 30 + 1);
    await place(server, 'large/small.csv', product('LA-1'), 2);
    expect(await run(api, 'Import', id)).toMatchObject({
      lastError: expect.stringMatching(/^large\.csv: It has more than 1073741824 bytes/),
      failures: 1,
    });
    await expect
      .poll(() => findJobs(api, id), { timeout: 20_000 })
      .toMatchObject([{ name: 'small.csv', status: 'completed' }]);
    expect(await run(api, 'Import', id)).toMatchObject({ failures: 2 });
    expect(await namesIn('large')).toEqual(['large.csv', 'processed']);
  });

  test('does not fetch a file while it is being written', async () => {
    const id = await scheduled('growing');
    await place(server, 'growing/slow.csv', product('S-1'));
    server.faults.onRead = (path) => appendFile(join(server.root, path), 'S-2,Mug\n');
    expect(await run(api, 'Import', id)).toMatchObject({ lastError: null });
    expect(await findJobs(api, id)).toEqual([]);
    server.faults.onRead = undefined;
    await run(api, 'Import', id);
    expect(await findJobs(api, id)).toMatchObject([{ name: 'slow.csv', rows_written: 2 }]);
  });

  test('retries after a connection broke, without importing half a file', async () => {
    const id = await scheduled('cut');
    const lines = Array.from({ length: 20_000 }, (_none, n) => `C-${n},Mug`).join('\n');
    await place(server, 'cut/long.csv', `sku,name\n${lines}\n`);
    server.faults.cutAfter = 100_000;
    expect(await run(api, 'Import', id)).toMatchObject({
      lastError: expect.stringMatching(/closed the connection/),
      lastSuccessAt: null,
      failures: 0,
    });
    expect(await findJobs(api, id)).toEqual([]);
    server.faults.cutAfter = undefined;
    expect(await run(api, 'Import', id)).toMatchObject({ lastError: null, lastSuccessAt: expect.any(String) });
    expect(await findJobs(api, id)).toMatchObject([{ status: 'completed', rows_written: 20_000 }]);
  });

  test('imports no file twice after its worker died, and moves the file aside', async () => {
    const id = await scheduled('dying');
    await place(server, 'dying/once.csv', product('O-1'));
    const transferId = databaseId(id);
    await mutate(api, 'runImportSchedule', { input: { id }, select: 'importSchedule { id }' });
    await expect.poll(() => findJobs(api, id), { timeout: 20_000 }).toHaveLength(1);
    // As a process leaves it that died before it could say that the run has ended.
    await api.database.tenantQuery('acme-shop', {
      text: `UPDATE transfers SET requested_at = now(), lease = gen_random_uuid(), lease_until = now() - interval '1 s',
          last_success_at = NULL WHERE tenant_id = 'acme-shop' AND id = $1`,
      values: [transferId],
    });
    await startDueTransfers(api.deps);
    expect(await settled(api, 'Import', id)).toMatchObject({ lastError: null, lastSuccessAt: expect.any(String) });
    const jobs = await findJobs(api, id);
    expect(jobs).toHaveLength(1);
    expect(await namesIn('dying')).toEqual(['processed']);
    expect(await namesIn('dying/processed')).toEqual([`${jobs[0]?.id}-once.csv`]);
  });

  test('leaves a file that was replaced during its import, and imports it as another', async () => {
    const id = await scheduled('replaced');
    await place(server, 'replaced/stock.csv', product('R-1'), 1);
    await api.database.withTenant('acme-shop', async (tx) => {
      // No bulk job is taken up meanwhile.
      await lockNamed(tx, 'bulk-jobs/acme-shop');
      await mutate(api, 'runImportSchedule', { input: { id }, select: 'importSchedule { id }' });
      await expect.poll(() => findJobs(api, id), { timeout: 10_000 }).toHaveLength(1);
      await place(server, 'replaced/stock.csv', product('R-22'), 2);
    });
    expect(await settled(api, 'Import', id)).toMatchObject({ lastError: null });
    expect(await namesIn('replaced')).toEqual(['stock.csv']);
    await run(api, 'Import', id);
    expect(await findJobs(api, id)).toHaveLength(2);
    expect(await namesIn('replaced')).toEqual(['processed']);
  });
});

describe('a fault of an import schedule', () => {
  test('is shown on the schedule, and published as one event', async () => {
    const id = await scheduled('wrong');
    await mutate(api, 'updateSftpAccount', {
      input: { id: accountId, password: 'a wrong one' },
      select: 'sftpAccount { id }',
    });
    for (const failures of [1, 2]) {
      expect(await run(api, 'Import', id)).toMatchObject({
        lastError: expect.stringMatching(/refused the user or its password or key/),
        failures,
      });
    }
    const { rows } = await api.database.system.query<{ data: object }>(
      `SELECT data FROM outbox_events WHERE topic = 'transfer.failed' AND tenant_id = 'acme-shop' AND data->>'id' = $1`,
      [String(databaseId(id))],
    );
    expect(rows.map(({ data }) => data)).toEqual([
      expect.objectContaining({ direction: 'import', profile: 'products', error: expect.stringMatching(/refused/) }),
    ]);
    await mutate(api, 'updateSftpAccount', {
      input: { id: accountId, password: 'correct horse' },
      select: 'sftpAccount { id }',
    });
    expect(await run(api, 'Import', id)).toMatchObject({ lastError: null, failures: 0 });
  });

  test('is a changed host key until a user accepts it', async () => {
    const id = await scheduled('rekeyed');
    const before = server.hostKey;
    server.changeHostKey();
    const { lastError } = await run(api, 'Import', id);
    expect(lastError).toContain(server.hostKey);
    expect(lastError).toContain('acceptSftpHostKey');
    const accepted = await mutate(api, 'acceptSftpHostKey', {
      input: { id: accountId, hostKey: server.hostKey },
      select: 'sftpAccount { hostKey }',
    });
    expect(accepted).toMatchObject({ sftpAccount: { hostKey: server.hostKey } });
    expect(await run(api, 'Import', id)).toMatchObject({ lastError: null });
    const { rows } = await api.database.system.query<{ metadata: object }>(
      `SELECT metadata FROM audit_entries WHERE tenant_id = 'acme-shop' AND action = 'accept_host_key'`,
    );
    expect(rows).toMatchObject([{ metadata: { host_key: server.hostKey, former_host_key: before } }]);
  });

  test('is a missing directory, and a deleted profile', async () => {
    const id = await makeSchedule(api, 'Import', { accountId, profile: 'products', path: 'nowhere' });
    expect(await run(api, 'Import', id)).toMatchObject({ lastError: expect.stringMatching(/has no nowhere/) });
    const other = await scheduled('unread');
    await place(server, 'unread/a.csv', product('U-1'));
    await api.database.tenantQuery('acme-shop', {
      text: `UPDATE transfers SET profile = 'gone' WHERE tenant_id = 'acme-shop' AND path = 'unread'`,
    });
    expect(await run(api, 'Import', other)).toMatchObject({
      lastError: expect.stringMatching(/no profile of this name/),
    });
    expect(await namesIn('unread')).toEqual(['a.csv']);
  });

  test('is a server that an operator no longer allows', async () => {
    const id = await scheduled('closed');
    api.egressAllow.delete(`127.0.0.1:${server.port}`);
    expect(await run(api, 'Import', id)).toMatchObject({
      lastError: expect.stringMatching(/EGRESS_ALLOW/),
      failures: 1,
    });
    api.egressAllow.add(`127.0.0.1:${server.port}`);
  });
});

describe('the time of an import schedule', () => {
  test('comes by its cron, once for all missed times, and never if it is inactive', async () => {
    const id = await scheduled('timed', { cron: '*/5 * * * *', timezone: 'Europe/Berlin' });
    const { nextRunAt } = await readSchedule(api, 'Import', id);
    expect(new Date(nextRunAt ?? 0).getTime()).toBeGreaterThan(Date.now());
    await place(server, 'timed/a.csv', product('TI-1'));
    await api.database.tenantQuery('acme-shop', {
      text: `UPDATE transfers SET next_at = now() - interval '2 hours' WHERE tenant_id = 'acme-shop' AND path = 'timed'`,
    });
    await startDueTransfers(api.deps);
    const ran = await settled(api, 'Import', id);
    expect(await findJobs(api, id)).toHaveLength(1);
    expect(new Date(ran.nextRunAt ?? 0).getTime()).toBeGreaterThan(Date.now());
    await mutate(api, 'updateImportSchedule', { input: { id, active: false }, select: 'importSchedule { id }' });
    expect(await readSchedule(api, 'Import', id)).toMatchObject({ nextRunAt: null });
  });
});
