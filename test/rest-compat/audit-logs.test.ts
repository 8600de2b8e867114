import { describe, expect } from 'vitest';
import { type AuditRow, writeEntries } from '#test/journal/audit/audit-rows.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { call } from './rest.ts';

let api: TestApp;
/** Ids of acme-shop's entries, newest first. */
let ids: number[];
const operator: Caller = { sub: 'op', roles: ['operator'], tenant: null };
const row = (given: Partial<AuditRow> = {}): AuditRow => ({
  org: 'acme',
  tenant: 'acme-shop',
  sub: 'ann',
  email: 'ann@example.com',
  type: 'secret',
  action: 'update',
  ...given,
});

test.beforeAll(async ({ api: started }) => {
  api = started;
  const own = await writeEntries(
    api,
    Array.from({ length: 120 }, (_, n) =>
      row(n % 10 === 0 ? { sub: 'bob', email: 'bob@example.com', type: 'trigger' } : {}),
    ),
  );
  ids = own.toReversed();
  await writeEntries(api, [row({ tenant: 'acme-outlet' }), row({ org: 'other', tenant: 'other-shop', sub: 'eve' })]);
});

interface Feed {
  data: { id: number; tenant_id: string; actor_sub: string | null }[];
  meta: { per_page: number; next_cursor: string | null; prev_cursor: string | null };
}

async function feed(query = '', { path = '/audit-logs', as }: { path?: string; as?: Caller } = {}): Promise<Feed> {
  const answer = await call(api, 'GET', `${path}${query}`, as && { as });
  expect([query, answer.status, answer.body['errors']]).toEqual([query, 200, undefined]);
  return answer.body as unknown as Feed;
}
const listIds = ({ data }: Feed) => data.map(({ id }) => id);

