import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { ftpSuffix, lacksFtp, startFtpServer, user, type FtpServer } from '#test/infra/ftp/ftp-server.ts';
import { type HostileFtpServer, startHostileFtpServer } from '#test/infra/ftp/hostile-ftp-server.ts';
import { openRemote } from './remote-ports.ts';

const kinds = ['explicit', 'implicit', 'none'] as const;

describe.skipIf(lacksFtp)(`files on an FTP server${ftpSuffix}`, () => {
  let servers: Record<(typeof kinds)[number], FtpServer>;
  let remote: ReturnType<typeof openRemote>;

  beforeAll(async () => {
    servers = {
      explicit: await startFtpServer('explicit'),
      implicit: await startFtpServer('implicit'),
      // PASV names this address, which nothing may connect to.
      none: await startFtpServer('none', [
        'MaxStoreFileSize 1 Mb',
        'MasqueradeAddress 192.0.2.1',
        '<Limit EPSV>',
        'DenyAll',
        '</Limit>',
      ]),
    };
    remote = openRemote(
      Object.values(servers)
        .map(({ allow }) => allow)
        .join(),
      'core:ftp',
    );
  });
  afterAll(async () => {
    await remote.close();
    for (const server of Object.values(servers)) await server.close();
  });

  const run = (slug: string, config: object, more: object = {}, security: (typeof kinds)[number] = 'explicit') => {
    const { host, port, ca } = servers[security];
    return remote.run(slug, config, { ...user, host, port: String(port), security, ca, ...more });
  };
  const place = async (name: string, content: string, security: (typeof kinds)[number] = 'explicit') => {
    const directory = join(servers[security].root, 'out');
    await mkdir(directory, { recursive: true });
    // The server writes as another user if the tests run as root.
    await chmod(directory, 0o777);
    await writeFile(join(directory, name), content);
  };

  test.each(kinds)('are written, listed, fetched, moved and deleted with TLS %s', async (security) => {
    for (const name of ['b.csv', "a b'ü.csv", 'c.csv'])
      await run('put-file', { path: name, content: `größe of ${name}` }, {}, security);
    const listed = await run('list-files', { limit: 1 }, {}, security);
    expect(listed.outputs).toMatchObject({
      files: [{ name: "a b'ü.csv", path: "a b'ü.csv", size: 21, modified_at: expect.stringMatching(/^\d{4}-.*Z$/) }],
      complete: false,
    });
    const got = await run('get-file', { path: "a b'ü.csv" }, {}, security);
    expect(got.outputs).toMatchObject({ file: { name: "a b'ü.csv", size: 21 }, modified_at: expect.any(String) });
    await run('move-file', { path: 'b.csv', to: 'c.csv' }, {}, security);
    expect(await readFile(join(servers[security].root, 'c.csv'), 'utf8')).toBe('größe of b.csv');
    await run('delete-file', { path: 'c.csv' }, {}, security);
    await run('delete-file', { path: 'c.csv' }, {}, security);
    expect(await readdir(servers[security].root)).toEqual(["a b'ü.csv"]);
  });

  test('are passed on as streams, under another name until they are complete', async () => {
    await place('big.bin', 'x'.repeat(5_000_000));
    const { outputs } = await run('get-file', { path: 'out/big.bin' });
    const file = outputs['file'] as FileReference;
    expect((await run('put-file', { path: 'out/', content: file })).outputs).toEqual({
      path: 'out/big.bin',
      size: 5_000_000,
    });
    expect(await readdir(join(servers.explicit.root, 'out'))).toEqual(['big.bin']);
  });

  test('stay as they were when the server refuses the new content', async () => {
    await writeFile(join(servers.none.root, 'kept.csv'), 'old');
    await expect(
      run('put-file', { path: 'kept.csv', content: 'x'.repeat(1_500_000) }, {}, 'none'),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^FTP_(REFUSED|DISCONNECTED)$/) });
    expect(await readFile(join(servers.none.root, 'kept.csv'), 'utf8')).toBe('old');
  });

  test('are not written where the user may not', async () => {
    const locked = join(servers.explicit.root, 'locked');
    await mkdir(locked);
    await chmod(locked, 0o555);
    await expect(run('put-file', { path: 'locked/a.csv', content: 'a' })).rejects.toMatchObject({
      code: 'FTP_PERMISSION',
      retryable: false,
    });
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ['a wrong password', { password: 'secret-and-wrong' }, 'FTP_AUTH'],
    ['a line break in the user', { username: 'shop\r\nDELE kept.csv' }, 'FTP_AUTH'],
    ['a certificate of an authority that is not known', { ca: undefined }, 'FTP_TLS'],
    ['a server that offers no TLS', { port: '2121', host: 'none' }, 'FTP_TLS'],
    ['TLS from the first byte at the wrong port', { security: 'implicit' }, 'FTP_TLS'],
    ['no TLS where the server requires it', { security: 'none' }, 'FTP_AUTH'],
    ['a host that is not allowed', { host: '10.0.0.1' }, 'FTP_REFUSED_ADDRESS'],
  ])('fail at %s', async (_what, more, code) => {
    const to = more['host'] === 'none' ? { ...more, host: servers.none.host } : more;
    const error = await run('list-files', {}, to).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, retryable: false });
    expect(String(error)).not.toContain('secret-and-wrong');
  });

  test.each([
    ['list-files', { path: 'none' }],
    ['get-file', { path: 'none.csv' }],
    ['put-file', { path: 'none/a.csv', content: 'a' }],
    ['move-file', { path: 'none.csv', to: 'b.csv' }],
  ])('%s fails for what is not there', async (slug, config) => {
    await expect(run(slug, config)).rejects.toMatchObject({ code: 'FTP_NOT_FOUND', retryable: false });
  });
});

