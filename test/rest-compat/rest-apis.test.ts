import { createHash } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { describe, expect } from 'vitest';
import { extensionAssetsApi } from '#rest/apis/extension-assets.ts';
import { inboundApi } from '#rest/apis/inbound.ts';
import { serviceApi } from '#rest/apis/service.ts';
import { themeApi } from '#rest/apis/theme.ts';
import { createApp } from '#src/app.ts';
import { domains } from '#src/domains/domains.ts';
import { test as appTest } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';
import { exampleApi, platformApi, signed, uploadUrl } from './example-apis.ts';

const others = [inboundApi, themeApi, extensionAssetsApi];
const apis = [serviceApi, platformApi, ...others, exampleApi];
const test = appTest.extend('appOptions', { scope: 'file' }, { apis });

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

type Headers = Record<string, string>;
const key = (name = 'shop-key', tenant = 'acme-shop'): Headers => ({
  'x-platform-api-key': name,
  'x-platform-tenant': tenant,
});

async function send(method: string, url: string, headers: Headers = {}, payload?: string | Buffer, { app } = api) {
  const answer = await app.inject({
    method: method as InjectOptions['method'],
    url,
    headers,
    ...(payload !== undefined && { payload }),
  });
  const isJson = String(answer.headers['content-type']).includes('json');
  const body: unknown = isJson ? answer.json() : answer.payload;
  return { status: answer.statusCode, headers: answer.headers, body };
}

