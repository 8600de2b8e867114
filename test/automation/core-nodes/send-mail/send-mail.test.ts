import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openRemote } from '#test/automation/core-nodes/remote-files/remote-ports.ts';
import { type MailServer, startMailServer } from '#test/infra/mail/mail-server.ts';

const user = { name: 'shop', password: 'correct horse' };
let ca: string;
let servers: Record<'starttls' | 'implicit' | 'none', MailServer>;
let remote: ReturnType<typeof openRemote>;

beforeAll(async () => {
  const pair = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  ca = pair.cert;
  const tls = { key: pair.private, cert: pair.cert };
  servers = {
    starttls: await startMailServer({ tls: { ...tls, from: 'starttls' }, user }),
    implicit: await startMailServer({ tls: { ...tls, from: 'first byte' }, user }),
    none: await startMailServer({ user }),
  };
  remote = openRemote(
    Object.values(servers)
      .map(({ url }) => new URL(url).host)
      .join(','),
    'core:smtp',
  );
});
afterEach(() => {
  for (const server of Object.values(servers)) {
    Object.assign(server, { answer: null });
    server.mails.length = 0;
    server.refused.clear();
  }
});
afterAll(async () => {
  await remote.close();
  for (const server of Object.values(servers)) await server.stop();
});

const page = await readFile(new URL('../../../../docs/protocols.md', import.meta.url), 'utf8');
const example = JSON.parse(/^```json mail\n([^`]*)```/m.exec(page)?.[1] ?? '') as object;
const mail = { to: 'a@example.com', subject: 'Hello', text: 'A text' };

const send = (config: object, more: Readonly<Record<string, string>> = {}, tls: keyof typeof servers = 'starttls') => {
  const { hostname: host, port } = new URL(servers[tls].url);
  const login = { host, port, tls, ca, username: user.name, password: user.password };
  return remote.run('send-mail', config, { ...login, from: 'The shop <shop@example.com>', ...more });
};

test.each(['starttls', 'implicit', 'none'] as const)('sends a mail to all its addresses with TLS %s', async (tls) => {
  const config = { ...mail, cc: ['B <b@example.com>'], bcc: 'c@example.com; d@example.com', html: '<b>größe</b>' };
  const { outputs } = await send(config, {}, tls);
  const [taken] = servers[tls].mails;
  const everyone = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];
  expect(taken?.to).toEqual(everyone);
  expect(taken?.headers.get('from')).toBe('The shop <shop@example.com>');
  expect(taken?.headers.has('bcc')).toBe(false);
  // An IP address is no server name (RFC 6066).
  expect(servers[tls].serverName).toBe(tls === 'none' ? null : false);
  expect(outputs).toEqual({ message_id: taken?.headers.get('message-id'), accepted: everyone, rejected: [] });
});

test('sends the example of the page with its attachment', async () => {
  const content = Buffer.alloc(300_000, 7);
  const file = await remote.create(
    { name: 'order.pdf', type: 'application/pdf' },
    Readable.from([content], { objectMode: false }),
  );
  await send({ ...example, subject: 'Order 1', attachments: [file] });
  const [taken] = servers.starttls.mails;
  expect(taken?.headers.get('reply-to')).toBe('shop@example.com');
  expect(taken?.raw).toContain('filename=order.pdf');
  expect(taken?.raw.replaceAll('\r\n', '')).toContain(content.toString('base64'));
});

test('gives every attempt at a step the same id, and other mails others', async () => {
  const ids = [];
  for (const subject of ['One', 'One', 'Two']) ids.push((await send({ ...mail, subject })).outputs['message_id']);
  expect(ids[0]).toMatch(/^<[0-9a-f]{40}@example\.com>$/);
  expect([ids[1] === ids[0], ids[2] === ids[0]]).toEqual([true, false]);
});

test('says which addresses were refused, and fails if all were', async () => {
  servers.starttls.refused.add('a@example.com');
  const { outputs } = await send({ ...mail, to: 'a@example.com, b@example.com' });
  expect(outputs).toMatchObject({ accepted: ['b@example.com'], rejected: ['a@example.com'] });
  await expect(send(mail)).rejects.toMatchObject({ code: 'SMTP_REFUSED', retryable: false });
});

test.each([
  [{ to: 'a@example.com\r\nBcc: evil@example.com' }],
  [{ to: ['A\nB <a@example.com>'] }],
  [{ to: 'a b@example.com' }],
  [{ to: '' }],
  [{ subject: 'A\r\nBcc: evil@example.com' }],
  [{ text: '' }],
  [{ attachments: ['/etc/passwd'] }],
])('refuses %j', async (more) => {
  await expect(send({ ...mail, ...more })).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
});

describe('fails', () => {
  test.each([
    ['a wrong password', { password: 'wrong-and-secret' }, 'SMTP_AUTH'],
    ['a certificate that is not trusted', { ca: '' }, 'SMTP_TLS'],
    ['an address that may not be called', { host: '10.0.0.1' }, 'SMTP_REFUSED_ADDRESS'],
    ['a port of another protocol', { port: '22' }, 'SMTP_REFUSED_PORT'],
  ])('at %s', async (_what, more, code) => {
    const error = await send(mail, more).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, retryable: false });
    expect(String(error)).not.toContain('wrong-and-secret');
  });

  test('at a server without TLS, and sends it no password', async () => {
    const { port } = new URL(servers.none.url);
    await expect(send(mail, { port })).rejects.toMatchObject({ code: 'SMTP_TLS' });
    expect(servers.none.mails).toEqual([]);
  });

  test.each([
    [451, true],
    [554, false],
  ])('when the server answers %i, which is tried again: %s', async (code, retryable) => {
    servers.starttls.answer = { code, message: 'Not now' };
    await expect(send(mail)).rejects.toMatchObject({ code: 'SMTP_REFUSED', retryable });
  });

  test('when its step is stopped while the server is silent', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((listening) => silent.listen(0, '127.0.0.1', listening));
    const { port } = silent.address() as AddressInfo;
    const other = openRemote(`127.0.0.1:${port}`, 'core:smtp');
    const stop = new AbortController();
    const fields = { host: '127.0.0.1', port: String(port), from: 'a@example.com' };
    const sending = other.run('send-mail', mail, fields, stop.signal);
    silent.once('connection', () => stop.abort(new Error('stopped')));
    await expect(sending).rejects.toThrow('stopped');
    await other.close();
    await new Promise((closed) => silent.close(closed));
  });
});
