import { Ajv2020 } from 'ajv/dist/2020.js';
import pg from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { isAdmin, isIdParam, pathParams } from '#rest/route.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, readyWorkflow } from '#test/setup/engine.ts';
import { call, everyByteRoute, everyRoute, fillPath } from './rest.ts';

let api: TestApp;
let owner: pg.Client;
/** Objects of tenant acme-shop, by parameter and by the first segment of a path whose parameter is `id`. */
let owned: Record<
  'n' | 'm' | 'workflowId' | 'triggerId' | 'runId' | 'workflows' | 'runs' | 'dead-letters' | 'credentials',
  number
>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  const { workflowId, handle } = await readyWorkflow(api, { nodes: [] });
  const runId = await fireRun(api, { tenantId: 'acme-shop', handle });
  await call(api, 'PATCH', `/workflows/${workflowId}`, { body: { active: false } });
  const { body: fired } = await call(api, 'POST', `/webhooks/${handle}`, { body: {} });
  const { body: triggers } = await call(api, 'GET', `/workflows/${workflowId}/triggers`);
  const [{ id: triggerId }] = triggers['data'] as unknown as [{ id: number }];
  const letter = Number(fired['dead_letter_id']);
  const { body: credential } = await call(api, 'POST', '/credentials', {
    body: { credential_type_slug: 'core:bearer', name: 'Owned', config: { token: 'a-token' } },
  });
  const credentials = Number(credential['id']);
  owned = {
    n: 1,
    m: 1,
    workflowId,
    triggerId,
    runId,
    workflows: workflowId,
    runs: runId,
    'dead-letters': letter,
    credentials,
  };
  expect(Object.values(owned).every((id) => id > 0)).toBe(true);
});
afterAll(async () => {
  await owner.end();
});

const scoped = everyRoute.filter(({ row }) => row.access.scope !== null);
const tenantScoped = everyRoute.filter(({ row }) => ['member', 'admin'].includes(row.access.scope ?? ''));
const withIds = everyRoute.filter(({ row }) => pathParams(row.path).some(isIdParam));
// Nothing reads the body of a GET.
const withBody = everyRoute.filter(({ method, row }) => row.body && method !== 'GET');
const withJson = withBody.filter(({ row }) => 'application/json' in (row.body?.content() ?? {}));

const paged = everyRoute.filter(({ row }) => row.query instanceof z.ZodObject && 'per_page' in row.query.shape);

const roleFor = {
  operator: 'operator',
  admin: 'admin',
  member: 'user',
  tester: 'user',
  authenticated: 'user',
} as const;
const allowed = (row: (typeof everyRoute)[number]['row']) => ({
  roles: row.access.scope ? [roleFor[row.access.scope as keyof typeof roleFor]] : [],
});
const fault = (message: string) => ({ message });

/** A value for each field of a row's body that is not of the field's type. */
function wrongFields(row: (typeof everyRoute)[number]['row']): [string, unknown][] {
  const schema: { properties?: Record<string, object> } = row.body?.content()['application/json']?.schema ?? {};
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  return Object.entries(schema.properties ?? {}).flatMap(([field, schema]): [string, unknown][] => {
    const fits = ajv.compile(schema);
    const wrong = [1.5, 'text', [], {}, true].find((value) => !fits(value));
    return wrong === undefined ? [] : [[field, wrong]];
  });
}

