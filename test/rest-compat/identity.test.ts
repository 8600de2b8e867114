import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const operator = { roles: ['operator'], tenant: null };

describe('GET /me', () => {
  test('returns user, context and claims', async () => {
    const as = { sub: 'someone', email: 'someone@example.com', name: 'Some One', roles: ['admin', 'user'] };
    const { status, body } = await call(api, 'GET', '/me', { as });
    expect(status).toBe(200);
    expect(body).toEqual({
      user: { id: expect.any(Number), idp_id: 'someone', email: 'someone@example.com', name: 'Some One' },
      context: { tenant_id: 'acme-shop', active_plane: 'public', roles: ['admin', 'user'] },
      claims: { iss: 'http://localhost/dev/oidc', sub: 'someone', aud: ['causeway'] },
    });
  });

  test('uses the tenant claim if the header is missing', async () => {
    const { body } = await call(api, 'GET', '/me', { as: { tenant: null, tenant_id: 'acme-outlet' } });
    expect(body['context']).toMatchObject({ tenant_id: 'acme-outlet' });
  });

  test('works without a tenant', async () => {
    const { status, body } = await call(api, 'GET', '/me', { as: { tenant: null } });
    expect({ status, context: body['context'] }).toMatchObject({ status: 200, context: { tenant_id: null } });
  });
});

describe('organisations and tenants', () => {
  test('are created once, and listed', async () => {
    const org = await call(api, 'POST', '/admin/orgs', { as: operator, body: { id: 'north', name: 'North' } });
    expect(org.status).toBe(201);
    expect(org.body).toEqual({ id: 'north', name: 'North', created_at: iso });
    const again = await call(api, 'POST', '/v1/admin/orgs', { as: operator, body: { id: 'north', name: 'North' } });
    expect(again).toMatchObject({ status: 409, body: { message: 'Organisation north exists already.' } });

    const tenant = await call(api, 'POST', '/admin/orgs/north/tenants', {
      as: operator,
      body: { id: 'north-shop', name: 'Shop' },
    });
    expect(tenant.status).toBe(201);
    expect(tenant.body).toEqual({ id: 'north-shop', org_id: 'north', name: 'Shop', created_at: iso });
    const tenants = await call(api, 'GET', '/admin/orgs/north/tenants', { as: operator });
    expect(tenants.body).toEqual({ data: [tenant.body] });
    const orgs = await call(api, 'GET', '/v1/admin/orgs', { as: operator });
    expect(orgs.body['data']).toContainEqual(org.body);
  });

  test('answer 404 for an unknown organisation and 422 to a bad id', async () => {
    expect(await call(api, 'GET', '/admin/orgs/nowhere/tenants', { as: operator })).toMatchObject({ status: 404 });
    const body = { id: 'Not An Id', name: '' };
    const bad = await call(api, 'POST', '/admin/orgs', { as: operator, body });
    expect(bad).toMatchObject({
      status: 422,
      body: { errors: { id: [expect.any(String)], name: [expect.any(String)] } },
    });
    const missing = await call(api, 'POST', '/admin/orgs/nowhere/tenants', {
      as: operator,
      body: { id: 'x', name: 'X' },
    });
    expect(missing).toMatchObject({ status: 404, body: { message: 'Not found.' } });
  });
});

describe('a path that is not a route', () => {
  test.each(['/nothing', '/workflows/1/nothing', '/'])('%s answers 404', async (path) => {
    expect(await call(api, 'GET', path)).toMatchObject({ status: 404, body: { message: 'Not found.' } });
  });

  test('answers HEAD like GET, without a body', async () => {
    expect(await call(api, 'HEAD', '/me')).toMatchObject({ status: 200, text: '' });
  });
});
