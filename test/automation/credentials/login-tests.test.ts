import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { testCredential, testCredentialConfig } from '#src/automation/credentials/credential-tests.service.ts';
import { createCredential } from '#src/automation/credentials/credentials.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { ftpSuffix, type FtpServer, lacksFtp, startFtpServer, user } from '#test/infra/ftp/ftp-server.ts';
import { startHostileImapServer } from '#test/infra/imap/hostile-imap-server.ts';
import { imapSuffix, type ImapServer, lacksImap, startImapServer } from '#test/infra/imap/imap-server.ts';
import { type MailServer, startMailServer } from '#test/infra/mail/mail-server.ts';
import { startSftpServer, type TestSftpServer } from '#test/infra/sftp/sftp-server.ts';
import { lacksS3, s3Suffix, startS3Server } from '#test/infra/storage/s3-server.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const actor = systemActor('acme', 'acme-shop');

/** Tests a config with the server allowed, and shows the outcome without places that differ from run to run. */
async function tryLogin(api: TestApp, slug: string, { allow, ...config }: Record<string, unknown> & { allow: string }) {
  for (const each of allow.split(',')) api.egressAllow.add(each);
  return testCredentialConfig(api.deps, actor, { credentialTypeSlug: `core:${slug}`, config });
}

type Change = Record<string, unknown>;
const succeeded = { outcome: 'succeeded' };
const failed = (message: RegExp) => ({ outcome: 'failed', message: expect.stringMatching(message) });
/** Faults of every server that is reached over a socket. */
const places: [name: string, change: Change, expected: object][] = [
  ['an unknown host', { host: 'nothing.invalid' }, failed(/could not be resolved/)],
  ['an address that is refused', { host: '127.0.0.99' }, failed(/add 127\.0\.0\.99:\d+ to EGRESS_ALLOW/)],
];
const wrongPassword: [string, Change, object] = ['a wrong password', { password: 'wrong' }, failed(/refused the user/)];
const otherAuthority: [string, Change, object] = ['no trust in the certificate', { ca: null }, failed(/TLS|trusted/)];

describe('the test of an SFTP credential', () => {
  let server: TestSftpServer;
  beforeAll(async () => {
    server = await startSftpServer();
  });
  afterAll(() => server.close());

  test.for<[string, Change, object]>([
    ['the right login', {}, succeeded],
    wrongPassword,
    ['no host key yet', { host_key: null }, failed(/shows the host key SHA256:.*enter it in the credential/)],
    ['another host key', { host_key: `SHA256:${'A'.repeat(43)}` }, failed(/is not the pinned one/)],
    ...places,
  ])('answers for %s', async ([, change, expected], { api }) => {
    const { host, port, hostKey } = server;
    const config = { allow: `${host}:${port}`, host, port, ...user, host_key: hostKey };
    expect(await tryLogin(api, 'sftp', { ...config, ...change })).toMatchObject(expected);
  });
});

describe.skipIf(lacksFtp)(`the test of an FTP credential${ftpSuffix}`, () => {
  let server: FtpServer;
  beforeAll(async () => {
    server = await startFtpServer('explicit');
  });
  afterAll(() => server.close());

  test.for<[string, Change, object]>([['the right login', {}, succeeded], wrongPassword, otherAuthority, ...places])(
    'answers for %s',
    async ([, change, expected], { api }) => {
      const { allow, host, port, ca } = server;
      const config = { allow, host, port, ca, ...user };
      expect(await tryLogin(api, 'ftp', { ...config, ...change })).toMatchObject(expected);
    },
  );
});

describe.skipIf(lacksImap)(`the test of an IMAP credential${imapSuffix}`, () => {
  let server: ImapServer;
  beforeAll(async () => {
    server = await startImapServer();
  });
  afterAll(() => server.close());

  test.for<[string, Change, object]>([['the right login', {}, succeeded], wrongPassword, otherAuthority, ...places])(
    'answers for %s',
    async ([, change, expected], { api }) => {
      const { allow, host, securePort: port, ca } = server;
      const config = { allow, host, port, ca, ...user };
      expect(await tryLogin(api, 'imap', { ...config, ...change })).toMatchObject(expected);
    },
  );

  test('asks to connect a credential of OAuth first', async ({ api }) => {
    const urls = { authorize_url: 'https://a.example/a', token_url: 'https://a.example/t' };
    const client = { client_id: 'causeway', client_secret: 'a-secret', ...urls };
    const config = { allow: server.allow, host: server.host, username: user.username, ...client };
    expect(await tryLogin(api, 'imap-oauth2', config)).toMatchObject(failed(/connect it/));
  });
});

