import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, vi } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { haveTheme, run } from '#test/themes/theme-calls.ts';
import { asUser, place, type Placed } from './placed-block.ts';

// Changes are made in one process, and requests sent to another.
let api: TestApp;
let beside: TestApp;
let placed: Placed;
test.beforeAll(async ({ api: started, startBeside }) => {
  api = started;
  beside = await startBeside({ allowsOrigin: (origin) => origin === 'https://shop.example' });
  await beside.app.listen({ port: 0, host: '127.0.0.1' });
  await haveTheme(api, '2.1.0');
});
test.beforeEach(async () => {
  placed = await place(api);
  for (const each of api.egressAllow) beside.egressAllow.add(each);
});

interface Oddly {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  before?: string;
  after?: string;
}

interface Received {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  html: string;
}

/** Asks for the block as a theme server does, over HTTP; `oddly` says what else is sent, or what in its place. */
async function ask(headers: Record<string, string>, oddly: Oddly = {}): Promise<Received> {
  const { port } = beside.app.server.address() as AddressInfo;
  const path = `${oddly.before ?? ''}/theme/blocks/${placed.name}?page_type=product${oddly.after ?? ''}`;
  const asked = request({ port, path, method: oddly.method ?? 'GET', headers: { ...headers, ...oddly.headers } });
  asked.end(oddly.body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, html: await text(response) };
}

async function makeKeyHeaders(tenant = 'acme-shop'): Promise<Record<string, string>> {
  return { 'x-platform-api-key': await api.apiKey(['theme:read'], tenant), 'x-platform-tenant': tenant };
}

/** The id of the key that the headers hold. */
async function findKeyId(headers: Record<string, string>): Promise<string | undefined> {
  const { data } = await api.graphql<{ apiKeys: { edges: { node: { id: string; prefix: string } }[] } }>(
    '{ apiKeys(first: 100) { edges { node { id prefix } } } }',
  );
  return data.apiKeys.edges.find(({ node }) => headers['x-platform-api-key']?.includes(`_${node.prefix}_`))?.node.id;
}

/** How often the process that is asked reads API keys meanwhile. */
async function readsOfKeys(work: () => Promise<unknown>): Promise<number> {
  const query = vi.spyOn(beside.database.system, 'query');
  await work();
  const names = (query.mock.calls as unknown as { name?: string }[][]).map(([statement]) => statement?.name);
  query.mockRestore();
  return names.filter((name) => name === 'find-api-keys').length;
}

/** Makes a change while the block is asked for all the time, so that what was read of it before is in use when the change is made. */
async function whileAsked(headers: Record<string, string>, change: () => Promise<unknown>): Promise<void> {
  expect(await ask(headers)).toMatchObject({ status: 200, html: '<p>Stars</p>' });
  const changed = new AbortController();
  const asking = (async () => {
    while (!changed.signal.aborted) await ask(headers);
  })();
  await change().finally(() => changed.abort());
  await asking;
}

/** The parts that all responses share. */
const shared = ({ headers: { date: _date, 'x-request-id': _id, ...headers }, ...rest }: Received) => ({
  ...rest,
  headers,
});

