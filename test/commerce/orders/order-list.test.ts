import { describe, expect } from 'vitest';
import { createShop } from '#test/commerce/shop.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let { place, act, stocked } = {} as ReturnType<typeof createShop>;
/** Ids of orders, the oldest first: two alone, five that changed in the same millisecond, and two after them. */
const ids: number[] = [];
const tied = '2026-03-01T12:00:00.000Z';
test.beforeAll(async ({ api: started }) => {
  api = started;
  ({ place, act, stocked } = createShop(api));
  await stocked('LISTED', '100');
  for (let made = 0; made < 9; made += 1) {
    const { order } = await place({ positions: [{ sku: 'LISTED', quantity: '1', unitPrice: '1' }] });
    ids.push(order.databaseId);
  }
  await api.database.withTenant('acme-shop', (tx) =>
    tx.query(
      `UPDATE orders SET updated_at = $1::timestamptz + CASE WHEN id < $2 THEN -1 WHEN id > $3 THEN 1 ELSE 0 END * interval '1 second'
       WHERE tenant_id = 'acme-shop'`,
      [tied, ids[2], ids[6]],
    ),
  );
});

interface Listed {
  items: { id: number }[];
  total: number;
}
const list = async (query: string): Promise<Listed> =>
  (await callPlatform(api, 'GET', `/orders?${query}`)).body as unknown as Listed;
const listIds = ({ items }: Listed): number[] => items.map(({ id }) => id);

async function readPages(query: string): Promise<number[]> {
  const all: number[] = [];
  for (let offset = 0; ; offset += 2) {
    const page = listIds(await list(`${query}&limit=2&offset=${offset}`));
    if (page.length === 0) return all;
    all.push(...page);
  }
}

describe('a poll of orders', () => {
  test('returns each order once, ordered by id within one millisecond, in both directions', async () => {
    expect(await readPages('order=updated_at.asc')).toEqual(ids);
    expect(await readPages('order=updated_at.desc')).toEqual(ids.toReversed());
  });

  test('begins with all orders changed at the given instant, however its zone is written', async () => {
    for (const since of [tied, '2026-03-01T14:00:00%2B02:00', '2026-03-01T12:00:00Z']) {
      const found = await list(`updated_since=${since}&order=updated_at.asc`);
      expect([since, listIds(found), found.total]).toEqual([since, ids.slice(2), 7]);
    }
    expect(listIds(await list('updated_since=2026-03-01T12:00:00.001Z&order=updated_at.asc'))).toEqual(ids.slice(7));
  });

  test('continues by cursor in the graph from the middle of a tie, and returns an order that changed meanwhile again', async () => {
    const query = `query ($after: String) {
      orders(filter: { updatedSince: "${tied}" }, orderBy: { field: UPDATED_AT, direction: ASC }, first: 2, after: $after) {
        pageInfo { hasNextPage endCursor } edges { node { databaseId } }
      }
    }`;
    interface Page {
      orders: { pageInfo: { hasNextPage: boolean; endCursor: string }; edges: { node: { databaseId: number } }[] };
    }
    const met: number[] = [];
    for (let after: string | null = null, isMore = true; isMore;) {
      const { orders }: Page = (await api.graphql<Page>(query, { after })).data;
      met.push(...orders.edges.map(({ node }) => node.databaseId));
      if (met.length === 2) await act(ids[2] as number, 'acknowledge');
      isMore = orders.pageInfo.hasNextPage;
      after = orders.pageInfo.endCursor;
    }
    expect(met).toEqual([...ids.slice(2), ids[2]]);
  });

  test('filters by status, and has the total even past the end of the list', async () => {
    await act(ids[0] as number, 'cancel');
    expect(listIds(await list('status=cancelled'))).toEqual([ids[0]]);
    expect(await list('status=pending&limit=1&offset=500')).toMatchObject({ items: [] });
    expect((await list('limit=1&offset=500')).total).toBe(9);
  });

  test.for([
    ['order=created_at', 'order'],
    ['order=created_at.up', 'order'],
    ['order=CREATED_AT.asc', 'order'],
    ['order=created_at.asc.id', 'order'],
    ['order=id.asc', 'order'],
    ['order=number.asc&order=number.desc', 'order'],
    ['order[]=number.asc', 'order'],
    ['status=shipped', 'status'],
    ['status=PENDING', 'status'],
    ['updated_since=yesterday', 'updated_since'],
    ['updated_since=2026-02-30', 'updated_since'],
    ['limit=2.5', 'limit'],
    ['limit=%2B5', 'limit'],
    ['offset=', 'offset'],
  ])('with %s is refused at %s', async ([query, field]) => {
    const { status, body } = await callPlatform(api, 'GET', `/orders?${query}`);
    expect([query, status, Object.keys(body['errors'] ?? {})]).toEqual([query, 422, [field]]);
  });
});
