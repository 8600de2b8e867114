import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FileReference } from '#src/automation/node-api/file-reference.ts';
import { openRemote } from '#test/automation/core-nodes/remote-files/remote-ports.ts';
import { imapSuffix, type ImapServer, lacksImap, startImapServer, user } from '#test/infra/imap/imap-server.ts';
import { hostileMails } from './hostile-mails.ts';

/** The part of an OAuth provider that tells a mail server whose token it was given. */
async function startTokenInfo() {
  const valid = 'token-of-the-shop';
  const provider = createServer((request, response) => {
    const isValid = new URL(request.url ?? '', 'http://localhost').searchParams.get('token') === valid;
    response.writeHead(isValid ? 200 : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isValid ? { user: user.username, active: true } : { error: 'invalid_token' }));
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  return {
    valid,
    url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`,
    close: async (): Promise<void> => new Promise((closed) => provider.close(() => closed())),
  };
}

interface ListedMail {
  uid: number;
  subject: string;
  [member: string]: unknown;
}

const order = [
  'From: =?utf-8?q?M=C3=BCller?= <mueller@example.com>',
  'To: Shop <shop@example.com>, sales@example.com',
  'Reply-To: orders@example.com',
  'Subject: =?iso-8859-1?q?Gr=F6=DFe_42?=',
  'Date: Sat, 31 Jan 2026 12:00:00 +0100',
  'Message-ID: <order-1@example.com>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=edge',
  '',
  '--edge',
  'Content-Type: multipart/alternative; boundary=inner',
  '',
  '--inner',
  'Content-Type: text/plain; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Bitte 2 St=FCck.',
  '--inner',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Bitte 2 Stück.</p>',
  '--inner--',
  '--edge',
  'Content-Type: text/csv; name="orders.csv"',
  'Content-Disposition: attachment; filename="../orders.csv"',
  'Content-Transfer-Encoding: base64',
  '',
  Buffer.from('sku,qty\nA,2\n').toString('base64'),
  '--edge',
  'Content-Type: message/rfc822',
  '',
  'From: other@example.com',
  'Subject: Inner',
  '',
  'inner text',
  '--edge--',
  '',
].join('\r\n');

const plain = (subject: string): string =>
  `Message-ID: <${subject}@example.com>\r\nFrom: a@example.com\r\nSubject: ${subject}\r\n\r\ntext of ${subject}\r\n`;

describe.skipIf(lacksImap)(`mailboxes on an IMAP server${imapSuffix}`, () => {
  let server: ImapServer;
  let tokens: Awaited<ReturnType<typeof startTokenInfo>>;
  let remote: ReturnType<typeof openRemote>;
  beforeAll(async () => {
    tokens = await startTokenInfo();
    server = await startImapServer({ tokenInfo: tokens.url });
    remote = openRemote(`${server.allow},${server.host}:9994`, 'core:imap');
  });
  afterAll(async () => {
    await remote.close();
    await server.close();
    await tokens.close();
  });
  beforeEach(async () => {
    await server.manage('expunge', 'mailbox', 'INBOX', 'all');
  });

  const run = (slug: string, config: object = {}, fields: object = {}) => {
    const { host, securePort, ca } = server;
    return remote.run(slug, config, { ...user, host, port: String(securePort), ca, ...fields });
  };
  const list = async (config: object = {}) => {
    const { outputs } = await run('list-mails', config);
    return outputs as { mails: ListedMail[]; position: string; complete: boolean };
  };
  const subjects = ({ mails }: { mails: ListedMail[] }) => mails.map(({ subject }) => subject);

  test('are listed in the order of arrival, from a position on', async () => {
    for (const name of ['1', '2', '3']) await server.deliver(plain(name));
    const first = await list({ limit: 2 });
    expect(subjects(first)).toEqual(['1', '2']);
    expect(first.complete).toBe(false);
    const second = await list({ limit: 2, after: first.position });
    expect(subjects(second)).toEqual(['3']);
    expect(second.complete).toBe(true);
    expect(await list({ after: second.position })).toEqual({ mails: [], position: second.position, complete: true });
    await server.deliver(plain('4'));
    expect(subjects(await list({ after: second.position }))).toEqual(['4']);
    expect(subjects(await list({ since: '2100-01-01' }))).toEqual([]);
    expect(subjects(await list({ since: '2001-01-01' }))).toHaveLength(4);
  });

  test('are listed from the beginning after the server has renumbered them, with the same ids', async () => {
    for (const name of ['1', '2']) await server.deliver(plain(name));
    const before = await list();
    await server.manage('mailbox update', '--uid-validity', '1234', 'INBOX');
    const after = await list({ after: before.position });
    expect(after.position).toMatch(/^1234:/);
    expect(after.mails.map(({ id }) => id)).toEqual(before.mails.map(({ id }) => id));
  });

  test('have names, subjects and texts in any charset, and attachments as files', async () => {
    await server.deliver(order);
    const [mail] = (await list()).mails;
    const members = {
      message_id: '<order-1@example.com>',
      date: '2026-01-31T11:00:00.000Z',
      received_at: expect.stringMatching(/^\d{4}-.*Z$/),
      from: { name: 'Müller', address: 'mueller@example.com' },
      reply_to: [{ name: '', address: 'orders@example.com' }],
      to: [
        { name: 'Shop', address: 'shop@example.com' },
        { name: '', address: 'sales@example.com' },
      ],
      cc: [],
      subject: 'Größe 42',
      seen: false,
    };
    expect(mail).toMatchObject(members);
    const { outputs } = await run('get-mail', { mail });
    expect(outputs).toMatchObject({ ...mail, complete: true });
    expect(String(outputs['text']).trim()).toBe('Bitte 2 Stück.');
    expect(String(outputs['html']).trim()).toBe('<p>Bitte 2 Stück.</p>');
    const files = outputs['attachments'] as FileReference[];
    expect(files.map(({ name, type }) => [name, type])).toEqual([
      ['orders.csv', 'text/csv'],
      ['mail.eml', 'message/rfc822'],
    ]);
    expect(remote.files.get(files[0]?.file ?? '')?.bytes.toString()).toBe('sku,qty\nA,2\n');
    expect((await list()).mails[0]?.['seen']).toBe(false);
  });

  test('are marked as read and moved, and their new place is told', async () => {
    await server.manage('mailbox create', 'Done').catch(() => undefined);
    await server.deliver(plain('1'));
    const [mail] = (await list()).mails;
    await run('mark-mail', { mail });
    expect((await list()).mails[0]?.['seen']).toBe(true);
    await run('mark-mail', { mail, seen: false });
    expect((await list()).mails[0]?.['seen']).toBe(false);
    const { outputs: moved } = await run('move-mail', { mail, to: 'Done' });
    expect(moved).toMatchObject({ mailbox: 'Done', uid: expect.any(Number) });
    expect((await run('get-mail', { mail: moved })).outputs).toMatchObject({ subject: '1' });
    for (const slug of ['get-mail', 'mark-mail'])
      await expect(run(slug, { mail })).rejects.toMatchObject({ code: 'IMAP_NOT_FOUND' });
    await expect(run('move-mail', { mail, to: 'Done' })).rejects.toMatchObject({ code: 'IMAP_NOT_FOUND' });
    await expect(run('move-mail', { mail: moved, to: 'Nowhere' })).rejects.toMatchObject({ code: 'IMAP_REFUSED' });
  });

  test.each(Object.entries(hostileMails))('do not hold up the list if one is hostile: %s', async (_name, mail) => {
    await server.deliver(mail.source);
    await server.deliver(plain('after'));
    const { mails } = await list();
    expect(mails).toHaveLength(2);
    expect(mails[1]?.subject).toBe('after');
    expect(JSON.stringify(mails[0]).length).toBeLessThan(60_000);
    const read = await run('get-mail', { mail: mails[0] }).then(
      ({ outputs }) => outputs,
      ({ code }: { code: string }) => code,
    );
    expect(read).toEqual(mail.read);
  });

  test('are read with an access token of OAuth', async () => {
    const withToken = openRemote(server.allow, 'core:imap-oauth2');
    const { host, securePort, ca } = server;
    const fields = { host, port: String(securePort), ca, username: user.username };
    const list = (access_token: string) => withToken.run('list-mails', {}, { ...fields, access_token });
    expect((await list(tokens.valid)).outputs).toMatchObject({ mails: [] });
    await expect(list('another')).rejects.toMatchObject({ code: 'IMAP_AUTH' });
    await withToken.close();
  });

  test.each(['starttls', 'implicit'])('are reached with TLS %s', async (tls) => {
    const port = String(tls === 'starttls' ? server.plainPort : server.securePort);
    expect((await run('list-mails', {}, { tls, port })).outputs).toMatchObject({ complete: true });
  });

  const failures: [name: string, code: string, fields: (to: ImapServer) => object, config?: object][] = [
    ['a wrong password', 'IMAP_AUTH', () => ({ password: 'wrong' })],
    ['an unknown mailbox', 'IMAP_NOT_FOUND', () => ({}), { mailbox: 'Nowhere' }],
    ['a certificate of another authority', 'IMAP_TLS', () => ({ ca: '' })],
    ['no TLS where the server requires it', 'IMAP_AUTH', (to) => ({ tls: 'none', port: String(to.plainPort) })],
    ['TLS from the first byte on the wrong port', 'IMAP_TLS', (to) => ({ port: String(to.plainPort) })],
    ['a refused address', 'IMAP_REFUSED_ADDRESS', () => ({ host: '127.0.0.1' })],
    ['a refused port', 'IMAP_REFUSED_PORT', () => ({ port: '25' })],
    ['a port where nothing listens', 'IMAP_CONNECT', () => ({ port: '9994' })],
  ];
  test.each(failures)('are not listed with %s', async (_name, code, fields, config = {}) => {
    await expect(run('list-mails', config, fields(server))).rejects.toMatchObject({ code });
  });
});