describe('a hostile FTP server', () => {
  let server: HostileFtpServer;
  let remote: ReturnType<typeof openRemote>;

  beforeEach(async () => {
    server = await startHostileFtpServer();
    remote = openRemote(`127.0.0.1:${server.port},127.0.0.1:${server.dataPort}`, 'core:ftp');
  });
  afterEach(async () => {
    await remote.close();
    await server.close();
  });
  const login = () => ({ ...user, host: '127.0.0.1', port: String(server.port), security: 'none' });
  const run = (slug: string, config: object) => remote.run(slug, config, login());
  const facts = (name: string) => `type=file;size=1;modify=20260101000000; ${name}\r\n`;

  test('cannot choose where data connections go', async () => {
    // A port that the operator has not allowed, and another address with one that is.
    server.answers = { EPSV: '229 Passive (|||5432|)' };
    await expect(run('list-files', {})).rejects.toMatchObject({ code: 'FTP_REFUSED_ADDRESS' });
    server.data = facts('here.csv');
    const [high, low] = [Math.floor(server.dataPort / 256), server.dataPort % 256];
    server.answers = { EPSV: '500 What?', PASV: `227 Passive (10,0,0,1,${high},${low})` };
    expect((await run('list-files', {})).outputs).toMatchObject({ files: [{ name: 'here.csv' }] });
  });

  test.each(['229 Passive (|||0|)', '229 Passive (|||99999|)', '229 Passive'])(
    'fails the step with the port in %j',
    async (answer) => {
      server.answers = { EPSV: answer };
      await expect(run('list-files', {})).rejects.toMatchObject({ code: 'FTP_REFUSED' });
    },
  );

  test('hides names that lead elsewhere, and cannot list without an end', async () => {
    server.data = ['../up.csv', '..', 'a\tb.csv', 'out/x.csv', 'good.csv'].map(facts).join('');
    expect((await run('list-files', { path: 'out' })).outputs).toMatchObject({ files: [{ path: 'out/good.csv' }] });
    server.data = Array.from({ length: 10_001 }, (_, index) => facts(`n${index}`)).join('');
    await expect(run('list-files', {})).rejects.toMatchObject({ code: 'FTP_TOO_MANY_FILES' });
    server.data = facts('n'.repeat(9_000_000));
    await expect(run('list-files', {})).rejects.toMatchObject({ code: 'FTP_TOO_MANY_FILES' });
  });

  test.each(['213 sometime', '500 What?'])('tells no time if it answers %j', async (answer) => {
    server.answers = { MDTM: answer };
    server.data = '0123456789';
    expect((await run('get-file', { path: 'a.csv' })).outputs).toMatchObject({ modified_at: null, file: { size: 10 } });
  });

  test('fails the step if a list has invalid times', async () => {
    server.data = 'type=file;size=10;modify=sometime; a.csv\r\n';
    await expect(run('list-files', {})).rejects.toMatchObject({ code: 'FTP_REFUSED' });
  });

  test.each([
    ['sends a part of a file', '226 Done', 'FTP_CHANGED'],
    ['gives up a file', '426 Broken', 'FTP_UNAVAILABLE'],
  ])('fails the step when it %s', async (_what, end, code) => {
    server.data = '01234';
    server.answers = { RETR: `150 Here it comes\r\n${end}` };
    await expect(run('get-file', { path: 'a.csv' })).rejects.toMatchObject({ code, retryable: true });
    expect(remote.files.size).toBe(0);
  });

  test('fails the step when it cuts the connection', async () => {
    server.answers = {
      RETR: (control) => {
        control.destroySoon();
        return '150 Here it comes';
      },
    };
    await expect(run('get-file', { path: 'a.csv' })).rejects.toMatchObject({
      code: 'FTP_DISCONNECTED',
      retryable: true,
    });
  });

  test('gets neither user nor password without TLS', async () => {
    server.answers = { AUTH: '502 No' };
    await expect(remote.run('list-files', {}, { ...login(), security: 'tls' })).rejects.toMatchObject({
      code: 'FTP_TLS',
    });
    expect(server.commands.join()).toMatch(/^AUTH TLS(,QUIT)?$/);
  });

  test.each(['USER', 'MLSD'])('ends with its step while it is silent at %s', async (command) => {
    server.answers = { [command]: null };
    const stop = new AbortController();
    const reason = new Error('stopped');
    const listing = remote.run('list-files', {}, login(), stop.signal);
    await vi.waitFor(() => expect(server.commands.some((line) => line.startsWith(command))).toBe(true));
    stop.abort(reason);
    await expect(listing).rejects.toBe(reason);
  });

  test.each(['../etc/passwd', 'a\r\nDELE b', 'a\nb', 'a\0b', ''])('gets no command for the path %j', async (path) => {
    await expect(run('get-file', { path })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    expect(server.commands).toEqual([]);
  });
});