describe('GET /audit-logs', () => {
  test('returns fifty entries newest first, with every field of the contract', async () => {
    const page = await feed();
    expect(listIds(page)).toEqual(ids.slice(0, 50));
    expect(page.meta).toEqual({ per_page: 50, next_cursor: expect.any(String), prev_cursor: null });
    expect(page.data[0]).toEqual({
      id: ids[0],
      org_id: 'acme',
      tenant_id: 'acme-shop',
      actor_sub: 'ann',
      via_system: false,
      channel: 'api',
      action: 'update',
      resource_type: 'secret',
      resource_id: '1',
      metadata: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test('pages with next_cursor to the oldest and back with prev_cursor to the newest', async () => {
    const first = await feed('?limit=50');
    const second = await feed(`?limit=50&cursor=${first.meta.next_cursor}`);
    const third = await feed(`?limit=50&cursor=${second.meta.next_cursor}`);
    expect([first, second, third].map(listIds)).toEqual([ids.slice(0, 50), ids.slice(50, 100), ids.slice(100)]);
    expect(third.meta.next_cursor).toBeNull();
    const back = await feed(`?limit=50&cursor=${third.meta.prev_cursor}`);
    expect(listIds(back)).toEqual(listIds(second));
    const newest = await feed(`?limit=50&cursor=${back.meta.prev_cursor}`);
    expect(newest).toEqual(first);
  });

  test.each([
    ['sub=bob', 12],
    ['resource_type=trigger', 12],
    ['action=update', 50],
    ['sub=bob&resource_type=trigger&action=update', 12],
    ['sub=bob&resource_type=secret', 0],
    ['sub=eve', 0],
    ['sub=', 0],
    ['action=no%20such%20action', 0],
    [`resource_type=${'x'.repeat(64)}`, 0],
  ])('narrows by %s', async (query, count) => {
    const page = await feed(`?${query}`);
    expect(page.data).toHaveLength(count);
    if (count < 50) expect(page.meta).toEqual({ per_page: 50, next_cursor: null, prev_cursor: null });
  });

  test.each(['1', '100'])('takes a limit of %s', async (limit) => {
    const page = await feed(`?limit=${limit}`);
    expect(page.data).toHaveLength(Number(limit));
    expect(page.meta.per_page).toBe(Number(limit));
  });

  test.each(['0', '101', '-1', '1.5', 'x', '', '99999999999999999999'])(
    'answers 422 to a limit of %j',
    async (limit) => {
      const answer = await call(api, 'GET', `/audit-logs?limit=${limit}`);
      expect(answer).toMatchObject({ status: 422, body: { errors: { limit: expect.any(Array) } } });
    },
  );

  test.each([
    ['sub', `sub=${'x'.repeat(256)}`],
    ['resource_type', `resource_type=${'x'.repeat(65)}`],
    ['action', `action=${'x'.repeat(65)}`],
    ['sub', 'sub=a%00b'],
    ['sub', 'sub[]=ann'],
  ])('answers 422 errors.%s to a filter that cannot be: %s', async (field, query) => {
    const answer = await call(api, 'GET', `/audit-logs?${query}`);
    expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
  });

  test('answers 422 errors.cursor to a cursor that is changed, unsigned, or of another tenant or filter', async () => {
    const { meta } = await feed('?limit=10&sub=ann');
    const cursor = meta.next_cursor as string;
    const admin = await feed('?limit=1', { path: '/admin/audit-logs', as: operator });
    const { data } = await api.graphql<{ auditLog: { edges: { cursor: string }[] } }>(
      '{ auditLog(filter: { sub: "ann" }, first: 1) { edges { cursor } } }',
    );
    const refused: [string, string?][] = [
      // Not its last character, of which some bits encode nothing.
      [`sub=ann&cursor=${cursor.slice(0, -5)}${cursor.at(-5) === 'A' ? 'B' : 'A'}${cursor.slice(-4)}`],
      [`sub=ann&cursor=A${cursor.slice(1)}`],
      [`sub=ann&cursor=${cursor.slice(1)}`],
      [`sub=ann&cursor=${cursor}%3D`],
      [`sub=ann&cursor=${data.auditLog.edges[0]?.cursor}`],
      [`cursor=${cursor}`],
      [`sub=bob&cursor=${cursor}`],
      [`sub=ann&action=update&cursor=${cursor}`],
      [`cursor=${admin.meta.next_cursor}`],
      [`cursor=${Buffer.from(`id:${ids[10]}`).toString('base64url')}`],
      ['cursor='],
      ['cursor=%00'],
      [`cursor=${'x'.repeat(5_000)}`],
      [`sub=ann&cursor=${cursor}`, 'acme-outlet'],
    ];
    for (const [query, tenant = 'acme-shop'] of refused) {
      const answer = await call(api, 'GET', `/audit-logs?${query}`, { as: { tenant } });
      expect([query, answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([query, 422, ['cursor']]);
    }
    expect(listIds(await feed(`?limit=3&sub=ann&cursor=${cursor}`))).toHaveLength(3);
  });

  test('is for admins only, and shows no other tenant’s entries', async () => {
    expect((await call(api, 'GET', '/audit-logs', { as: { roles: ['user'] } })).status).toBe(403);
    expect((await call(api, 'GET', '/audit-logs', { as: { roles: ['operator'] } })).status).toBe(403);
    const outlet = await feed('', { as: { tenant: 'acme-outlet' } });
    expect(outlet.data.map((entry) => entry.tenant_id)).toEqual(['acme-outlet']);
  });
});

describe('GET /admin/audit-logs', () => {
  test.each(['/api/v1/admin/audit-logs', '/v1/admin/audit-logs'])('shows all tenants at %s', async (path) => {
    const page = await feed('?limit=2', { path, as: operator });
    expect(page.data.map((entry) => entry.tenant_id)).toEqual(['other-shop', 'acme-outlet']);
    const next = await feed(`?limit=2&cursor=${page.meta.next_cursor}`, { path, as: operator });
    expect(listIds(next)).toEqual(ids.slice(0, 2));
    expect(await feed(`?limit=2&cursor=${next.meta.prev_cursor}`, { path, as: operator })).toEqual(page);
  });

  test.each([
    ['org_id=other', 1],
    ['org_id=acme&tenant_id=acme-outlet', 1],
    ['org_id=other&tenant_id=acme-outlet', 0],
    ['tenant_id=acme-shop&email=bob%40example.com', 12],
    ['email=bob%40example.com&sub=bob', 12],
    ['email=bob%40example.com&sub=ann', 0],
    ['sub=eve&action=update', 1],
    ['org_id=acme&resource_type=trigger', 12],
    ['org_id=none', 0],
    ['resource_type=trigger&action=update', 12],
  ])('narrows by %s', async (query, count) => {
    expect((await feed(`?${query}`, { path: '/admin/audit-logs', as: operator })).data).toHaveLength(count);
  });

  test('is for operators only, and refuses a tenant’s cursor', async () => {
    expect((await call(api, 'GET', '/admin/audit-logs', { as: { roles: ['admin'] } })).status).toBe(403);
    const { meta } = await feed('?limit=1');
    const answer = await call(api, 'GET', `/admin/audit-logs?cursor=${meta.next_cursor}`, { as: operator });
    expect(answer).toMatchObject({ status: 422, body: { errors: { cursor: [expect.any(String)] } } });
  });
});

describe('auditLog', () => {
  test('pages by Relay’s cursors, counts, and supports node(id)', async () => {
    const query = `query ($after: String) { auditLog(first: 2, after: $after, filter: { sub: "bob" }) {
      totalCount edges { cursor node { id databaseId } } pageInfo { hasNextPage endCursor } } }`;
    interface Answer {
      auditLog: {
        totalCount: number;
        edges: { node: { id: string; databaseId: number } }[];
        pageInfo: { endCursor: string };
      };
    }
    const { data } = await api.graphql<Answer>(query);
    expect(data.auditLog.totalCount).toBe(12);
    const next = await api.graphql<Answer>(query, { after: data.auditLog.pageInfo.endCursor });
    const [last] = data.auditLog.edges.slice(-1);
    expect(next.data.auditLog.edges[0]?.node.databaseId).toBeLessThan(last?.node.databaseId ?? 0);
    const node = 'query ($id: ID!) { node(id: $id) { ... on AuditEntry { databaseId } } }';
    const found = await api.graphql(node, { id: last?.node.id });
    expect(found.data).toEqual({ node: { databaseId: last?.node.databaseId } });
    const asUser = await api.graphql(node, { id: last?.node.id }, { roles: ['user'] });
    // The same as if it did not exist.
    expect(asUser).toEqual({ data: { node: null } });
  });

  test('refuses a cursor with other arguments', async () => {
    const { data } = await api.graphql<{ auditLog: { nextCursor: string } }>('{ auditLog(first: 1) { nextCursor } }');
    const { errors } = await api.graphql('query ($c: String) { auditLog(cursor: $c, offset: 1) { nextCursor } }', {
      c: data.auditLog.nextCursor,
    });
    expect(errors?.[0]?.extensions?.code).toBe('VALIDATION_FAILED');
  });
});
