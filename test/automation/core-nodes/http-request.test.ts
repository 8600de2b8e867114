import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllowList } from '#src/infra/egress/allow-list.ts';
import { createEgress } from '#src/infra/egress/egress.ts';
import type { Egress } from '#src/infra/egress/egress.ts';
import { run } from './context.ts';

let server: Server;
let egress: Egress;
let base = '';
const seen: { method?: string; url?: string; headers: IncomingMessage['headers']; body: string }[] = [];

const latinXml = Buffer.from('<?xml version="1.0" encoding="ISO-8859-15"?><a>5 \xa4</a>', 'latin1');
const answers: Record<string, { status?: number; type?: string; body?: string | Buffer }> = {
  '/json': { type: 'application/json; charset=utf-8', body: '{"ok":true}' },
  '/problem': { status: 404, type: 'application/problem+json', body: '{"title":"gone"}' },
  '/broken': { type: 'application/json', body: '{"ok":' },
  '/text': { type: 'text/plain', body: 'hé' },
  '/bytes': { type: 'application/octet-stream', body: Buffer.from([0xff, 0xfe, 0]) },
  '/latin': { type: 'text/plain; charset=iso-8859-1', body: Buffer.from('Käse', 'latin1') },
  '/latin-json': { type: 'application/json; charset="ISO-8859-1"', body: Buffer.from('{"a":"Käse"}', 'latin1') },
  '/latin-xml': { type: 'application/xml', body: latinXml },
  '/plain': { type: 'text/csv', body: Buffer.from('Käse', 'latin1') },
  '/utf-16': { type: 'text/csv; charset=utf-16', body: Buffer.from('\uFEFFKäse', 'utf16le') },
  '/shift': { type: 'text/html;charset=Shift_JIS', body: Buffer.from([0x83, 0x65]) },
  '/lies': { type: 'text/plain; charset=utf-8', body: Buffer.from([0xe4, 0x20]) },
  '/unknown': { type: 'text/plain; charset=klingon', body: Buffer.from([0xe4, 0x20]) },
  '/busy': { status: 503, type: 'text/plain', body: 'x'.repeat(5000) },
  '/empty': { status: 204 },
};

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      const { pathname } = new URL(request.url ?? '/', 'http://localhost');
      if (pathname === '/never') return;
      const answer = answers[pathname] ?? {};
      response.writeHead(answer.status ?? 200, answer.type === undefined ? {} : { 'content-type': answer.type });
      response.end(answer.body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  base = `http://${host}`;
  egress = createEgress({ allow: parseAllowList(host) });
});

afterAll(async () => {
  await egress.close();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const send = async (config: object, credential?: { type: string; fields: Record<string, string> }) =>
  run('core:http-request', config, {
    ports: {
      http: egress,
      ...(credential && {
        credentials: {
          open: async (id) => {
            expect(id).toBe('7');
            return { type: credential.type, field: async (name) => credential.fields[name] };
          },
        },
      }),
    },
  });

describe('the response', () => {
  test.each([
    ['/json', 200, { ok: true }],
    ['/broken', 200, '{"ok":'],
    ['/text', 200, 'hé'],
    ['/bytes', 200, Buffer.from([0xff, 0xfe, 0]).toString('base64')],
    ['/empty', 204, null],
    ['/latin', 200, 'Käse'],
    ['/latin-json', 200, { a: 'Käse' }],
    ['/latin-xml', 200, '<?xml version="1.0" encoding="ISO-8859-15"?><a>5 €</a>'],
    ['/plain', 200, 'Käse'],
    ['/utf-16', 200, 'Käse'],
    ['/shift', 200, 'テ'],
    ['/lies', 200, '5CA='],
    ['/unknown', 200, '5CA='],
  ])('%s', async (path, status, body) => {
    const { outputs, branch } = await send({ url: base + path });
    expect(outputs).toMatchObject({ status, body });
    expect(outputs.headers).toHaveProperty('date');
    expect(branch).toBeUndefined();
  });

  test.each([
    ['/problem', 404, false, { title: 'gone' }],
    ['/busy', 503, true, 'x'.repeat(5000)],
  ])('%s fails the step', async (path, status, retryable, body) => {
    const error: unknown = await send({ url: `${base}${path}?token=hidden` }).catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'HTTP_STATUS', retryable, details: { status, body } });
    expect((error as Error).message).toBe(`GET ${new URL(base).host} answered ${status}.`);
  });

  test('is returned with an error status if the config says so', async () => {
    const { outputs } = await send({ url: `${base}/problem`, fail_on_status: false });
    expect(outputs).toMatchObject({ status: 404, body: { title: 'gone' } });
  });
});

