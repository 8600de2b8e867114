import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/);
const outlet = { tenant: 'acme-outlet' };

const blobWith = (a: string) => ({
  version: 'v1',
  nodes: [{ id: 'a', node: 'core:set', version: 'latest', config: { values: { a } } }],
  edges: [],
});

const makeWorkflow = async (name: string, body: object = {}) => {
  const { status, body: workflow } = await call(api, 'POST', '/workflows', { body: { name, ...body } });
  expect(status).toBe(201);
  return workflow as unknown as { id: number; revision: number; version: number };
};

describe('workflows over REST', () => {
  test('returns a new workflow with exactly the fields of the contract', async () => {
    const answer = await call(api, 'POST', '/workflows', {
      body: { name: 'Orders', description: 'To the ERP', tenant_id: 'other-shop' },
    });
    expect(answer.status).toBe(201);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual({
      id: expect.any(Number),
      tenant_id: 'acme-shop',
      name: 'Orders',
      description: 'To the ERP',
      active: true,
      revision: 1,
      version: 1,
      blob: { version: 'v1', nodes: [], edges: [] },
      bundle: { status: 'building', revision: null, error: null, built_at: null },
      created_at: iso,
      updated_at: iso,
    });
  });

  test('lists rows without blobs, by page, with a total', async () => {
    for (const name of ['Paged one', 'Paged two', 'Paged three']) await makeWorkflow(name);
    const { body } = await call(api, 'GET', '/workflows?search=paged&per_page=2&page=2&active=true');
    expect(body).toEqual({
      data: [expect.objectContaining({ name: 'Paged one', revision: 1 })],
      meta: { current_page: 2, per_page: 2, total: 3, last_page: 2 },
    });
    expect(Object.keys(body['data']?.[0] ?? {})).not.toContain('blob');
    const none = await call(api, 'GET', '/workflows?search=nothing-like-it');
    expect(none.body).toEqual({ data: [], meta: { current_page: 1, per_page: 25, total: 0, last_page: 1 } });
  });

  test.each(['page=0', 'page=x', 'per_page=101', 'per_page=0', 'per_page=1.5', 'active=maybe', 'page[]=1&page[]=2'])(
    'answers 422 to ?%s with the field at fault',
    async (query) => {
      const { status, body } = await call(api, 'GET', `/workflows?${query}`);
      const field = query.split(/[=[]/)[0] as string;
      expect(status).toBe(422);
      expect(body).toEqual({ message: 'The given data was invalid.', errors: { [field]: [expect.any(String)] } });
    },
  );

  test.each([
    [{}, 'name'],
    [{ name: 1 }, 'name'],
    [{ name: 'x'.repeat(192) }, 'name'],
    [{ name: 'Ok', active: 'yes' }, 'active'],
    [{ name: 'Ok', description: ['a'] }, 'description'],
    [
      { name: 'Ok', blob: { version: 'v1', nodes: [{ id: 'a', node: 'core:set', version: 1 }] } },
      'blob.nodes.0.version',
    ],
  ])('answers 422 to the body %j under errors.%s, and makes nothing', async (body, field) => {
    const before = await call(api, 'GET', '/workflows');
    const answer = await call(api, 'POST', '/workflows', { body });
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: expect.objectContaining({ [field]: [expect.any(String)] }) },
    });
    const after = await call(api, 'GET', '/workflows');
    expect(after.body['meta']).toEqual(before.body['meta']);
  });

  test.each([
    ['name', { name: 'a\0b' }],
    ['description', { name: 'Ok', description: '\0' }],
    ['blob', { name: 'Ok', blob: blobWith('\0') }],
    ['blob', { name: 'Ok', blob: blobWith('\ud800') }],
  ])('answers 422 naming %s to text that Postgres cannot hold, %j', async (field, body) => {
    const answer = await call(api, 'POST', '/workflows', { body });
    expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.stringContaining('NUL')] } } });
    expect(await call(api, 'GET', '/workflows?search=%00')).toMatchObject({ status: 422 });
  });

  test('changes given members, and answers 409 to a stale revision without changing anything', async () => {
    const { id } = await makeWorkflow('Changing');
    const blob = {
      version: 'v1',
      nodes: [{ id: 'a', node: 'core:set', version: 'latest', config: { values: {} } }],
      edges: [],
    };
    const changed = await call(api, 'PATCH', `/workflows/${id}`, { body: { description: 'New', blob, revision: 1 } });
    expect(changed).toMatchObject({ status: 200, body: { description: 'New', revision: 2, name: 'Changing' } });
    const stale = await call(api, 'PATCH', `/workflows/${id}`, { body: { description: 'Newer', revision: 1 } });
    expect(stale).toMatchObject({ status: 409, body: { message: expect.stringContaining('revision 2') } });
    const found = await call(api, 'GET', `/workflows/${id}`);
    expect(found).toMatchObject({ status: 200, body: { description: 'New', revision: 2 } });
    const huge = await call(api, 'PATCH', `/workflows/${id}`, { body: { revision: 2 ** 40 } });
    expect(huge).toMatchObject({ status: 422, body: { errors: { revision: [expect.any(String)] } } });
  });

  test('counts every change in `version`, which guards all fields', async () => {
    const { id, version } = await makeWorkflow('Two editors');
    expect(version).toBe(1);
    const path = `/workflows/${id}`;
    const first = await call(api, 'PATCH', path, { body: { name: 'By the first editor', version: 1 } });
    expect(first).toMatchObject({ status: 200, body: { version: 2, revision: 1 } });
    const second = await call(api, 'PATCH', path, { body: { name: 'By the second', version: 1, revision: 1 } });
    expect(second).toMatchObject({
      status: 409,
      body: { message: 'The workflow is at version 2. Load it again and repeat your change.' },
    });
    const blob = { version: 'v1', nodes: [], edges: [] };
    for (const [body, after] of [
      [{ active: false }, 3],
      [{ description: 'x' }, 4],
      [{ blob: { ...blob, settings: { concurrency: 2 } } }, 5],
      [{}, 5],
    ] as const) {
      expect(await call(api, 'PATCH', path, { body })).toMatchObject({ status: 200, body: { version: after } });
    }
    expect(await call(api, 'POST', `${path}/revisions/1/restore`)).toMatchObject({ body: { version: 6, revision: 3 } });
    const update = `mutation ($input: UpdateWorkflowInput!) {
      updateWorkflow(input: $input) { ... on UpdateWorkflowPayload { workflow { version name } } ... on Error { code } }
    }`;
    const input = { id: String(id), name: 'By graph' };
    const stale = await api.graphql<object>(update, { input: { ...input, version: 5 } });
    expect(stale.data).toEqual({ updateWorkflow: { code: 'CONFLICT' } });
    const fresh = await api.graphql<object>(update, { input: { ...input, version: 6 } });
    expect(fresh.data).toEqual({ updateWorkflow: { workflow: { version: 7, name: 'By graph' } } });
  });

  test('builds again with 202, deletes with an empty 204, and then answers 404', async () => {
    const { id } = await makeWorkflow('Leaving');
    expect(await call(api, 'POST', `/workflows/${id}/build`)).toMatchObject({ status: 202, body: { id } });
    expect(await call(api, 'DELETE', `/workflows/${id}`)).toMatchObject({ status: 204, text: '' });
    expect(await call(api, 'GET', `/workflows/${id}`)).toMatchObject({ status: 404, body: { message: 'Not found.' } });
  });

  test("answers 404 to another tenant's ids, and changes nothing", async () => {
    const { id } = await makeWorkflow('Private');
    const calls: [string, string, object?][] = [
      ['GET', `/workflows/${id}`],
      ['PATCH', `/workflows/${id}`, { name: 'Taken over' }],
      ['DELETE', `/workflows/${id}`],
      ['POST', `/workflows/${id}/build`],
      ['GET', `/workflows/${id}/triggers`],
      ['POST', `/workflows/${id}/triggers`, { type: 'manual', name: 'x' }],
    ];
    for (const [method, path, body] of calls) {
      expect(await call(api, method, path, { as: outlet, body })).toMatchObject({
        status: 404,
        body: { message: 'Not found.' },
      });
    }
    expect(await call(api, 'GET', `/workflows/${id}`)).toMatchObject({ status: 200, body: { name: 'Private' } });
  });
});

