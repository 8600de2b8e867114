import { Decimal } from 'decimal.js';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { readMetrics } from '#src/commerce/metrics/metrics.reads.ts';
import { recordOrderSums } from '#src/commerce/metrics/metrics.service.ts';
import { upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const tenantId = 'acme-shop';
const dayMs = 24 * 60 * 60 * 1_000;
let made = 0;

interface Order {
  currency: string;
  net: string;
  placedAt: Date;
}

/** A row of orders, counted in the same transaction; placed when it is told to be. */
async function place(organizationId: bigint, order: Order): Promise<bigint> {
  const number = ++made;
  return api.database.withTenant(tenantId, async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `INSERT INTO orders (tenant_id, number, organization_id, currency, net, tax, gross, placed_at, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, 0, $5, $6, $6, $6) RETURNING id`,
      [tenantId, number, organizationId, order.currency, order.net, order.placedAt],
    );
    await recordOrderSums(tx, tenantId, { ...order, organizationId, sign: 1 });
    return BigInt(rows[0]?.id ?? 0);
  });
}

const cancel = (organizationId: bigint, id: bigint, order: Order) =>
  api.database.withTenant(tenantId, async (tx) => {
    await tx.query(`UPDATE orders SET status = 'cancelled' WHERE tenant_id = $1 AND id = $2`, [tenantId, id]);
    await recordOrderSums(tx, tenantId, { ...order, organizationId, sign: -1 });
  });

const organization = async (): Promise<bigint> =>
  BigInt((await upsertOrganization(api, { customerNumber: `M-${++made}`, name: 'Measured' })).databaseId);

async function findRows(organizationId: bigint, at?: Date) {
  const ids = await api.database.tenantQuery<{ id: string }>(tenantId, {
    text: 'SELECT id::text AS id FROM organization_metrics WHERE tenant_id = $1 AND organization_id = $2',
    values: [tenantId, organizationId],
  });
  const keys = ids.map(({ id }) => id);
  const rows = await readMetrics(api.database, tenantId, keys, at);
  return rows.toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
}

const windows = [30, 90, 365] as const;
const toDay = (instant: Date): number => Math.floor(instant.getTime() / dayMs);

/** The expected windows at an instant, order by order. */
const naive = (orders: readonly Order[], at: Date) =>
  windows.map((days) => {
    const counted = orders.filter(({ placedAt }) => toDay(placedAt) <= toDay(at) && toDay(placedAt) > toDay(at) - days);
    return [counted.reduce((sum, { net }) => sum.plus(net), new Decimal(0)).toFixed(4), counted.length];
  });

const givenOrders = fc.array(
  fc.record({
    currency: fc.constantFrom('EUR', 'CHF'),
    cents: fc.integer({ min: 0, max: 10_000_000 }),
    minute: fc.integer({ min: 0, max: 500 * 24 * 60 }),
    cancelled: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);
const askedDays = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 4, maxLength: 4 });