describe('the request', () => {
  test("that changes data carries the step's idempotency key, unless the config names one", async () => {
    await send({ method: 'POST', url: `${base}/json`, body: {} });
    const key = seen.at(-1)?.headers['idempotency-key'];
    expect(key).toEqual(expect.any(String));
    await send({ method: 'PUT', url: `${base}/json`, headers: { 'Idempotency-Key': 'mine' } });
    expect(seen.at(-1)?.headers['idempotency-key']).toBe('mine');
    await send({ url: `${base}/json` });
    expect(seen.at(-1)?.headers).not.toHaveProperty('idempotency-key');
  });

  test('sends an object as JSON and text unchanged', async () => {
    await send({ method: 'post', url: `${base}/json`, body: { a: 1 } });
    expect(seen.at(-1)).toMatchObject({
      method: 'POST',
      body: '{"a":1}',
      headers: { 'content-type': 'application/json' },
    });
    await send({
      method: 'PUT',
      url: `${base}/json`,
      body: '<a/>',
      headers: { 'Content-Type': 'text/xml', 'X-N': 1, 'X-Not': null },
    });
    expect(seen.at(-1)).toMatchObject({
      method: 'PUT',
      body: '<a/>',
      headers: { 'content-type': 'text/xml', 'x-n': '1' },
    });
    expect(seen.at(-1)?.headers).not.toHaveProperty('x-not');
  });

  test('adds the query to that of the URL', async () => {
    await send({ url: `${base}/json?a=1`, query: { b: 'x y&z', c: [1, true], d: null } });
    expect(seen.at(-1)?.url).toBe('/json?a=1&b=x+y%26z&c=1&c=true');
  });

  test.each([
    ['core:bearer', { token: 't0k' }, 'authorization', 'Bearer t0k'],
    ['core:oauth2', { access_token: 'acc' }, 'authorization', 'Bearer acc'],
    [
      'core:basic',
      { username: 'ann', password: 'ä:b' },
      'authorization',
      `Basic ${Buffer.from('ann:ä:b').toString('base64')}`,
    ],
    ['core:api-key', { header: 'X-Key', value: 'k' }, 'x-key', 'k'],
  ])('a credential of type %s', async (type, fields, header, value) => {
    await send({ url: `${base}/json`, credential: 7, headers: { Authorization: 'mine' } }, { type, fields });
    expect(seen.at(-1)?.headers[header]).toBe(value);
  });

  test.each([
    ['core:bearer', {}, 'CREDENTIAL_INCOMPLETE'],
    ['erp:login', { token: 'x' }, 'CREDENTIAL_UNUSABLE'],
    ['constructor', {}, 'CREDENTIAL_UNUSABLE'],
  ])('a credential of type %s with %j is refused', async (type, fields, code) => {
    await expect(send({ url: `${base}/json`, credential: '7' }, { type, fields })).rejects.toMatchObject({ code });
  });
});

describe('a request that cannot be sent', () => {
  test.each([
    [{ url: 'ftp://127.0.0.1/' }],
    [{ url: '/relative' }],
    [{ url: 'http://x/', method: 'TRACE' }],
    [{ url: 'http://x/', timeout_ms: 0 }],
    [{ url: 'http://x/', timeout_ms: 300_001 }],
    [{ url: 'http://x/', headers: { 'a b': '1' } }],
    [{ url: 'http://x/', headers: { a: '1\r\nx: y' } }],
    [{ url: 'http://x/', credential: 'abc' }],
    [{}],
  ])('%j', async (config) => {
    await expect(send(config)).rejects.toMatchObject({ code: 'INVALID_CONFIG', retryable: false });
  });

  test('a timeout is retried, a refused private address is not', async () => {
    await expect(send({ url: 'http://127.0.0.1:1/' })).rejects.toMatchObject({
      code: 'HTTP_REFUSED_PORT',
      retryable: false,
    });
    await expect(send({ url: 'http://10.0.0.1/' })).rejects.toMatchObject({
      code: 'HTTP_REFUSED_ADDRESS',
      retryable: false,
    });
    await expect(send({ url: `${base}/never`, timeout_ms: 50 })).rejects.toMatchObject({
      code: 'HTTP_TIMEOUT',
      retryable: true,
    });
  });
});
