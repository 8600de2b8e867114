import { describe, expect } from 'vitest';
import { isIdParam, pathParams } from '#rest/route.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { callPlatform, everyPlatformRoute, fillPath } from './rest.ts';

let api: TestApp;
let foreign: string;
test.beforeAll(async ({ api: started }) => {
  api = started;
  foreign = await api.apiKey(['*'], 'acme-outlet');
});

const scoped = everyPlatformRoute.filter(({ row }) => row.access.scope !== null);
const withIds = everyPlatformRoute.filter(({ row }) => pathParams(row.path).some(isIdParam));
const withJson = everyPlatformRoute.filter(
  ({ method, row }) => method !== 'GET' && row.body?.takes === 'bytes' && 'application/json' in row.body.content(),
);
const unauthenticated = { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' };

describe('every route of the platform API', () => {
  test.each(scoped)('$name answers 401 to any invalid key, whatever the body', async ({ method, row }) => {
    const body = row.body && '{';
    for (const [key, tenant] of [
      [null, 'acme-shop'],
      ['cw_nonsense', 'acme-shop'],
      [foreign, 'acme-shop'],
      [foreign, null],
    ] as const) {
      const answer = await callPlatform(api, method, fillPath(row), { key, tenant, body });
      expect(answer).toMatchObject({ status: 401, body: unauthenticated });
    }
  });

  test.each(scoped)('$name answers 403 without its scope, before it reads anything', async ({ method, row }) => {
    const needed = row.access.scope?.split(' or ').at(-1);
    expect(api.services.keyScopes).toContain(needed);
    const key = await api.apiKey(api.services.keyScopes.filter((scope) => scope !== needed));
    const answer = await callPlatform(api, method, fillPath(row), { key, body: row.body && '{' });
    expect(answer).toMatchObject({
      status: 403,
      body: { message: 'This action is unauthorized.', code: 'FORBIDDEN' },
    });
  });

  test.each(withIds)('$name answers 404 to an unknown or malformed id', async ({ method, row }) => {
    const names = pathParams(row.path).filter(isIdParam);
    for (const id of ['999999', 'abc', '-1', '1.5', '99999999999999999999', "1'--"]) {
      const path = fillPath(row, Object.fromEntries(names.map((name) => [name, id])));
      const answer = await callPlatform(api, method, path, { body: row.example?.body });
      expect([id, answer.status, answer.body]).toEqual([id, 404, { message: 'Not found.', code: 'NOT_FOUND' }]);
    }
  });

  test.each(withJson)('$name answers 400 to a body that is not JSON', async ({ method, row }) => {
    const answer = await callPlatform(api, method, fillPath(row), { body: '{' });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  test.each(everyPlatformRoute)('$name answers 405 with the allowed methods to any other method', async ({ row }) => {
    const answer = await callPlatform(api, 'PATCH', fillPath(row));
    const allowed = everyPlatformRoute.filter((other) => other.row.path === row.path).map(({ method }) => method);
    if (allowed.includes('PATCH')) return;
    expect(answer).toMatchObject({ status: 405, body: { code: 'METHOD_NOT_ALLOWED' } });
    expect(String(answer.headers['allow']).split(', ')).toEqual(expect.arrayContaining(allowed));
  });

  // The list of an object that is not there is a 404.
  const lists = everyPlatformRoute.filter(
    ({ row }) =>
      !pathParams(row.path).some(isIdParam) &&
      row.query?.safeParse({ limit: '0' }).error?.issues.some(({ path }) => path[0] === 'limit'),
  );
  test.each(lists)(
    '$name is a list in the envelope, and refuses an invalid limit, offset or order',
    async ({ method, row }) => {
      const path = fillPath(row);
      expect((await callPlatform(api, method, `${path}?limit=7&offset=99999`)).body).toEqual({
        items: [],
        total: expect.any(Number),
        limit: 7,
        offset: 99_999,
      });
      // Past the end of a list of a hundred thousand rows or fewer there is nothing, however far.
      for (const offset of [100_001, 9_007_199_254_740_991]) {
        const far = await callPlatform(api, method, `${path}?offset=${offset}`);
        expect([far.status, far.body]).toMatchObject([200, { items: [], offset }]);
      }
      for (const query of [
        'limit=0',
        'limit=101',
        'limit=x',
        'limit=1e1',
        'offset=-1',
        'order=nothing.asc',
        'order=',
      ]) {
        const answer = await callPlatform(api, method, `${path}?${query}`);
        expect([query, answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([
          query,
          422,
          [query.split('=')[0]],
        ]);
      }
    },
  );
});

test('an unknown path is a 404 in the format of the platform API', async () => {
  expect(await callPlatform(api, 'GET', '/nothing')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});