const unauthenticated = { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' };
const notFound = { message: 'Not found.', code: 'NOT_FOUND' };
const meant = (path: string) => `There is no such path. Did you mean "${path}"?`;
const notAllowed = { message: 'Method not allowed.', code: 'METHOD_NOT_ALLOWED' };

describe('an API', () => {
  test('accepts only its own credentials and tenant header', async () => {
    expect(await send('GET', '/v1/runs', key())).toMatchObject({ status: 200 });
    const strangers: Headers[] = [
      {},
      key('no-key'),
      key('shop-key', ''),
      key('other-key'),
      { authorization: `Bearer ${await api.token()}`, 'x-tenant-id': 'acme-shop' },
      { 'x-platform-api-key': 'shop-key', 'x-tenant-id': 'acme-shop' },
    ];
    for (const headers of strangers) {
      const answer = await send('GET', '/v1/runs', headers);
      expect(answer).toMatchObject({ status: 401, body: unauthenticated });
      expect(answer.headers).not.toHaveProperty('www-authenticate');
    }
    expect(await send('GET', '/api/v1/workflows', key())).toMatchObject({ status: 401 });
  });

  test('refuses in its own format: roles before the body, and fields by name', async () => {
    const forbidden = { message: 'This action is unauthorized.', code: 'FORBIDDEN' };
    expect(await send('POST', '/v1/workflows', key('reader-key'), '{')).toMatchObject({ status: 403, body: forbidden });
    expect(await send('POST', '/v1/workflows', key(), '{')).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
    expect(await send('POST', '/v1/workflows', key(), '{}')).toMatchObject({
      status: 422,
      body: {
        message: 'The given data was invalid.',
        code: 'VALIDATION_FAILED',
        errors: { name: [expect.any(String)] },
      },
    });
    expect(await send('POST', '/v1/workflows', key(), 'x'.repeat(2 ** 21))).toMatchObject({
      status: 413,
      body: { code: 'PAYLOAD_TOO_LARGE' },
    });
    expect(await send('POST', '/v1/workflows', key(), '{"name":"Made by key"}')).toMatchObject({
      status: 201,
      body: { name: 'Made by key' },
    });
  });

  test('pages in its own style, and accepts only the orders of its route', async () => {
    const workflowId = await makeWorkflow(api.deps, 'acme-shop', 'Paged');
    const ids: number[] = [];
    for (let made = 0; made < 3; made++) ids.push(await makeRun(api.deps, 'acme-shop', workflowId));
    const items = (...of: (number | undefined)[]) => of.map((id) => ({ id }));
    const list = async (query: string) => send('GET', `/v1/runs${query}`, key());
    const page = { total: 3, limit: 2 };
    expect((await list('?limit=2')).body).toEqual({ items: items(ids[2], ids[1]), ...page, offset: 0 });
    expect((await list('?limit=2&offset=2&order=created_at.asc')).body).toEqual({
      items: items(ids[2]),
      ...page,
      offset: 2,
    });
    expect((await list('?offset=9')).body).toEqual({ items: [], total: 3, limit: 25, offset: 9 });
    for (const query of [
      'limit=0',
      'limit=101',
      'offset=-1',
      'order=duration.asc',
      'order=created_at',
      'search=' + 'x'.repeat(21),
    ]) {
      const [field = ''] = query.split('=');
      expect(await list(`?${query}`)).toMatchObject({
        status: 422,
        body: { code: 'VALIDATION_FAILED', errors: { [field]: [expect.any(String)] } },
      });
    }
  });

  test('counts against its own budget, one for all keys of a tenant, before any work', async ({ startBeside }) => {
    const rates = { tenant: { perSecond: 0, perMinute: 2 } };
    const limited = await startBeside({ rates, apis });
    try {
      const ask = async (headers: Headers) => send('POST', '/v1/workflows', headers, '{', limited);
      expect(await ask(key())).toMatchObject({ status: 400 });
      expect(await ask(key('reader-key'))).toMatchObject({ status: 403 });
      const refused = await ask(key());
      expect(refused).toMatchObject({
        status: 429,
        body: { message: 'Too Many Attempts.', code: 'TOO_MANY_ATTEMPTS' },
      });
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/);
      expect(await ask(key('other-key', 'other-shop'))).toMatchObject({ status: 400 });
      // Users have budgets of their own, and the example none.
      const user = { authorization: `Bearer ${await api.token()}`, 'x-tenant-id': 'acme-shop' };
      expect(await send('GET', '/api/v1/me', user, undefined, limited)).toMatchObject({ status: 200 });
      for (let sent = 0; sent < 4; sent++)
        expect(
          await send('POST', '/example-in/open', { 'x-platform-signature': signed('{}') }, '{}', limited),
        ).toMatchObject({
          status: 202,
        });
    } finally {
      await limited.close();
    }
  });

  test('counts a request that matches no route, and refuses it over the limit like any other', async ({
    startBeside,
  }) => {
    const limited = await startBeside({ rates: { tenant: { perSecond: 0.01, burst: 3 } }, apis });
    try {
      const ask = async (method: string, path: string, headers = key()) =>
        (await send(method, path, headers, undefined, limited)).status;
      // Who is not known has no limit.
      for (let sent = 0; sent < 4; sent++) expect(await ask('GET', '/v1/nowhere', key('no-key'))).toBe(404);
      expect(await ask('GET', '/v1/nowhere')).toBe(404);
      expect(await ask('DELETE', '/v1/runs')).toBe(405);
      expect(await ask('GET', '/v1/%ff')).toBe(404);
      expect(await send('GET', '/v1/nowhere', key(), undefined, limited)).toMatchObject({
        status: 429,
        headers: { 'retry-after': expect.stringMatching(/^[1-9]/) },
        body: { message: 'Too Many Attempts.', code: 'TOO_MANY_ATTEMPTS' },
      });
      for (const [method, path] of [
        ['DELETE', '/v1/runs'],
        ['GET', '/v1/%ff'],
        ['GET', '/v1/runs'],
      ] as const)
        expect([method, path, await ask(method, path)]).toEqual([method, path, 429]);
      expect(await ask('GET', '/v1/nowhere', key('no-key'))).toBe(404);
      expect(await ask('GET', '/v1/nowhere', key('other-key', 'other-shop'))).toBe(404);
    } finally {
      await limited.close();
    }
  });

  test('has a description for its configured readers', async () => {
    expect(await send('GET', '/v1/openapi.json')).toMatchObject({ status: 401, body: unauthenticated });
    const { body } = await send('GET', '/v1/openapi.json', key('reader-key'));
    expect(body).toMatchObject({
      info: { title: 'Platform' },
      servers: [{ url: '/v1' }],
      components: {
        securitySchemes: { apiKey: { name: 'X-Platform-Api-Key' } },
        schemas: { Error: { required: ['message', 'code'] } },
      },
    });
    const { paths } = body as { paths: Record<string, Record<string, Record<string, unknown>>> };
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/runs', '/workflows', '/exports/{id}', '/uploads/{name}']),
    );
    const { get: list } = paths['/runs'] ?? {};
    expect(list).toMatchObject({ security: [{ apiKey: [] }], description: 'Needs a key with scope `member`.' });
    const names = (operation: unknown) =>
      (operation as { parameters: { name: string }[] }).parameters.map(({ name }) => name);
    expect(names(list)).toEqual(['limit', 'offset', 'order', 'search', 'X-Platform-Tenant']);
    expect(paths['/exports/{id}']?.['get']).toMatchObject({
      security: [{ apiKey: [] }],
      responses: { 200: { content: { 'text/csv': {} } }, 401: {}, 403: {}, 404: {}, 422: {}, 429: {} },
    });
    const put = paths['/uploads/{name}']?.['put'];
    expect(put).toMatchObject({
      security: [],
      requestBody: { content: { '*/*': {} } },
      responses: { 201: {}, 403: {}, 413: {} },
    });
    expect(names(put)).toEqual(['name', 'expires', 'signature']);
    expect(await send('GET', '/example-in/openapi.json')).toMatchObject({ status: 405 });
  });
});