/** How many rows the tables hold that requests write to. */
async function written(): Promise<unknown> {
  const tables = [
    'orgs',
    'tenants',
    'workflows',
    'triggers',
    'runs',
    'dead_letters',
    'audit_entries',
    'node_packages',
    'credentials',
  ];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table}) AS ${table}`);
  const { rows } = await owner.query(`SELECT ${counts.join(', ')}`);
  return rows[0];
}

describe('every route', () => {
  test.each(scoped)('$name answers 401 without a token, whatever the body', async ({ method, row }) => {
    const answer = await call(api, method, fillPath(row), { as: { bearer: null }, ...(row.body && { body: '{' }) });
    expect(answer).toMatchObject({ status: 401, body: fault('Unauthenticated.') });
  });

  test.each(scoped)('$name answers 401 to a token that is not one', async ({ method, row }) => {
    const answer = await call(api, method, fillPath(row), { as: { bearer: 'eyJhbGciOiJub25lIn0.e30.' } });
    expect(answer).toMatchObject({ status: 401, body: fault('Unauthenticated.') });
  });

  test.each(tenantScoped)(
    '$name answers 403 without a tenant, and to a tenant of another org',
    async ({ method, row }) => {
      for (const tenant of [null, 'other-shop', 'nobody']) {
        const answer = await call(api, method, fillPath(row), { as: { tenant } });
        expect(answer).toMatchObject({ status: 403, body: fault('Tenant context is required.') });
      }
    },
  );

  test.each(scoped.filter(({ row }) => row.access.scope !== 'authenticated'))(
    '$name answers 403 without the role',
    async ({ method, row }) => {
      const { scope } = row.access;
      const roles = scope === 'tester' ? [] : [scope === 'member' ? 'operator' : 'user'];
      const answer = await call(api, method, fillPath(row), { as: { roles }, ...(row.body && { body: '{' }) });
      expect(answer).toMatchObject({ status: 403, body: fault('This action is unauthorized.') });
    },
  );

  test.each(withIds)('$name answers 404 to an unknown id', async ({ method, row }) => {
    const answer = await call(api, method, fillPath(row), { as: allowed(row), body: row.example?.body });
    expect(answer).toMatchObject({ status: 404 });
  });

  test.each(withIds)('$name answers 404 to an id that is not an integer', async ({ method, row }) => {
    for (const id of ['abc', '-1', '1.5', '99999999999999999999', '%20', "1'--"]) {
      const ids = Object.fromEntries(
        pathParams(row.path)
          .filter(isIdParam)
          .map((name) => [name, id]),
      );
      const answer = await call(api, method, fillPath(row, ids), { as: allowed(row), body: row.example?.body });
      expect(answer).toMatchObject({ status: 404, body: fault('Not found.') });
    }
  });

  test.each([...everyRoute, ...everyByteRoute])(
    '$name answers 405 with the allowed methods to any other method',
    async ({ row }) => {
      const siblings = [...everyRoute, ...everyByteRoute]
        .filter((other) => other.row.path === row.path)
        .map(({ method }) => method);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((one) => !siblings.includes(one))) {
        const answer = await call(api, method, fillPath(row), { as: { bearer: null } });
        expect(answer).toMatchObject({ status: 405, body: fault('Method not allowed.') });
        expect(String(answer.headers['allow']).split(', ')).toEqual(expect.arrayContaining(siblings));
      }
    },
  );

  test.each(withJson)('$name answers 400 to a body that is not JSON', async ({ method, row }) => {
    for (const body of ['{', '{"a":}', 'name=x']) {
      const answer = await call(api, method, fillPath(row), { as: allowed(row), body });
      expect(answer).toMatchObject({ status: 400, body: fault('The request body is not valid JSON.') });
    }
  });

  test.each(withJson)('$name answers 422 to JSON that is not an object', async ({ method, row }) => {
    for (const body of ['[]', '"text"', '1', 'null']) {
      const answer = await call(api, method, fillPath(row), { as: allowed(row), body });
      expect(answer).toMatchObject({
        status: 422,
        body: { message: 'The given data was invalid.', errors: { body: [expect.any(String)] } },
      });
    }
  });

  test.each(withJson)(
    '$name answers 422 naming each field of a wrong type, and writes nothing',
    async ({ method, row }) => {
      const before = await written();
      for (const [field, wrong] of wrongFields(row)) {
        const body = { ...(row.example?.body as object), [field]: wrong };
        const answer = await call(api, method, fillPath(row), { as: allowed(row), body });
        expect(answer).toMatchObject({ status: 422, body: { message: 'The given data was invalid.' } });
        expect(Object.keys(answer.body['errors'] ?? {}).map((path) => path.split('.')[0])).toContain(field);
      }
      expect(await written()).toEqual(before);
    },
  );

  test.each(withIds)("$name answers 404 to another tenant's id", async ({ method, row }) => {
    const ids = { ...owned, id: owned[row.path.split('/')[1] as keyof typeof owned] };
    const as = allowed(row);
    const answer = await call(api, method, fillPath(row, ids), {
      as: { ...as, tenant: 'acme-outlet' },
      body: row.example?.body,
    });
    expect(answer).toMatchObject({ status: 404, body: fault('Not found.') });
    // The same id is there for its own tenant.
    if (method === 'GET') expect(await call(api, method, fillPath(row, ids), { as })).toMatchObject({ status: 200 });
  });

  test.each(withBody)('$name answers 413 to a body over the limit', async ({ method, row }) => {
    const body = `{"a":"${'x'.repeat(row.body?.takes === 'stream' ? 33 * 1024 * 1024 : 1024 * 1024)}"}`;
    const answer = await call(api, method, fillPath(row), { as: allowed(row), body });
    expect(answer).toMatchObject({ status: 413, body: fault('The request body is too large.') });
  });

  test.each(paged)('$name returns pages of at most 100', async ({ method, row }) => {
    const { id } = (await call(api, 'POST', '/workflows', { body: { name: row.name } })).body;
    const path = fillPath(row, { id: Number(id) });
    expect(await call(api, method, `${path}?per_page=100&page=1000`)).toMatchObject({
      status: 200,
      body: { data: [] },
    });
    for (const [query, field] of [
      ['per_page=101', 'per_page'],
      ['per_page=100&page=1002', 'page'],
    ] as const) {
      const answer = await call(api, method, `${path}?${query}`);
      expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
    }
  });

  test.each(everyRoute.filter(({ row }) => isAdmin(row)))(
    '$name is served under /v1 as well',
    async ({ method, row }) => {
      const answer = await call(api, method, `/v1${fillPath(row)}`, { as: { roles: ['user'] } });
      expect(answer.status).toBe(403);
    },
  );
});
