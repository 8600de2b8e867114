import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { startSftpServer, type TestSftpServer, user } from '#test/infra/sftp/sftp-server.ts';
import { openRemote } from './remote-ports.ts';

let server: TestSftpServer;
let remote: ReturnType<typeof openRemote>;

beforeAll(async () => {
  server = await startSftpServer();
  remote = openRemote(`127.0.0.1:${server.port}`, 'core:sftp');
});
afterEach(() => {
  Object.assign(server.faults, { silentAt: undefined, cutAfter: undefined, names: undefined, onRead: undefined });
});
afterAll(async () => {
  await remote.close();
  await server.close();
});

const login = () => ({ ...user, host: server.host, port: String(server.port), host_key: server.hostKey });
const run = (slug: string, config: object, more: object = {}) => remote.run(slug, config, { ...login(), ...more });
const place = async (name: string, content: string) => {
  await mkdir(join(server.root, 'out'), { recursive: true });
  await writeFile(join(server.root, 'out', name), content);
};

test('lists the files of a directory by name, a part at a time', async () => {
  for (const name of ['b.csv', 'a.csv', 'c.csv', 'x.txt']) await place(name, name);
  await mkdir(join(server.root, 'out', 'done'));
  const first = await run('list-files', { path: 'out', limit: 2 });
  expect(first.outputs).toMatchObject({
    files: [
      { name: 'a.csv', path: 'out/a.csv', size: 5, modified_at: expect.stringMatching(/^\d{4}-.*Z$/) },
      { name: 'b.csv' },
    ],
    complete: false,
  });
  const rest = await run('list-files', { path: 'out', after: 'b.csv', prefix: 'c' });
  expect(rest.outputs).toMatchObject({ files: [{ path: 'out/c.csv' }], complete: true });
});

test('fetches a file and writes it to another place, under another name until it is complete', async () => {
  await place('big.bin', 'x'.repeat(500_000));
  const { outputs } = await run('get-file', { path: 'out/big.bin' });
  expect(outputs['file']).toMatchObject({ name: 'big.bin', size: 500_000 });
  const file = outputs['file'] as FileReference;
  expect((await run('put-file', { path: 'out/done/', content: file })).outputs).toEqual({
    path: 'out/done/big.bin',
    size: 500_000,
  });
  expect(await readdir(join(server.root, 'out', 'done'))).toEqual(['big.bin']);
});

test('writes text over a file, moves it and deletes it, also twice', async () => {
  await place('n.csv', 'old');
  await run('put-file', { path: 'out/n.csv', content: 'größe' });
  await run('move-file', { path: 'out/n.csv', to: 'out/m.csv' });
  expect(await readFile(join(server.root, 'out', 'm.csv'), 'utf8')).toBe('größe');
  await run('delete-file', { path: 'out/m.csv' });
  await run('delete-file', { path: 'out/m.csv' });
  await expect(run('move-file', { path: 'out/m.csv', to: 'out/n.csv' })).rejects.toMatchObject({
    code: 'SFTP_NOT_FOUND',
  });
});

test('a file that is moved to its own place stays there', async () => {
  await place('same.csv', 'kept');
  await run('move-file', { path: 'out/same.csv', to: 'out//same.csv' });
  expect(await readFile(join(server.root, 'out', 'same.csv'), 'utf8')).toBe('kept');
});

test('two steps that write one file at the same time do not mix their bytes', async () => {
  const { promise: isSecondDone, resolve: endFirst } = Promise.withResolvers<void>();
  async function* slowly() {
    yield Buffer.from('first,');
    await isSecondDone;
    yield Buffer.from('first');
  }
  const slow = await remote.create({ name: 'slow.csv', type: 'text/csv' }, Readable.from(['-'], { objectMode: false }));
  const stream = async () => Readable.from(slowly(), { objectMode: false });
  remote.files.set(slow.file, { ...slow, bytes: Buffer.of(), stream });
  const write = (content: unknown, key: string) =>
    remote.run('put-file', { path: 'out/shared.csv', content }, login(), undefined, key);
  const first = write(slow, 'run-1');
  await vi.waitFor(async () =>
    expect(await readdir(join(server.root, 'out'))).toContainEqual(expect.stringMatching(/part$/)),
  );
  await write('second', 'run-2');
  expect(await readFile(join(server.root, 'out', 'shared.csv'), 'utf8')).toBe('second');
  endFirst();
  await first;
  expect(await readFile(join(server.root, 'out', 'shared.csv'), 'utf8')).toBe('first,first');
});

test('a write that fails leaves the file as it was', async () => {
  await place('kept.csv', 'old');
  server.faults.cutAfter = 100;
  await expect(run('put-file', { path: 'out/kept.csv', content: 'x'.repeat(200_000) })).rejects.toMatchObject({
    code: 'SFTP_DISCONNECTED',
    retryable: true,
  });
  expect(await readFile(join(server.root, 'out', 'kept.csv'), 'utf8')).toBe('old');
});

describe('fails', () => {
  test.each([
    ['a wrong password', { password: 'secret-and-wrong' }, 'SFTP_AUTH'],
    ['a host that is not allowed', { port: '22' }, 'SFTP_REFUSED_ADDRESS'],
    ['another host key', { host_key: `SHA256:${'A'.repeat(43)}` }, 'SFTP_HOST_KEY'],
  ])('at %s', async (_what, more, code) => {
    const error = await run('list-files', {}, more).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, retryable: false });
    expect(String(error)).not.toContain('secret-and-wrong');
  });

  test('without a host key, and names the one that the server shows', async () => {
    const { host_key: _none, ...rest } = login();
    await expect(remote.run('list-files', {}, rest)).rejects.toMatchObject({
      code: 'SFTP_HOST_KEY',
      message: expect.stringContaining(server.hostKey),
    });
  });

  test('when a file shrinks while it is read', async () => {
    await place('log.csv', 'x'.repeat(400_000));
    server.faults.onRead = () => truncate(join(server.root, 'out', 'log.csv'), 10);
    await expect(run('get-file', { path: 'out/log.csv' })).rejects.toMatchObject({ code: 'SFTP_CHANGED' });
  });

  test('for a directory without an end, and hides names that lead elsewhere', async () => {
    let parts = 1;
    server.faults.names = () => (parts-- > 0 ? ['../up.csv', 'a\nb.csv', '..', 'good.csv'] : undefined);
    const { outputs } = await run('list-files', { path: '/out', prefix: 'good' });
    expect(outputs).toMatchObject({ files: [{ path: '/out/good.csv' }] });
    server.faults.names = () => Array.from({ length: 500 }, (_, index) => `n${index}`);
    await expect(run('list-files', { path: 'out' })).rejects.toMatchObject({ code: 'SFTP_TOO_MANY_FILES' });
  });

  test('when its step is stopped while the server is silent', async () => {
    server.faults.silentAt = 'READDIR';
    const stop = new AbortController();
    const listing = remote.run('list-files', { path: 'out' }, login(), stop.signal);
    const reason = new Error('stopped');
    setTimeout(() => stop.abort(reason), 50);
    await expect(listing).rejects.toBe(reason);
  });

  test.each(['../etc/passwd', 'a/../b', 'a\nb', 'a\\b', '', 'out/'])('for the path %j', async (path) => {
    await expect(run('get-file', { path })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});
