import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAdmin, isIdParam, paramsOf } from '#rest/route.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { call, everyRoute, pathOf } from './rest.ts';

let api: TestApp;
beforeAll(async () => {
  api = await startTestApp();
});
afterAll(() => api.close());

const scoped = everyRoute.filter(({ row }) => row.operation.scope !== null);
const tenantScoped = everyRoute.filter(({ row }) => ['member', 'admin'].includes(row.operation.scope ?? ''));
const withIds = everyRoute.filter(({ row }) => paramsOf(row.path).some(isIdParam));
// Nothing reads the body of a GET.
const withBody = everyRoute.filter(({ method, row }) => row.body && method !== 'GET');
const withJson = withBody.filter(({ row }) => 'application/json' in (row.body?.content() ?? {}));

const roleFor = { operator: 'operator', admin: 'admin', member: 'user', authenticated: 'user' } as const;
const allowed = (row: (typeof everyRoute)[number]['row']) => ({
  roles: row.operation.scope ? [roleFor[row.operation.scope]] : [],
});
const fault = (message: string) => ({ message });

describe('every route', () => {
  it.each(scoped)('$name answers 401 without a token, whatever the body', async ({ method, row }) => {
    const answer = await call(api, method, pathOf(row), { as: { bearer: null }, ...(row.body && { body: '{' }) });
    expect(answer).toMatchObject({ status: 401, body: fault('Unauthenticated.') });
  });

  it.each(scoped)('$name answers 401 to a token that is not one', async ({ method, row }) => {
    const answer = await call(api, method, pathOf(row), { as: { bearer: 'eyJhbGciOiJub25lIn0.e30.' } });
    expect(answer).toMatchObject({ status: 401, body: fault('Unauthenticated.') });
  });

  it.each(tenantScoped)(
    '$name answers 403 without a tenant, and to a tenant of another org',
    async ({ method, row }) => {
      for (const tenant of [null, 'other-shop', 'nobody']) {
        const answer = await call(api, method, pathOf(row), { as: { tenant } });
        expect(answer).toMatchObject({ status: 403, body: fault('Tenant context is required.') });
      }
    },
  );

  it.each(scoped.filter(({ row }) => row.operation.scope !== 'authenticated'))(
    '$name answers 403 without the role',
    async ({ method, row }) => {
      const roles = row.operation.scope === 'member' ? ['operator'] : ['user'];
      const answer = await call(api, method, pathOf(row), { as: { roles }, ...(row.body && { body: '{' }) });
      expect(answer).toMatchObject({ status: 403, body: fault('This action is unauthorized.') });
    },
  );

  it.each(withIds)('$name answers 404 to an id that nothing has', async ({ method, row }) => {
    const answer = await call(api, method, pathOf(row), { as: allowed(row), body: row.example?.body });
    expect(answer).toMatchObject({ status: 404 });
  });

  it.each(withIds)('$name answers 404 to an id that is not an integer', async ({ method, row }) => {
    for (const id of ['abc', '-1', '1.5', '99999999999999999999', '%20', "1'--"]) {
      const ids = Object.fromEntries(
        paramsOf(row.path)
          .filter(isIdParam)
          .map((name) => [name, id]),
      );
      const answer = await call(api, method, pathOf(row, ids), { as: allowed(row), body: row.example?.body });
      expect(answer).toMatchObject({ status: 404, body: fault('Not found.') });
    }
  });

  it.each(everyRoute)('$name names the methods of its path to any other', async ({ row }) => {
    const siblings = everyRoute.filter((other) => other.row.path === row.path).map(({ method }) => method);
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !siblings.includes(one))) {
      const answer = await call(api, method, pathOf(row), { as: { bearer: null } });
      expect(answer).toMatchObject({ status: 405, body: fault('Method not allowed.') });
      expect(String(answer.headers['allow']).split(', ')).toEqual(expect.arrayContaining(siblings));
    }
  });

  it.each(withJson)('$name answers 400 to a body that is not JSON', async ({ method, row }) => {
    for (const body of ['{', '{"a":}', 'name=x']) {
      const answer = await call(api, method, pathOf(row), { as: allowed(row), body });
      expect(answer).toMatchObject({ status: 400, body: fault('The request body is not valid JSON.') });
    }
  });

  it.each(withJson)('$name answers 422 to JSON that is not an object', async ({ method, row }) => {
    for (const body of ['[]', '"text"', '1', 'null']) {
      const answer = await call(api, method, pathOf(row), { as: allowed(row), body });
      expect(answer).toMatchObject({
        status: 422,
        body: { message: 'The given data was invalid.', errors: { body: [expect.any(String)] } },
      });
    }
  });

  it.each(withBody)('$name answers 413 to a body over the limit', async ({ method, row }) => {
    const body = `{"a":"${'x'.repeat(row.body?.takes === 'stream' ? 33 * 1024 * 1024 : 1024 * 1024)}"}`;
    const answer = await call(api, method, pathOf(row), { as: allowed(row), body });
    expect(answer).toMatchObject({ status: 413, body: fault('The request body is too large.') });
  });

  it.each(everyRoute.filter(({ row }) => isAdmin(row)))('$name stands under /v1 as well', async ({ method, row }) => {
    const answer = await call(api, method, `/v1${pathOf(row)}`, { as: { roles: ['user'] } });
    expect(answer.status).toBe(403);
  });
});