describe('the test of an SMTP credential', () => {
  let server: MailServer;
  beforeAll(async () => {
    server = await startMailServer({ user: { name: user.username, password: user.password } });
  });
  afterAll(() => server.stop());

  test.for<[string, Change, object]>([
    ['the right login', {}, { ...succeeded, message: 'The server accepted the login.' }],
    ['no user', { username: null, password: null }, { ...succeeded, message: expect.stringContaining('nobody') }],
    wrongPassword,
    ['TLS that the server does not have', { tls: 'starttls' }, failed(/offers no TLS/)],
    ...places,
  ])('answers for %s, and sends no mail', async ([, change, expected], { api }) => {
    const { host: allow, hostname: host, port } = new URL(server.url);
    const config = { allow, host, port: Number(port), tls: 'none', from: 'shop@example.com', ...user };
    expect(await tryLogin(api, 'smtp', { ...config, ...change })).toMatchObject(expected);
    expect(server.mails).toEqual([]);
  });
});

test('a mail server that refuses the connection is quoted without the login that it repeats', async ({
  api,
  onTestFinished,
}) => {
  const login = Buffer.from(`\0${user.username}\0${user.password}`).toString('base64');
  const server = createServer((socket) => socket.end(`554 Go away ${user.password} ${login}\r\n`));
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const allow = `127.0.0.1:${port}`;
  const config = { allow, host: '127.0.0.1', port, tls: 'none', from: 'shop@example.com', ...user };
  const { outcome, message } = await tryLogin(api, 'smtp', config);
  expect([outcome, message]).toEqual([
    'failed',
    expect.stringMatching(/ refused the connection: 554 Go away \[redacted\]/),
  ]);
  expect(message).not.toContain(login);
});

describe.skipIf(lacksS3)(`the test of an S3 credential${s3Suffix}`, () => {
  let server: Awaited<ReturnType<typeof startS3Server>>;
  let config: Record<string, unknown> & { allow: string };
  beforeAll(async () => {
    server = await startS3Server();
    const { endpoint, region, credentials } = await server.makeBucket('tested');
    const keys = { access_key_id: credentials.accessKeyId, secret_access_key: credentials.secretAccessKey };
    config = { allow: new URL(endpoint).host, bucket: 'tested', region, endpoint, path_style: true, ...keys };
  });
  afterAll(() => server.stop());

  test.for<[string, Change, object]>([
    ['the right key', {}, succeeded],
    ['a wrong secret', { secret_access_key: 'wrong' }, failed(/does not accept the access key/)],
    ['a bucket that is missing', { bucket: 'nowhere' }, failed(/does not exist/)],
    ['an address that is refused', { endpoint: 'https://127.0.0.99' }, failed(/EGRESS_ALLOW/)],
  ])('answers for %s', async ([, change, expected], { api }) => {
    expect(await tryLogin(api, 's3', { ...config, ...change })).toMatchObject(expected);
  });
});

test('a server that does not answer fails the test of a stored credential, whose outcome is kept', async ({
  api,
  onTestFinished,
}) => {
  const server = await startHostileImapServer();
  onTestFinished(() => server.close());
  server.answers['EXAMINE'] = (socket) => void socket.end();
  api.egressAllow.add(`127.0.0.1:${server.port}`);
  const { id } = await createCredential(api.deps, actor, {
    credentialTypeSlug: 'core:imap',
    name: 'Closing',
    config: { ...user, host: '127.0.0.1', port: server.port, tls: 'none' },
  });
  const tested = await testCredential(api.deps, actor, id);
  expect(tested).toMatchObject({ ...failed(/closed the connection/), credential: { lastTestOk: false } });
});

test('a type without a test is kept as not tested, and REST calls that not ok', async ({ api }) => {
  const { id } = await createCredential(api.deps, actor, {
    credentialTypeSlug: 'core:bearer',
    name: 'Untested',
    config: { token: 'a-token' },
  });
  const { data } = await api.graphql<{ testCredential: { credential: { id: string } } }>(
    `mutation ($id: ID!) { testCredential(input: { id: $id }) { ... on TestCredentialPayload {
      ok outcome message lastTestOk credential { id lastTestOk lastTestOutcome }
    } } }`,
    { id: Buffer.from(`Credential:${id}`).toString('base64') },
  );
  expect(data.testCredential).toMatchObject({
    ok: false,
    outcome: 'NOT_TESTED',
    lastTestOk: false,
    message: expect.stringContaining('nothing was called'),
    credential: { lastTestOk: false, lastTestOutcome: 'NOT_TESTED' },
  });
});
