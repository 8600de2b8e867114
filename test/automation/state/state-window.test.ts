import fc from 'fast-check';
import { beforeEach, describe, expect } from 'vitest';
import { openState } from '#src/automation/state/state-store.service.ts';
import { afterPrefix } from '#src/automation/state/state.rules.ts';
import { call } from '#test/rest-compat/rest.ts';
import { anyText } from '#test/setup/any-text.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { readyWorkflow } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await readyWorkflow(api, { nodes: [], state: { namespaces: { declared: 'read' } } });
});

const names = ['orders', 'prices'];
const store = (tenantId = 'acme-shop') =>
  openState(api.deps, tenantId, Object.fromEntries(names.map((name) => [name, 'read_write' as const])));
const set = (key: string, value: unknown, more: object = {}) =>
  store().set({ namespace: 'orders', key, value, ...more });
const path = (key: string, namespace = 'orders') => `/state/${namespace}/entries/${encodeURIComponent(key)}`;
const put = (key: string, body: unknown, as: Caller = {}) => call(api, 'PUT', path(key), { body, as });
const instant = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T.*Z$/);

beforeEach(async () => {
  await api.database.system.query('DELETE FROM state_entries');
});

async function list(query: string, as: Caller = {}) {
  const { status, body } = await call(api, 'GET', `/state/orders/entries${query}`, { as });
  expect(status).toBe(200);
  return body as unknown as {
    data: { key: string; value: unknown }[];
    meta: { per_page: number; next_cursor: string | null; prev_cursor: string | null };
  };
}
const listKeys = ({ data }: { data: { key: string }[] }) => data.map(({ key }) => key);

describe('the namespaces', () => {
  test('are listed with their sums', async () => {
    await set('a', 'x');
    await store().set({ namespace: 'prices', key: 'ü', value: { n: 1 } });
    const { body } = await call(api, 'GET', '/state/namespaces', { as: { roles: ['user'] } });
    expect(body).toEqual({
      data: [
        { namespace: 'orders', entries: 1, bytes: 4, updated_at: instant },
        { namespace: 'prices', entries: 1, bytes: 9, updated_at: instant },
      ],
    });
    const other = await call(api, 'GET', '/state/namespaces', { as: { tenant: 'acme-outlet' } });
    expect(other.body).toEqual({ data: [] });
  });
});