describe('an unknown, malformed or overlong path', () => {
  test.each([
    ['/v1/nowhere', notFound],
    ['/v1', notFound],
    ['/v1/%ff', notFound],
    [`/v1/exports/${'9'.repeat(7_000)}`, notFound],
    ['/v1/administrators', notFound],
    ['/example-in', notFound],
    ['/example-in/%zz', notFound],
    ['/v1/admin', { message: 'Not found.' }],
    ['/v1/admin/nowhere?x=/example-in/open', { message: 'Not found.' }],
    ['/v1/admin/%ff', { message: 'Not found.' }],
    ['/api/v1/nowhere', { message: 'Not found.' }],
    ['/v1x', { message: 'Not found.' }],
    ['/v1/run?limit=1', { ...notFound, hint: meant('/v1/runs') }],
    ['/v1/runs/', { ...notFound, hint: meant('/v1/runs') }],
    ['/v1/export/7', { ...notFound, hint: meant('/v1/exports/7') }],
    ['/api/v1/workflow/7/runs', { message: 'Not found.', hint: meant('/api/v1/workflows/7/runs') }],
    ['/api/v1/runs/%ff/retry', { message: 'Not found.' }],
    ['/_ext/acme/size-guide/1.0.0/%', notFound],
    ['/v1/admin/org', { message: 'Not found.', hint: meant('/v1/admin/orgs') }],
  ])('is refused by the API in whose space it lies: %#', async (path, body) => {
    for (const method of ['GET', 'POST']) expect(await send(method, path)).toMatchObject({ status: 404 });
    expect((await send('GET', path)).body).toEqual(body);
  });

  test('with another method is refused by its API, which names the allowed methods', async () => {
    const paths: [string, string, object][] = [
      ['/v1/runs', 'GET, HEAD', notAllowed],
      ['/v1/exports/1', 'GET, HEAD', notAllowed],
      ['/v1/openapi.json', 'GET, HEAD', notAllowed],
      ['/example-in/open', 'POST', notAllowed],
      ['/v1/admin/orgs', 'GET, POST, HEAD', { message: 'Method not allowed.' }],
    ];
    for (const [path, allow, body] of paths)
      expect(await send('DELETE', path)).toMatchObject({ status: 405, headers: { allow }, body });
  });

  test('below /v1/admin belongs to the service API, and the rest of /v1 to the other', async () => {
    const operator = { authorization: `Bearer ${await api.token({ roles: ['operator'] })}` };
    expect(await send('GET', '/v1/admin/orgs', operator)).toMatchObject({
      status: 200,
      body: { data: expect.any(Array) },
    });
    expect(await send('GET', '/v1/admin/orgs', key())).toMatchObject({
      status: 401,
      body: { message: 'Unauthenticated.' },
    });
  });

  test('a route below the prefix of another API stops the start with its name', async () => {
    const [row] = platformApi.routes;
    const strayed = {
      ...platformApi,
      routes: [{ ...row, path: '/admin/runs' } as (typeof platformApi.routes)[number]],
    };
    const start = createApp({
      domains,
      services: api.services,
      verifier: { verify: () => Promise.reject(new Error('Nobody asks.')) },
      rates: {},
      consoleConfig: { issuer: 'http://localhost/dev/oidc', clientId: 'none', scopes: [], audience: 'causeway' },
      introspection: true,
      allowsOrigin: () => false,
      socketsPerAddress: 0,
      wrongKeysPerMinute: 0,
      jsonBodyLimit: 1,
      packageBodyLimit: 1,
      readiness: async () => ({ status: 'ready' }),
      apis: [serviceApi, strayed, ...others],
    });
    await expect(start).rejects.toThrow('/v1/admin/runs of the platform API belongs to the routes of the service API.');
  });
});

