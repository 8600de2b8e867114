import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createEgress, type Egress } from '#src/infra/egress/egress.ts';
import { type SftpLogin, showHostKey } from '#src/infra/sftp/connect-sftp.ts';
import { privateKeyFault } from '#src/infra/sftp/private-key.ts';
import { type SftpSession, withSftp } from '#src/infra/sftp/sftp-session.ts';
import { newEd25519Key, startSftpServer, type TestSftpServer, user } from './sftp-server.ts';

const plain = newEd25519Key();
const encrypted = ssh2.utils.generateKeyPairSync('ecdsa', {
  bits: 256,
  passphrase: 'open it',
  cipher: 'aes256-ctr',
  rounds: 4,
});

let server: TestSftpServer;
let egress: Egress;
beforeAll(async () => {
  server = await startSftpServer({ publicKey: plain.public });
  egress = createEgress({ allow: new Set([`127.0.0.1:${server.port}`]) });
});
beforeEach(() => {
  for (const name of Object.keys(server.faults)) delete server.faults[name as keyof typeof server.faults];
});
afterAll(async () => {
  await egress.close();
  await server.close();
});

const login = (given: Partial<SftpLogin> = {}): SftpLogin => ({
  host: server.host,
  port: server.port,
  hostKey: server.hostKey,
  ...user,
  ...given,
});
const connected = <T>(
  work: (session: SftpSession) => Promise<T>,
  { as = login(), idleMs = 10_000, signal = AbortSignal.timeout(20_000) } = {},
): Promise<T> => withSftp(egress, as, { signal, idleMs, work });
const allGone = () => expect.poll(() => server.connections.size).toBe(0);

describe('a login', () => {
  test('accepts a password or a private key', async () => {
    await writeFile(join(server.root, 'a.csv'), 'sku\n');
    const names = async (session: SftpSession) => (await session.list('.')).map(({ name }) => name);
    expect(await connected(names)).toContain('a.csv');
    const { password: _none, ...others } = login();
    expect(await connected(names, { as: { ...others, privateKey: plain.private } })).toContain('a.csv');
    await allGone();
  });

  test('that is wrong is an error that names the server and no secret', async () => {
    const refused = connected(async () => undefined, { as: login({ password: 'a wrong one' }) });
    await expect(refused).rejects.toMatchObject({ code: 'refused_login' });
    await expect(refused).rejects.toThrow(/^127\.0\.0\.1:\d+ refused the user or its password or key\.$/);
    await allGone();
  });

  test('is not tried on a server that shows a key other than the pinned one', async () => {
    const other = `SHA256:${'A'.repeat(43)}`;
    const refused = connected(async () => undefined, { as: login({ hostKey: other }) });
    await expect(refused).rejects.toMatchObject({ code: 'host_key' });
    await expect(refused).rejects.toThrow(server.hostKey);
    await expect(refused).rejects.toThrow('acceptSftpHostKey');
    await allGone();
  });

  test('finds the pinned key among those of a server that has several', async () => {
    const kinds = ['ed25519', 'rsa', 'ecdsa'] as const;
    const both = await startSftpServer({ kinds });
    const open = createEgress({ allow: new Set([`127.0.0.1:${both.port}`]) });
    for (const hostKey of both.hostKeys) {
      const as = { ...login(), port: both.port, hostKey };
      const listing = withSftp(open, as, { signal: AbortSignal.timeout(20_000), work: (session) => session.list('.') });
      expect(await listing).toEqual([]);
    }
    await open.close();
    await both.close();
  });

  test('reaches no private address that is not allowed', async () => {
    const closed = createEgress();
    for (const host of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '0177.0.0.1', '169.254.169.254'])
      await expect(showHostKey(closed, { host, port: 2222 }, AbortSignal.timeout(5_000))).rejects.toMatchObject({
        code: 'refused_address',
      });
    await expect(showHostKey(closed, { host: '8.8.8.8', port: 25 }, AbortSignal.timeout(5_000))).rejects.toMatchObject({
      code: 'refused_port',
    });
    const rebound = createEgress({ resolve: async () => ['10.0.0.1'] });
    await expect(
      showHostKey(rebound, { host: 'files.example.com', port: 22 }, AbortSignal.timeout(5_000)),
    ).rejects.toMatchObject({ code: 'refused_address' });
    await rebound.close();
    await closed.close();
  });

  test('shows the key of a server without logging in', async () => {
    expect(await showHostKey(egress, server, AbortSignal.timeout(10_000))).toBe(server.hostKey);
    await allGone();
  });
});