describe('triggers over REST', () => {
  test('returns exactly the fields of the contract, and lists them under data', async () => {
    const { id } = await makeWorkflow('With triggers');
    const made = await call(api, 'POST', `/workflows/${id}/triggers`, { body: { type: 'webhook', name: 'Orders in' } });
    const trigger = {
      id: expect.any(Number),
      workflow_id: id,
      handle: uuid,
      type: 'webhook',
      name: 'Orders in',
      config: { respond: 'immediate' },
      active: true,
      created_at: iso,
      updated_at: iso,
    };
    expect(made.status).toBe(201);
    expect(made.body).toEqual(trigger);
    expect(await call(api, 'GET', `/workflows/${id}/triggers`)).toMatchObject({
      status: 200,
      body: { data: [made.body] },
    });
    const path = `/workflows/${id}/triggers/${made.body['id']}`;
    expect((await call(api, 'GET', path)).body).toEqual(made.body);
    const renamed = await call(api, 'PATCH', path, { body: { name: 'Renamed', handle: 'ignored' } });
    expect(renamed).toMatchObject({ status: 200, body: { name: 'Renamed', handle: made.body['handle'] } });
    expect(await call(api, 'DELETE', path)).toMatchObject({ status: 204, text: '' });
    expect(await call(api, 'GET', path)).toMatchObject({ status: 404 });
  });

  test('answers 422 with the field at fault', async () => {
    const { id } = await makeWorkflow('Bad triggers');
    const path = `/workflows/${id}/triggers`;
    const unknownType = await call(api, 'POST', path, { body: { type: 'carrier-pigeon', name: 'x' } });
    expect(unknownType).toMatchObject({ status: 422, body: { errors: { type: [expect.any(String)] } } });
    const badCron = await call(api, 'POST', path, { body: { type: 'schedule', name: 'x', config: { cron: 'never' } } });
    expect(badCron.status).toBe(422);
    expect(Object.keys(badCron.body['errors'] ?? {})).toEqual(['config.cron']);
  });

  test("answers 404 to a trigger under another workflow's path", async () => {
    const mine = await makeWorkflow('Mine');
    const other = await makeWorkflow('Other');
    const { body } = await call(api, 'POST', `/workflows/${mine.id}/triggers`, { body: { type: 'manual', name: 'x' } });
    const path = `/workflows/${other.id}/triggers/${body['id']}`;
    expect(await call(api, 'GET', path)).toMatchObject({ status: 404 });
    expect(await call(api, 'PATCH', path, { body: { name: 'y' } })).toMatchObject({ status: 404 });
    expect(await call(api, 'DELETE', path)).toMatchObject({ status: 404 });
    expect(await call(api, 'GET', `/workflows/${mine.id}/triggers/${body['id']}`)).toMatchObject({
      body: { name: 'x' },
    });
  });
});