describe('a byte route', () => {
  test('returns bytes to callers with its scope, in the tenant of the credentials', async () => {
    const csv = { 'content-type': 'text/csv; charset=utf-8' };
    expect(await send('GET', '/v1/exports/1', key())).toMatchObject({
      status: 200,
      headers: csv,
      body: 'tenant\nacme-shop\n',
    });
    expect(await send('GET', '/v1/exports/1?header=no', key('other-key', 'other-shop'))).toMatchObject({
      body: 'other-shop\n',
    });
    expect(await send('HEAD', '/v1/exports/1', key())).toMatchObject({ status: 200, headers: csv, body: '' });
    expect(await send('GET', '/v1/exports/1')).toMatchObject({ status: 401, body: unauthenticated });
    expect(await send('GET', '/v1/exports/1', key('reader-key'))).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN' },
    });
    expect(await send('GET', '/v1/exports/1?header=x', key())).toMatchObject({
      status: 422,
      body: { errors: { header: expect.any(Array) } },
    });
    for (const id of ['2', 'abc', '-1'])
      expect(await send('GET', `/v1/exports/${id}`, key())).toMatchObject({ status: 404, body: notFound });
  });

  test('accepts a stream with its signed link, beyond the limit of JSON', async () => {
    const file = Buffer.alloc(3 * 1024 * 1024, 7);
    const sha256 = createHash('sha256').update(file).digest('hex');
    expect(await send('PUT', uploadUrl('a.csv'), {}, file)).toMatchObject({ status: 201, body: { sha256 } });
    const refused = { status: 403, body: { message: 'Invalid signature.', code: 'INVALID_SIGNATURE' } };
    expect(await send('PUT', '/v1/uploads/a.csv', key(), file)).toMatchObject(refused);
    expect(await send('PUT', uploadUrl('a.csv').replace('a.csv', 'b.csv'), key(), file)).toMatchObject(refused);
  });

  test('of an API without credentials gets the raw body, and refuses in the format of its API', async () => {
    const post = async (endpoint: string, body: string, signature = signed(body)) =>
      send(
        'POST',
        `/example-in/${endpoint}`,
        { 'content-type': 'application/json', 'x-platform-signature': signature, authorization: 'nonsense' },
        body,
      );
    expect(await post('open', '{ "a" :1}')).toMatchObject({ status: 202, body: '' });
    expect(await post('open', '{ "a" :1}', signed('{"a":1}'))).toMatchObject({ status: 401, body: unauthenticated });
    expect(await post('closed', '{}')).toMatchObject({ status: 410, body: { message: 'Gone.', code: 'GONE' } });
    expect(await post('none', '{}')).toMatchObject({ status: 404, body: notFound });
    expect(await post('open', 'x'.repeat(2 ** 21))).toMatchObject({ status: 413, body: { code: 'PAYLOAD_TOO_LARGE' } });
  });
});