describe('a private key', () => {
  test('is refused if it is public, encrypted without its passphrase, or invalid', async () => {
    expect(await privateKeyFault(plain.private)).toBeUndefined();
    expect(await privateKeyFault(encrypted.private, 'open it')).toBeUndefined();
    expect(await privateKeyFault(encrypted.private)).toMatch(/passphrase/);
    expect(await privateKeyFault(plain.public)).toMatch(/public key/);
    expect(await privateKeyFault('no key')).toMatch(/OpenSSH or PEM/);
  });
});

describe('a directory', () => {
  test('lists its regular files, no links or directories, and no name that leads elsewhere', async () => {
    await mkdir(join(server.root, 'mixed', 'inner'), { recursive: true });
    await writeFile(join(server.root, 'mixed', 'file.csv'), 'abc');
    await writeFile(join(server.root, 'mixed', 'x'.repeat(255)), 'abcd');
    await symlink('/etc/passwd', join(server.root, 'mixed', 'link.csv'));
    const parts = [['../../etc/passwd', '..', 'a/b.csv', 'a\nb.csv', 'x'.repeat(256)], undefined];
    server.faults.names = () => parts.shift();
    const listed = await connected((session) => session.list('mixed'));
    expect(listed.toSorted((a, b) => a.size - b.size)).toEqual([
      { name: 'file.csv', size: 3, modifiedAt: expect.any(Number) },
      { name: 'x'.repeat(255), size: 4, modifiedAt: expect.any(Number) },
    ]);
    expect(await connected((session) => session.find('mixed/link.csv'))).toBeUndefined();
    expect(await connected((session) => session.find('mixed/none.csv'))).toBeUndefined();
    await expect(connected((session) => session.list('nowhere'))).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of endless names is given up', async () => {
    let asked = 0;
    server.faults.names = () => Array.from({ length: 500 }, () => `${'n'.repeat(60)}-${(asked += 1)}.csv`);
    await expect(connected((session) => session.list('.'))).rejects.toMatchObject({ code: 'too_many_entries' });
    expect(asked).toBeLessThan(12_000);
    await allGone();
  });
});

describe('a file', () => {
  const content = Buffer.alloc(3_000_000, 'a line of a file\n');

  test('is written and read back equal, also over an existing one', async () => {
    const read = await connected(async (session) => {
      for (const bytes of [Buffer.from('shorter'), content]) {
        await session.write('draft', Readable.from([bytes]));
        await session.rename('draft', 'whole.csv');
      }
      return buffer(session.read('whole.csv', content.length));
    });
    expect(read.equals(content)).toBe(true);
    expect((await readFile(join(server.root, 'whole.csv'))).length).toBe(content.length);
    await allGone();
  });

  test('that is cut off in the middle is an error, and so is a server that falls silent', async () => {
    await writeFile(join(server.root, 'long.csv'), content);
    server.faults.cutAfter = 1_000_000;
    const read = (idleMs: number) =>
      connected((session) => buffer(session.read('long.csv', content.length)), { idleMs });
    await expect(read(10_000)).rejects.toMatchObject({ code: 'disconnected' });
    server.faults.cutAfter = undefined;
    server.faults.silentAt = 'READ';
    await expect(read(200)).rejects.toMatchObject({ code: 'timeout' });
    server.faults.silentAt = 'READDIR';
    await expect(connected((session) => session.list('.'), { idleMs: 200 })).rejects.toMatchObject({ code: 'timeout' });
    server.faults.silentAt = 'WRITE';
    const write = connected((session) => session.write('w.csv', Readable.from([content])), { idleMs: 200 });
    await expect(write).rejects.toMatchObject({ code: 'timeout' });
    server.faults.silentAt = undefined;
    // The last bytes are on their way when the connection ends.
    server.faults.cutAfter = 0;
    const short = connected((session) => session.write('w.csv', Readable.from([Buffer.from('short')])));
    await expect(short).rejects.toMatchObject({ code: 'disconnected' });
    await allGone();
  });

  test('is aborted with the caller', async () => {
    server.faults.silentAt = 'READDIR';
    const ending = new AbortController();
    const listing = connected((session) => session.list('.'), { signal: ending.signal });
    await expect.poll(() => server.connections.size).toBe(1);
    ending.abort();
    await expect(listing).rejects.toThrow();
    await allGone();
  });
});
