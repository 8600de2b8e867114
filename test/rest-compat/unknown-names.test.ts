import { describe, expect } from 'vitest';
import { z } from 'zod';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { call, callPlatform, everyPlatformRoute, everyRoute, fillPath } from './rest.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const roleFor: Record<string, string> = { operator: 'operator', admin: 'admin' };

type Route = (typeof everyRoute)[number] | (typeof everyPlatformRoute)[number];

/** True if the row declares its parameters: webhooks take any, OAuth providers add to theirs, and links are checked first. */
function isClosed({ row: { query, access } }: Route): boolean {
  if (access.link) return false;
  const catchall = query instanceof z.ZodObject ? (query.def.catchall as z.ZodType | undefined) : undefined;
  return query === undefined || (query instanceof z.ZodObject && (!catchall || 'under' in (catchall.meta() ?? {})));
}
const takesJson = ({ method, row }: Route): boolean =>
  method !== 'GET' &&
  method !== 'DELETE' &&
  (row.body === undefined || (row.body.takes === 'bytes' && 'application/json' in row.body.content()));

const send = ({ method, row }: Route, query: string, body?: unknown) =>
  everyPlatformRoute.some((route) => route.row === row)
    ? callPlatform(api, method, `${fillPath(row)}${query}`, { body })
    : call(api, method, `${fillPath(row)}${query}`, {
        as: { roles: [roleFor[row.access.scope ?? ''] ?? 'user'] },
        ...(body !== undefined && { body }),
      });

const everyKnown: Route[] = [...everyRoute, ...everyPlatformRoute];

describe('every route', () => {
  test.each(everyKnown.filter(isClosed))('$name refuses a parameter that it does not know', async (route) => {
    const answer = await send(route, '?page=1&no_such_parameter=1', route.row.example?.body);
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toMatchObject({
      no_such_parameter: [expect.stringContaining('The parameter no_such_parameter is not known here.')],
    });
  });

  test.each(everyKnown.filter(takesJson))('$name refuses a field that it does not know', async (route) => {
    const example = route.row.example?.body ?? {};
    const answer = await send(route, '', { ...example, no_such_field: 1 });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual({
      no_such_field: [expect.stringContaining('The field no_such_field is not known here.')],
    });
  });
});

describe('an unknown name', () => {
  test('is answered with the known name that it resembles, or with all known names', async () => {
    const misspelt = await callPlatform(api, 'GET', '/orders?statuss=pending');
    expect(misspelt).toMatchObject({
      status: 422,
      body: { errors: { statuss: ['The parameter statuss is not known here. Did you mean "status"?'] } },
    });
    const other = await call(api, 'GET', '/workflows?colour=red');
    expect(other.body['errors']).toEqual({
      colour: ['The parameter colour is not known here. Known: page, per_page, search, active.'],
    });
    const none = await call(api, 'GET', '/me?colour=red');
    expect(none.body['errors']).toEqual({
      colour: ['The parameter colour is not known here. There is no parameter to send here.'],
    });
  });

  test('is reported as it was sent, together with missing names', async () => {
    const { body } = await call(api, 'POST', '/workflows', { body: { Nmae: 'Orders', ['x'.repeat(70)]: 1 } });
    expect(body['errors']).toEqual({
      Nmae: ['The field Nmae is not known here. Did you mean "name"?'],
      name: ['The field name is required.'],
      ['x'.repeat(64)]: [expect.stringContaining('Known: name, description, blob, active.')],
    });
  });

  test('is found at any depth', async () => {
    const node = { id: 'a', node: 'core:set', version: '*', config: { any: 1 }, on_eror: 'continue' };
    const blob = { version: 'v1', nodes: [node], edges: [{ from: { node: 'a', brunch: 'x' }, to: 'b' }] };
    const { body } = await call(api, 'POST', '/workflows', { body: { name: 'Deep', blob } });
    expect(body['errors']).toEqual({
      'blob.nodes.0.on_eror': ['The field blob.nodes.0.on_eror is not known here. Did you mean "on_error"?'],
      'blob.edges.0.from.brunch': [expect.stringContaining('Did you mean "branch"?')],
    });
  });

  test('is reported at most 20 times', async () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`n${index}`, 1]));
    const { body, text } = await call(api, 'POST', '/workflows', { body: { name: 'Many', ...many } });
    expect(Object.keys(body['errors'] ?? {})).toHaveLength(20);
    expect(text.length).toBeLessThan(4_000);
  });
});

test('parameters that begin with _ are ignored', async () => {
  expect(await callPlatform(api, 'GET', '/orders?_=1732626000&_nocache=1')).toMatchObject({ status: 200 });
  expect(await call(api, 'GET', '/me?_=1732626000')).toMatchObject({ status: 200 });
});

test('a resource can be sent back as it was read, and only changeable fields change', async () => {
  const made = await call(api, 'POST', '/workflows', { body: { name: 'Sent back' } });
  const path = `/workflows/${made.body['id']}`;
  const read = await call(api, 'GET', path);
  const changed = await call(api, 'PATCH', path, { body: { ...read.body, description: 'Changed', id: 999_999 } });
  expect(changed).toMatchObject({ status: 200, body: { id: made.body['id'], description: 'Changed' } });
  const { body } = await call(api, 'PATCH', path, { body: { ...changed.body, descripton: 'x' } });
  expect(body['errors']).toEqual({ descripton: [expect.stringContaining('Did you mean "description"?')] });
});

describe('an n8n export', () => {
  const exported = {
    name: 'Orders',
    nodes: [{ parameters: {}, name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] }],
    connections: { Webhook: { main: [[]] } },
    active: false,
    settings: {},
    pinData: {},
  };
  const refusal = { blob: [expect.stringContaining('This is an n8n export, which cannot be used as it is')] };

  test.each([
    ['the body', exported],
    ['the blob', { name: 'Orders', blob: exported }],
  ])('is refused by what it is, as %s, and makes no workflow', async (_place, body) => {
    const count = async () => (await call(api, 'GET', '/workflows')).body['meta']?.['total'];
    const before = await count();
    const answer = await call(api, 'POST', '/workflows', { body });
    expect(answer.status).toBe(422);
    expect(answer.body['errors']).toEqual(refusal);
    expect(await count()).toBe(before);
  });

  test('is refused in the graph with the same message', async () => {
    const document = `mutation ($blob: JSON) {
      createWorkflow(input: { name: "Orders", blob: $blob }) {
        ... on ValidationError { fields { path messages } }
      }
    }`;
    const { data } = await api.graphql(document, { blob: exported });
    expect(data).toEqual({ createWorkflow: { fields: [{ path: 'blob', messages: refusal.blob }] } });
  });
});