describe('a cached block', () => {
  test.each([
    ['a key', () => makeKeyHeaders()],
    ['a token', () => asUser(api)],
  ])('by %s is the same, with the same headers and an id of its own', async (_what, credentials) => {
    const headers = await credentials();
    const [first, ...others] = [await ask(headers), await ask(headers), await ask(headers)];
    expect(first).toMatchObject({ status: 200, html: '<p>Stars</p>' });
    expect(others.map(shared)).toEqual([shared(first), shared(first)]);
    expect(new Set([first, ...others].map((each) => each.headers['x-request-id'])).size).toBe(3);
    expect(placed.asked).toHaveLength(1);
  });

  test.each<[string, number, Oddly]>([
    ['by HEAD', 200, { method: 'HEAD' }],
    ['on a condition', 200, { headers: { 'if-none-match': '*', range: 'bytes=0-1' } }],
    ['with a body', 200, { headers: { 'content-length': '4' }, body: 'text' }],
    ['with a body in chunks', 200, { headers: { 'transfer-encoding': 'chunked' }, body: 'text' }],
    ['by an absolute URL', 200, { before: 'http://elsewhere.example' }],
    ['with names of headers in capitals', 200, { headers: { 'X-PLATFORM-TENANT': 'acme-shop' } }],
    ['with another tenant beside it', 200, { headers: { 'x-tenant-id': 'acme-outlet' } }],
    ['with a parameter twice', 422, { after: '&page_type=product' }],
    ['by POST', 405, { method: 'POST' }],
  ])('requested again %s gets the same response as the first time', async (_what, status, oddly) => {
    const headers = await makeKeyHeaders();
    const first = await ask(headers, oddly);
    expect(first).toMatchObject({ status });
    await ask(headers);
    await ask(headers);
    expect([await ask(headers, oddly), await ask(headers, oddly)].map(shared)).toEqual([shared(first), shared(first)]);
  });

  test('is sent in the order of the requests on one connection', async () => {
    const headers = await makeKeyHeaders();
    await ask(headers);
    const lines = Object.entries({ host: 'causeway', ...headers }).map(([name, value]) => `${name}: ${value}\r\n`);
    const asked = (name: string, more = '') =>
      `GET /theme/blocks/${name}?page_type=product HTTP/1.1\r\n${lines.join('')}${more}\r\n`;
    const socket = connect((beside.app.server.address() as AddressInfo).port, '127.0.0.1');
    const half = asked(placed.name).length / 2;
    const all = [placed.name, 'nowhere', placed.name].map((name) => asked(name)).join('');
    socket.write(all + asked(placed.name).slice(0, half));
    socket.write(asked(placed.name, 'connection: close\r\n').slice(half));
    const answers = await text(socket);
    expect(answers.match(/(?<=HTTP\/1.1 )\d+/g)).toEqual(['200', '404', '200', '200']);
  });

  test('may be read by pages of allowed origins', async () => {
    const headers = await makeKeyHeaders();
    await ask(headers);
    const origin = 'https://shop.example';
    expect(await ask({ ...headers, origin })).toMatchObject({ headers: { 'access-control-allow-origin': origin } });
    expect((await ask(headers)).headers).not.toHaveProperty('access-control-allow-origin');
  });

  test.each([
    ['without a key', (headers: Record<string, string>) => ({ ...headers, 'x-platform-api-key': '' }), 401],
    [
      'with a wrong key',
      (headers: Record<string, string>) => ({
        ...headers,
        'x-platform-api-key': `cw_${'a'.repeat(12)}_${'b'.repeat(43)}`,
      }),
      401,
    ],
    [
      'with a key of another tenant',
      (headers: Record<string, string>) => ({ ...headers, 'x-platform-tenant': 'acme-outlet' }),
      401,
    ],
  ])('is refused %s', async (_what, change, status) => {
    const headers = await makeKeyHeaders();
    await ask(headers);
    await ask(headers);
    expect(await ask(change(headers))).toMatchObject({ status });
  });

  test('is refused for a key with another scope, and not found in a tenant that has not installed it', async () => {
    await ask(await makeKeyHeaders());
    const reader = { 'x-platform-api-key': await api.apiKey(['orders:read']), 'x-platform-tenant': 'acme-shop' };
    expect(await ask(reader)).toMatchObject({ status: 403 });
    expect(await ask(await makeKeyHeaders('acme-outlet'))).toMatchObject({ status: 404 });
  });

  test.each(['revokeApiKey(input: { id: $id })', 'rotateApiKey(input: { id: $id, overlapHours: 0 })'])(
    'is refused from the answer of %s in another process on',
    async (mutation) => {
      const headers = await makeKeyHeaders();
      const id = await findKeyId(headers);
      await whileAsked(headers, () => api.graphql(`mutation ($id: ID!) { ${mutation} { __typename } }`, { id }));
      expect(await ask(headers)).toMatchObject({ status: 401 });
    },
  );

  test('is refused after one read of its key, so that an outage is waited for once', async () => {
    const headers = await makeKeyHeaders();
    expect(await ask(headers)).toMatchObject({ status: 200 });
    const revoke = 'mutation ($id: ID!) { revokeApiKey(input: { id: $id }) { __typename } }';
    await api.graphql(revoke, { id: await findKeyId(headers) });
    expect(await readsOfKeys(() => ask(headers))).toBe(1);
    expect(await ask(headers)).toMatchObject({ status: 401 });
  });

  test('is leased by a separate read, because two leases in a row would exceed the wait of a revocation', async () => {
    const headers = await makeKeyHeaders();
    await ask(headers);
    // The application has just read the key, for this and its next requests.
    expect(await ask(headers, { method: 'HEAD' })).toMatchObject({ status: 200 });
    expect(await readsOfKeys(() => ask(headers))).toBe(1);
  });

  test.each([
    ['disabled', () => run(api, 'disableInstallation', { id: placed.installationId })],
    ['uninstalled', () => run(api, 'uninstallExtension', { installationId: placed.installationId })],
    [
      'withdrawn and blocked',
      () => run(api, 'withdrawExtension', { id: placed.extensionId, block: true, reason: 'It leaks.' }),
    ],
    ['out of the range of its theme', () => haveTheme(api, '3.0.0')],
    ['without its theme', () => run(api, 'uninstallTheme', { theme: 'acme/starter' })],
  ])('is gone from the answer on by which it is %s in another process', async (_what, change) => {
    const headers = await makeKeyHeaders();
    await whileAsked(headers, change);
    expect(await ask(headers)).toMatchObject({ status: 404 });
    await haveTheme(api, '2.1.0');
  });

  test('has the new version once an upgrade in another process has returned', async () => {
    const headers = await makeKeyHeaders();
    placed.site.manifest = { ...placed.site.manifest, version: '1.1.0' };
    const { extension } = await run(api, 'registerExtension', { url: placed.site.url });
    await run(api, 'publishExtension', { id: extension?.id });
    const upgrade = { id: placed.installationId, extensionId: extension?.id };
    await whileAsked(headers, () => run(api, 'upgradeInstallation', upgrade));
    placed.answer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html', 'x-extension-version': '1.1.0' }).end('<p>New</p>'),
    );
    expect(await ask(headers)).toMatchObject({ html: '<p>New</p>' });
  });
});