describe('the entries', () => {
  test('are listed in byte order, unchanged', async () => {
    for (const key of ['b', 'ä', 'a', 'B', 'a/b', '\u{1f600}', '\uffee']) await set(key, { key }, { ttlSeconds: 60 });
    const { data, meta } = await list('');
    expect(listKeys({ data })).toEqual(['B', 'a', 'a/b', 'b', 'ä', '\uffee', '\u{1f600}']);
    expect(data[0]).toEqual({ key: 'B', value: { key: 'B' }, version: 1, expires_at: instant, updated_at: instant });
    expect(meta).toEqual({ per_page: 50, next_cursor: null, prev_cursor: null });
  });

  test('are filtered by a literal prefix', async () => {
    for (const key of ['50%', '50_', '500', '5', 'a%b', '50%x', '\ud7ff', '\ud7ffa', '\ue000']) await set(key, null);
    expect(listKeys(await list('?prefix=50%25'))).toEqual(['50%', '50%x']);
    expect(listKeys(await list('?prefix=50'))).toEqual(['50%', '50%x', '500', '50_']);
    expect(listKeys(await list(`?prefix=${encodeURIComponent('\ud7ff')}`))).toEqual(['\ud7ff', '\ud7ffa']);
    expect(listKeys(await list('?prefix=nothing'))).toEqual([]);
    expect(listKeys(await list('?prefix='))).toHaveLength(9);
  });

  test('are paged in both directions with one kind of cursor', async () => {
    const keys = Array.from({ length: 7 }, (_, n) => `k${n}`);
    for (const key of ['j', ...keys, 'l']) await set(key, key);
    const first = await list('?prefix=k&limit=3');
    expect([listKeys(first), first.meta.prev_cursor, first.meta.per_page]).toEqual([keys.slice(0, 3), null, 3]);
    const second = await list(`?prefix=k&limit=3&cursor=${first.meta.next_cursor}`);
    expect(listKeys(second)).toEqual(keys.slice(3, 6));
    const third = await list(`?prefix=k&limit=3&cursor=${second.meta.next_cursor}`);
    expect([listKeys(third), third.meta.next_cursor]).toEqual([keys.slice(6), null]);
    expect(listKeys(await list(`?prefix=k&limit=3&cursor=${third.meta.prev_cursor}`))).toEqual(keys.slice(3, 6));
    expect(listKeys(await list(`?prefix=k&limit=3&cursor=${second.meta.prev_cursor}`))).toEqual(keys.slice(0, 3));
  });

  test('are paged whatever the length of their keys', async () => {
    const keys = ['\u{1f600}', 'x', 'ü'].map((unit) => unit.repeat(512 / unit.length)).toSorted();
    for (const key of keys) await set(key, 1);
    const { meta } = await list('?limit=1');
    const next = await list(`?limit=1&cursor=${meta.next_cursor}`);
    expect(next.data).toHaveLength(1);
    const [emoji = ''] = listKeys(await list(`?limit=1&prefix=${encodeURIComponent('\u{1f600}')}`));
    expect(emoji).toHaveLength(512);
    const last = await api.graphql<{ stateEntries: { edges: { cursor: string }[] } }>(
      '{ stateEntries(namespace: "orders", last: 1) { edges { cursor } } }',
    );
    const before = await api.graphql(
      'query ($before: String) { stateEntries(namespace: "orders", last: 5, before: $before) { totalCount edges { node { key } } } }',
      { before: last.data.stateEntries.edges[0]?.cursor },
    );
    expect(before.data).toMatchObject({ stateEntries: { totalCount: 3, edges: [{}, {}] } });
  });

  test('end a page before it exceeds 4 MiB, without skipping any, in both directions', async () => {
    // Keys count as well: sixteen of these are 4 MiB to the byte.
    const large = (key: string) => 'x'.repeat(256 * 1024 - 2 - Buffer.byteLength(key));
    const keys = Array.from({ length: 20 }, (_, n) => `k${String(n).padStart(2, '0')}`);
    for (const key of keys) await set(key, large(key));
    const first = await list('?limit=100');
    expect([listKeys(first), first.meta.per_page]).toEqual([keys.slice(0, 16), 100]);
    const second = await list(`?limit=100&cursor=${first.meta.next_cursor}`);
    expect([listKeys(second), second.meta.next_cursor]).toEqual([keys.slice(16), null]);
    expect(listKeys(await list(`?limit=100&cursor=${second.meta.prev_cursor}`))).toEqual(keys.slice(0, 16));
    await set('k00', `${large('k00')}x`.slice(0, 256 * 1024 - 2));
    expect(listKeys(await list('?limit=100'))).toEqual(keys.slice(0, 15));
    const { data } = await api.graphql<{ stateEntries: object }>(
      '{ stateEntries(namespace: "orders", last: 100) { edges { node { key } } pageInfo { hasPreviousPage } totalCount } }',
    );
    expect(data.stateEntries).toEqual({
      edges: keys.slice(4).map((key) => ({ node: { key } })),
      pageInfo: { hasPreviousPage: true },
      totalCount: 20,
    });
  });

  test.each(['limit=0', 'limit=101', 'limit=-1', 'limit=1.5', 'limit=x'])('refuse the query %s', async (query) => {
    const answer = await call(api, 'GET', `/state/orders/entries?${query}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: { limit: [expect.any(String)] } } });
  });

  test('take a limit from 1 to 100', async () => {
    await Promise.all(Array.from({ length: 102 }, (_, n) => set(`n${n}`, n)));
    expect((await list('?limit=1')).data).toHaveLength(1);
    expect((await list('?limit=100')).data).toHaveLength(100);
    expect((await list('')).data).toHaveLength(50);
  });

  test('refuse cursors that this list did not issue', async () => {
    for (const key of ['a1', 'a2', 'b']) await set(key, 1);
    const given = String((await list('?limit=1')).meta.next_cursor);
    const flipped = [0, 5, 20, given.length - 1].map((at) => {
      const other = given[at] === 'A' ? 'B' : 'A';
      return `${given.slice(0, at)}${other}${given.slice(at + 1)}`;
    });
    const refused = async (query: string, as: Caller = {}, namespace = 'orders') => {
      const answer = await call(api, 'GET', `/state/${namespace}/entries?${query}`, { as });
      expect([query, answer.status, answer.body]).toEqual([
        query,
        422,
        { message: 'The given data was invalid.', errors: { cursor: [expect.any(String)] } },
      ]);
    };
    for (const cursor of [...flipped, 'x', '', `${given}A`, given.slice(1), '%00', 'é'.repeat(50), 'A'.repeat(5_000)])
      await refused(`cursor=${cursor}`);
    await refused(`cursor=${given}&prefix=a`);
    await store().set({ namespace: 'prices', key: 'a1', value: 1 });
    await refused(`cursor=${given}`, {}, 'prices');
    await store('acme-outlet').set({ namespace: 'orders', key: 'a1', value: 1 });
    await refused(`cursor=${given}`, { tenant: 'acme-outlet' });
  });

  test.each(['\0', '\ud800', 'k'.repeat(513)])('refuse a prefix that begins no key', async (prefix) => {
    const { errors } = await api.graphql<{ stateEntries: unknown }>(
      'query ($prefix: String) { stateEntries(namespace: "orders", prefix: $prefix) { edges { cursor } } }',
      { prefix },
    );
    expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  });

  test('of a namespace that nobody uses or declares are not found', async () => {
    expect((await call(api, 'GET', '/state/declared/entries')).body).toMatchObject({ data: [] });
    for (const namespace of ['nobody', '%00', '..%2F..', 'a b', '__proto__', 'x'.repeat(65)]) {
      const answer = await call(api, 'GET', `/state/${namespace}/entries`);
      expect([namespace, answer.status, answer.body]).toEqual([namespace, 404, { message: 'Not found.' }]);
    }
  });

  test('that have expired are not listed', async () => {
    await set('gone', 1, { ttlSeconds: 60 });
    await api.database.system.query(`UPDATE state_entries SET expires_at = now()`);
    expect((await list('')).data).toEqual([]);
    expect((await call(api, 'GET', path('gone'))).status).toBe(404);
    expect((await call(api, 'DELETE', path('gone'))).status).toBe(404);
  });
});

describe('a single entry', () => {
  test('is read, corrected and deleted, and each correction is audited', async () => {
    await set('last', { order: 1 });
    const read = await call(api, 'GET', path('last'), { as: { roles: ['user'] } });
    const entry = { key: 'last', value: { order: 1 }, version: 1, expires_at: null, updated_at: instant };
    expect(read).toMatchObject({ status: 200, body: entry });
    expect(Object.keys(read.body).toSorted()).toEqual(Object.keys(entry).toSorted());
    const corrected = await put('last', { value: [2], version: 1 });
    expect(corrected).toMatchObject({ status: 200, body: { ...entry, value: [2], version: 2 } });
    expect(await put('last', { value: null })).toMatchObject({ status: 200, body: { value: null, version: 3 } });
    expect(await store().get('orders', 'last')).toEqual({ value: null, version: 3 });
    expect(await put('made', { value: 1, version: 0 })).toMatchObject({ status: 201, body: { version: 1 } });
    expect(await call(api, 'DELETE', path('last'))).toMatchObject({ status: 204, text: '' });
    expect((await call(api, 'GET', path('last'))).status).toBe(404);
    expect((await call(api, 'DELETE', path('last'))).status).toBe(404);
    const { rows } = await api.database.system.query(
      `SELECT action, resource_id, metadata, actor_sub FROM audit_entries WHERE resource_type = 'state_entry' ORDER BY id`,
    );
    expect(rows.map(({ action, resource_id, metadata }) => [action, resource_id, metadata])).toEqual([
      ['update', 'orders/last', { version: 2 }],
      ['update', 'orders/last', { version: 3 }],
      ['create', 'orders/made', { version: 1 }],
      ['delete', 'orders/last', null],
    ]);
    expect(new Set(rows.map(({ actor_sub }) => actor_sub))).toEqual(new Set(['test-admin']));
  });

  test('is not overwritten with a stale version', async () => {
    await set('cas', 1);
    await set('cas', 2);
    for (const version of [0, 1, 3]) {
      const answer = await put('cas', { value: 'lost', version });
      expect(answer).toMatchObject({ status: 409, body: { message: expect.stringContaining('version 2') } });
    }
    expect(await put('absent', { value: 1, version: 4 })).toMatchObject({ status: 409 });
    expect(await store().get('orders', 'cas')).toEqual({ value: 2, version: 2 });
    expect((await call(api, 'GET', path('absent'))).status).toBe(404);
  });

  test('keeps its expiry when it is corrected', async () => {
    await set('brief', 1, { ttlSeconds: 60 });
    const { body: before } = await call(api, 'GET', path('brief'));
    for (const version of [1, undefined]) {
      const { body } = await put('brief', { value: 2, version });
      expect(body['expires_at']).toBe(before['expires_at']);
    }
    expect(before['expires_at']).toEqual(instant);
  });

  test.each([
    'a/b/c',
    '/',
    '%',
    '%2F',
    'a b',
    'a+b',
    'ä\u{1f600}',
    "'; DROP TABLE--",
    '__proto__',
    'a?b#c',
    '\\',
    '"',
    '\u2028',
    'k'.repeat(512),
    'ü'.repeat(512),
  ])('may have any key, percent-encoded: %j', async (key) => {
    expect(await put(key, { value: { key } })).toMatchObject({ status: 201, body: { key, value: { key } } });
    expect(await call(api, 'GET', path(key))).toMatchObject({ status: 200, body: { key } });
    expect(await store().get('orders', key)).toEqual({ value: { key }, version: 1 });
    expect((await call(api, 'DELETE', path(key))).status).toBe(204);
  });

  test.each(['\0', 'a\0b', 'k'.repeat(513)])('is not written under a key that cannot be', async (key) => {
    expect(await put(key, { value: 1 })).toMatchObject({
      status: 422,
      body: { errors: { key: [expect.any(String)] } },
    });
    for (const method of ['GET', 'DELETE']) expect((await call(api, method, path(key))).status).toBe(404);
  });

  test('with a key that no URL can contain is reached over the graph', async () => {
    for (const key of ['.', '..']) {
      const { data } = await api.graphql(
        `mutation ($key: String!) {
          putStateEntry(input: { namespace: "orders", key: $key, value: 1, version: 0 }) {
            ... on PutStateEntryPayload { made entry { namespace key version } }
          }
        }`,
        { key },
      );
      expect(data).toEqual({ putStateEntry: { made: true, entry: { namespace: 'orders', key, version: 1 } } });
    }
  });

  test('with a malformed percent-encoded key is not found', async () => {
    expect((await call(api, 'GET', '/state/orders/entries/%zz')).status).toBe(404);
    expect((await call(api, 'GET', '/state/orders/entries/%ff')).status).toBe(404);
  });

  const deep = `${'['.repeat(5_000)}${']'.repeat(5_000)}`;
  test.each<[string, string, string]>([
    ['no value', '{}', 'value'],
    ['a version that is text', '{"value":1,"version":"1"}', 'version'],
    ['a negative version', '{"value":1,"version":-1}', 'version'],
    ['a NUL in the value', '{"value":{"a":"\\u0000"}}', 'value'],
    ['half a pair in the value', '{"value":["\\ud800"]}', 'value'],
    ['a value over 256 KiB', `{"value":"${'x'.repeat(256 * 1024)}"}`, 'value'],
    ['a value that nests without end', `{"value":${deep}}`, 'value'],
    ['a member that entries do not have', '{"value":1,"namespace":"prices"}', 'namespace'],
  ])('with %s is refused, and nothing written', async (_what, body, field) => {
    const answer = await call(api, 'PUT', path('hostile'), { body });
    expect([answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([422, [field]]);
    expect((await call(api, 'GET', path('hostile'))).status).toBe(404);
  });

  test('stores values that are exactly at the limit, and ignores members of the entry itself', async () => {
    const value = 'x'.repeat(256 * 1024 - 2);
    const body = {
      value,
      tenant_id: 'acme-outlet',
      key: 'other',
      expires_at: '2000-01-01T00:00:00Z',
    };
    expect(await put('limit', body)).toMatchObject({ status: 201, body: { key: 'limit', expires_at: null } });
    expect(await store().get('orders', 'limit')).toEqual({ value, version: 1 });
    expect(await store('acme-outlet').get('orders', 'limit')).toBeUndefined();
    expect(await put('proto', '{"value":{"a":{"__proto__":{"b":1}}}}')).toMatchObject({
      status: 201,
      body: { value: { a: {} } },
    });
  });

  test('is created only in a namespace that a workflow declares', async () => {
    expect((await call(api, 'PUT', path('a', 'declared'), { body: { value: 1 } })).status).toBe(201);
    for (const namespace of ['nobody', 'a b', '__proto__', '%00']) {
      expect((await call(api, 'PUT', path('a', namespace), { body: { value: 1 } })).status).toBe(404);
    }
    const { rows } = await api.database.system.query(`SELECT DISTINCT namespace FROM state_entries`);
    expect(rows).toEqual([{ namespace: 'declared' }]);
  });

  test('of another tenant is not found', async () => {
    await set('own', 1);
    for (const as of [{ tenant: 'acme-outlet' }, { tenant: 'other-shop', org_id: 'other' }]) {
      expect((await call(api, 'GET', path('own'), { as })).status).toBe(404);
      expect((await call(api, 'DELETE', path('own'), { as })).status).toBe(404);
      expect([200, 404]).toContain((await call(api, 'GET', '/state/orders/entries', { as })).status);
      // Its own declarations let nobody else write.
      expect((await call(api, 'PUT', path('own', 'declared'), { body: { value: 2 }, as })).status).toBe(404);
    }
    expect(await store().get('orders', 'own')).toEqual({ value: 1, version: 1 });
  });

  test('is corrected by admins only', async () => {
    await set('own', 1);
    const as = { roles: ['user'] };
    expect((await put('own', { value: 2 }, as)).status).toBe(403);
    expect((await call(api, 'DELETE', path('own'), { as })).status).toBe(403);
    expect(await store().get('orders', 'own')).toEqual({ value: 1, version: 1 });
  });
});

describe('the end of a prefix', () => {
  const bytes = (text: string) => Buffer.from(text, 'utf8');

  test('sorts after everything that begins with it, and before everything else that is greater than it', () => {
    const text = anyText({ maxLength: 4 }).filter((each) => each.isWellFormed());
    fc.assert(
      fc.property(
        text.filter((each) => each !== ''),
        text,
        text,
        (prefix, rest, other) => {
          const end = afterPrefix(prefix);
          const isBefore = (each: string) => end === undefined || Buffer.compare(bytes(each), bytes(end)) < 0;
          expect(isBefore(prefix + rest)).toBe(true);
          if (Buffer.compare(bytes(other), bytes(prefix)) >= 0) expect(isBefore(other)).toBe(other.startsWith(prefix));
        },
      ),
    );
    expect([afterPrefix('a'), afterPrefix('\ud7ff'), afterPrefix('a\u{10ffff}'), afterPrefix('\u{10ffff}')]).toEqual([
      'b',
      '\ue000',
      'b',
      undefined,
    ]);
  });
});