describe('metrics', () => {
  test('equal the sums of the orders, on any day and after any cancellations', async () => {
    const first = Date.UTC(2025, 0, 1);
    const law = fc.asyncProperty(givenOrders, askedDays, async (given, days) => {
      const organizationId = await organization();
      const kept: Order[] = [];
      // Concurrently, as orders of one organization may arrive.
      await Promise.all(
        given.map(async ({ currency, cents, minute, cancelled }) => {
          const placedAt = new Date(first + minute * 60_000);
          const order = { currency, net: new Decimal(cents).dividedBy(100).toFixed(), placedAt };
          const id = await place(organizationId, order);
          if (cancelled) await cancel(organizationId, id, order);
          else kept.push(order);
        }),
      );
      for (const at of days.map((day) => new Date(first + day * dayMs))) {
        const rows = await findRows(organizationId, at);
        expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(given.map(({ currency }) => currency)));
        for (const row of rows) {
          const own = kept.filter(({ currency }) => currency === row.currency);
          const sums = windows.map((days) => [new Decimal(row[`revenue${days}d`]).toFixed(4), row[`orders${days}d`]]);
          expect(sums).toEqual(naive(own, at));
          const last = own.map(({ placedAt }) => placedAt.getTime()).toSorted((a, b) => b - a)[0] ?? null;
          expect(row.lastOrderAt?.getTime() ?? null).toBe(last);
        }
      }
    });
    await fc.assert(law, { numRuns: 8 });
  });

  test('are read over REST and the graph, by organization, and leave a window as days pass', async () => {
    const organizationId = await organization();
    const now = Date.now();
    const daysAgo = (days: number) => new Date(now - days * dayMs);
    const placed: [number, string][] = [
      [0, '10.00'],
      [29, '0.50'],
      [30, '100'],
      [364, '1000'],
      [365, '10000'],
    ];
    for (const [days, net] of placed) await place(organizationId, { currency: 'EUR', net, placedAt: daysAgo(days) });
    const { body } = await callPlatform(
      api,
      'GET',
      `/customers/organization_metrics?organization_id=${organizationId}`,
    );
    expect(body).toEqual({
      items: [
        {
          organization_id: Number(organizationId),
          customer_number: expect.stringMatching(/^M-/),
          currency: 'EUR',
          revenue_30d: '10.50',
          revenue_90d: '110.50',
          revenue_365d: '1110.50',
          orders_30d: 2,
          orders_90d: 3,
          orders_365d: 4,
          last_order_at: daysAgo(0).toISOString(),
        },
      ],
      total: 1,
      limit: 25,
      offset: 0,
    });
    const { data } = await api.graphql<{ organizationMetrics: { edges: { node: { id: string } }[] } }>(
      `query ($id: ID!) {
        organizationMetrics(filter: { organizationId: $id }) { edges { node { id revenue30d lastOrderAt } } }
      }`,
      { id: String(organizationId) },
    );
    const row = data.organizationMetrics.edges[0]?.node;
    expect(row).toEqual({
      id: expect.any(String),
      revenue30d: '10.50',
      lastOrderAt: daysAgo(0).toISOString(),
    });
    const node = await api.graphql(
      'query ($id: ID!) { node(id: $id) { ... on OrganizationMetrics { currency orders365d } } }',
      { id: row?.id },
    );
    expect(node.data).toEqual({ node: { currency: 'EUR', orders365d: 4 } });
  });

  test('show the previous order as the last one when the last is cancelled', async () => {
    const organizationId = await organization();
    const order = (minutes: number): Order => ({
      currency: 'EUR',
      net: '1',
      placedAt: new Date(Date.now() - minutes * 60_000),
    });
    const [before, last] = [order(10), order(5)];
    await place(organizationId, before);
    const id = await place(organizationId, last);
    expect(await findRows(organizationId)).toMatchObject([{ lastOrderAt: last.placedAt, orders365d: 2 }]);
    await cancel(organizationId, id, last);
    expect(await findRows(organizationId)).toMatchObject([{ lastOrderAt: before.placedAt, orders365d: 1 }]);
  });

  test('count each placed order once, leave out refused and cancelled ones, and move with the days', async () => {
    const { place: placeOrder, act, get, stocked } = createShop(api);
    const organizationId = await organization();
    await stocked('MEASURED', '5');
    const order = (externalKey: string, quantity: string) =>
      placeOrder({
        organizationId: String(organizationId),
        externalKey,
        positions: [{ sku: 'MEASURED', quantity, unitPrice: '10.00' }],
      });
    const [first] = await Promise.all([order('m-1', '2'), order('m-1', '2')]);
    const second = await order('m-2', '1');
    expect(await order('m-3', '9')).toMatchObject({ code: 'CONFLICT' });
    const placedAt = new Date(String((await get(first.order.databaseId))['placed_at']));
    const figuresAfter = async (days: number) => {
      const [row] = await findRows(organizationId, new Date(placedAt.getTime() + days * dayMs));
      return [row?.revenue30d, row?.orders30d, row?.revenue90d, row?.orders365d];
    };
    expect(await figuresAfter(0)).toEqual(['30.00', 2, '30.00', 2]);
    for (let times = 0; times < 2; times += 1) await act(second.order.databaseId, 'cancel');
    expect(await figuresAfter(0)).toEqual(['20.00', 1, '20.00', 1]);
    await act(first.order.databaseId, 'complete');
    expect(await figuresAfter(29)).toEqual(['20.00', 1, '20.00', 1]);
    expect(await figuresAfter(30)).toEqual(['0', 0, '20.00', 1]);
    expect(await figuresAfter(90)).toEqual(['0', 0, '0', 1]);
    expect(await figuresAfter(365)).toEqual(['0', 0, '0', 0]);
  });
});
