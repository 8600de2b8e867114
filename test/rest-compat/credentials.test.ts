import { describe, expect } from 'vitest';
import { credentialsPerTenant } from '#src/automation/credentials/credentials.service.ts';
import { readCredential } from '#src/automation/credentials/credentials.store.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const invalid = 'The given data was invalid.';
const canary = 'canary-token-4711';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

let counter = 0;
const bearer = (more: object = {}) => {
  counter += 1;
  return { credential_type_slug: 'core:bearer', name: `Bearer ${counter}`, config: { token: canary }, ...more };
};

async function make(more: object = {}): Promise<{ id: number; name: string }> {
  const { status, body } = await call(api, 'POST', '/credentials', { body: bearer(more) });
  expect(status).toBe(201);
  return body as unknown as { id: number; name: string };
}

const stored = () => api.database.withTenant('acme-shop', (tx) => tx.credential.count());
const findAudit = (id: number) =>
  api.database.withTenant('acme-shop', (tx) =>
    tx.auditEntry.findMany({ where: { resourceType: 'credential', resourceId: String(id) }, orderBy: { id: 'asc' } }),
  );

describe('credentials', () => {
  test('are stored encrypted and returned without their secrets', async () => {
    const made = await call(api, 'POST', '/credentials', {
      body: {
        ...bearer({ name: 'ERP' }),
        tenant_id: 'other-shop',
        id: 1,
        status: 'revoked',
        config: { token: canary, test_url: 'https://erp.example.com/me', unknown: canary },
      },
    });
    expect(made.status).toBe(201);
    const { id } = made.body;
    expect(made.body).toEqual({
      id: expect.any(Number),
      tenant_id: 'acme-shop',
      credential_type_slug: 'core:bearer',
      name: 'ERP',
      status: 'active',
      public_config: { test_url: 'https://erp.example.com/me' },
      created_at: iso,
      updated_at: iso,
      last_test_at: null,
      last_test_ok: null,
      last_test_message: null,
    });
    expect(await call(api, 'GET', `/credentials/${id}`, { as: { roles: ['user'] } })).toMatchObject({
      status: 200,
      body: made.body,
    });
    const [row] = await api.database.withTenant(
      'acme-shop',
      (tx) =>
        tx.$queryRaw<
          object[]
        >`SELECT encode(c.config, 'escape') AS sealed, to_jsonb(c) - 'config' AS rest FROM credentials c WHERE id = ${id}`,
    );
    expect(JSON.stringify(row)).not.toContain(canary);
    expect(await findAudit(Number(id))).toMatchObject([
      { action: 'create', actorSub: 'test-admin', metadata: { name: 'ERP', credential_type_slug: 'core:bearer' } },
    ]);
  });

  test('are listed by name, all or those of a type', async () => {
    await make({
      name: 'b of list',
      credential_type_slug: 'core:basic',
      config: { username: 'u', password: 'pass-word' },
    });
    await make({ name: 'a of list' });
    const all = await call(api, 'GET', '/credentials', { as: { roles: ['user'] } });
    const rows = all.body['data'] as unknown as { name: string; credential_type_slug: string }[];
    const names = rows.map(({ name }) => name);
    expect(names.indexOf('a of list')).toBeLessThan(names.indexOf('b of list'));
    const basic = await call(api, 'GET', '/credentials?type=core:basic');
    expect(basic.body['data']).toEqual(rows.filter((row) => row.credential_type_slug === 'core:basic'));
    expect((await call(api, 'GET', '/credentials?type=core:none')).body).toEqual({ data: [] });
    expect((await call(api, 'GET', '/credentials', { as: { tenant: 'acme-outlet' } })).body).toEqual({ data: [] });
    expect(all.text).not.toContain(canary);
  });

  test.each([
    ['a required field that is missing', { config: {} }, { config: ['The field "Token" is required.'] }],
    ['a secret that is not text', { config: { token: 5 } }, { config: ['The field "Token" must be text.'] }],
    [
      'every fault at once',
      { config: { test_url: 'ftp://x' } },
      { config: [expect.any(String), expect.stringContaining('must be an http')] },
    ],
    ['a NUL character in the config', { config: { token: `a\0${canary}` } }, { config: [expect.any(String)] }],
    ['half of a surrogate pair', { config: { token: '\ud800' } }, { config: [expect.any(String)] }],
    ['a config that is a list', { config: [] }, { config: [expect.any(String)] }],
    ['a config that is text', { config: 'x' }, { config: [expect.any(String)] }],
    ['no config', { config: undefined }, { config: [expect.any(String)] }],
    ['a config that is too large', { config: { token: 'x'.repeat(66_000) } }, { config: [expect.any(String)] }],
    ['an unknown type', { credential_type_slug: 'core:none' }, { credential_type_slug: [expect.any(String)] }],
    [
      'a type with a NUL character',
      { credential_type_slug: 'core:\0' },
      { credential_type_slug: [expect.any(String)] },
    ],
    ['a prototype as type', { credential_type_slug: '__proto__' }, { credential_type_slug: [expect.any(String)] }],
    ['no type', { credential_type_slug: undefined }, { credential_type_slug: [expect.any(String)] }],
    ['no name', { name: undefined }, { name: [expect.any(String)] }],
    ['a number as name', { name: 5 }, { name: [expect.any(String)] }],
    ['a blank name', { name: '  ' }, { name: [expect.any(String)] }],
    ['a NUL character in the name', { name: 'a\0b' }, { name: [expect.any(String)] }],
    ['a name of 192 characters', { name: 'x'.repeat(192) }, { name: [expect.any(String)] }],
    ['an expiry that is not an instant', { expires_at: 'soon' }, { expires_at: [expect.any(String)] }],
    ['an expiry before our time', { expires_at: '0000-01-01' }, { expires_at: [expect.any(String)] }],
  ])('are refused for %s, and nothing is written', async (_name, more, errors) => {
    const before = await stored();
    const answer = await call(api, 'POST', '/credentials', { body: bearer(more) });
    expect(answer).toMatchObject({ status: 422, body: { message: invalid, errors } });
    expect(answer.text).not.toContain(canary);
    expect(await stored()).toBe(before);
  });

  test('may have a name of 191 characters, unique within a tenant', async () => {
    const name = 'n'.repeat(191);
    const { id } = await make({ name });
    const again = await call(api, 'POST', '/credentials', { body: bearer({ name }) });
    expect(again).toMatchObject({ status: 422, body: { message: invalid, errors: { name: [expect.any(String)] } } });
    const renamed = await call(api, 'PATCH', `/credentials/${(await make()).id}`, { body: { name } });
    expect(renamed).toMatchObject({ status: 422, body: { errors: { name: [expect.any(String)] } } });
    const itself = await call(api, 'PATCH', `/credentials/${id}`, { body: { name } });
    expect(itself.status).toBe(200);
    const other = await call(api, 'POST', '/credentials', { body: bearer({ name }), as: { tenant: 'acme-outlet' } });
    expect(other.status).toBe(201);
  });

  test('drop a prototype in the config, plain or escaped', async () => {
    for (const key of ['__proto__', '\\u005f_proto__']) {
      counter += 1;
      const body = `{"credential_type_slug":"core:bearer","name":"Proto ${counter}","config":{"token":"abcdef","${key}":{"test_url":"https://x.example"}}}`;
      const answer = await call(api, 'POST', '/credentials', { body });
      expect(answer).toMatchObject({ status: 201, body: { public_config: {} } });
    }
  });

  test('keep their secrets when an editor sends its view back, and clear an optional one by null', async () => {
    const type = 'core:basic';
    const { id } = await make({ credential_type_slug: type, config: { username: 'old', password: canary } });
    const changed = await call(api, 'PATCH', `/credentials/${id}`, { body: { config: { username: 'new' } } });
    expect(changed).toMatchObject({ status: 200, body: { public_config: { username: 'new' } } });
    const opened = await readCredential(api.deps, 'acme-shop', BigInt(id));
    expect(opened?.config).toEqual({ username: 'new', password: canary });
    const emptied = await call(api, 'PATCH', `/credentials/${id}`, {
      body: { config: { username: 'new', password: null } },
    });
    expect(emptied).toMatchObject({ status: 422, body: { errors: { config: ['The field "Password" is required.'] } } });
    const incomplete = await call(api, 'PATCH', `/credentials/${id}`, { body: { config: {} } });
    expect(incomplete).toMatchObject({ status: 422, body: { errors: { config: ['The field "User" is required.'] } } });
    expect((await findAudit(id)).map(({ action, metadata }) => [action, metadata])).toEqual([
      ['create', expect.anything()],
      ['update', { changed: ['config'] }],
    ]);
  });

  test('are unchanged by a refused change', async () => {
    const { id } = await make();
    const before = await call(api, 'GET', `/credentials/${id}`);
    for (const [body, field] of [
      [{ name: 'a\0b' }, 'name'],
      [{ name: 7 }, 'name'],
      [{ config: { token: ['x'] } }, 'config'],
      [{ config: { token: '\udfff' } }, 'config'],
      [{ name: 'New', config: { test_url: 'no url' } }, 'config'],
      [{ name: 'New', expires_at: 'x' }, 'expires_at'],
    ] as const) {
      const refused = await call(api, 'PATCH', `/credentials/${id}`, { body });
      expect(refused).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
    }
    const ignored = { tenant_id: 'other-shop', status: 'revoked', credential_type_slug: 'core:basic', id: 1 };
    expect(await call(api, 'PATCH', `/credentials/${id}`, { body: ignored })).toMatchObject({ status: 200 });
    expect((await call(api, 'GET', `/credentials/${id}`)).body).toEqual(before.body);
    expect(await findAudit(id)).toHaveLength(1);
  });

  test('wait for their authorisation if the type is 3-legged', async () => {
    const { id } = await make({
      credential_type_slug: 'core:oauth2',
      config: {
        authorize_url: 'https://id.example.com/authorize',
        token_url: 'https://id.example.com/token',
        client_id: 'c',
        client_secret: canary,
      },
    });
    expect((await call(api, 'GET', `/credentials/${id}`)).body).toMatchObject({
      status: 'pending',
      public_config: { client_id: 'c' },
    });
  });

  test('are deleted with a response that names the workflows that still use them', async () => {
    const { id } = await make();
    const blob = {
      version: 'v1',
      nodes: [
        {
          id: 'send',
          node: 'core:http-request',
          version: 'latest',
          config: { url: 'https://x.example', credential: id },
        },
      ],
      edges: [],
    };
    const workflow = await call(api, 'POST', '/workflows', { body: { name: 'Uses it', blob } });
    expect(workflow.status).toBe(201);
    expect(await call(api, 'GET', `/workflows/${workflow.body['id']}/credentials`)).toMatchObject({
      status: 200,
      body: {
        data: [{ node_id: 'send', field: 'credential', credential_id: id, credential_type_slug: 'core:bearer' }],
      },
    });
    const deleted = await call(api, 'DELETE', `/credentials/${id}`);
    expect(deleted).toMatchObject({ status: 204, text: '' });
    expect(deleted.headers['warning']).toBe(`299 - "Workflows that still name the credential: ${workflow.body['id']}"`);
    expect(await call(api, 'GET', `/credentials/${id}`)).toMatchObject({ status: 404 });
    expect((await findAudit(id)).map(({ action }) => action)).toEqual(['create', 'delete']);
    const unused = await call(api, 'DELETE', `/credentials/${(await make()).id}`);
    expect(unused.status).toBe(204);
    expect(unused.headers['warning']).toBeUndefined();
  });

  test(`are at most ${credentialsPerTenant} in a tenant`, async () => {
    await api.database.withTenant('acme-outlet', async (tx) => {
      const held = await tx.credential.count();
      const row = { tenantId: 'acme-outlet', credentialTypeSlug: 'core:bearer', publicConfig: {}, configKeyVersion: 1 };
      await tx.credential.createMany({
        data: Array.from({ length: credentialsPerTenant - held }, (_, index) => ({
          ...row,
          name: `Full ${index}`,
          config: new Uint8Array([1]),
        })),
      });
    });
    const as = { tenant: 'acme-outlet' };
    const refused = await call(api, 'POST', '/credentials', { body: bearer(), as });
    expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining('at most 1000') } });
    const list = (await call(api, 'GET', '/credentials', { as })).body['data'] as unknown as object[];
    expect(list).toHaveLength(credentialsPerTenant);
  });
});
