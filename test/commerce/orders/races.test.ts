import pg from 'pg';
import { beforeEach, describe, expect } from 'vitest';
import { releaseExpiredReservations } from '#src/commerce/stock/stock-expiry.service.ts';
import { verifyStock } from '#src/commerce/stock/stock-verification.service.ts';
import { upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let { mutate, book, place, act, get, stocked, readStock, findTopics } = {} as ReturnType<typeof createShop>;
test.beforeAll(({ api: started }) => {
  api = started;
  ({ mutate, book, place, act, get, stocked, readStock, findTopics } = createShop(api));
});

let made = 0;
let sku: string;
beforeEach(() => {
  sku = `RACE-${(made += 1)}`;
});

const clients = Array.from({ length: 32 }, (_, index) => index);
const one = () => ({ positions: [{ sku, quantity: '1', unitPrice: '1.00' }] });
const countRows = async (text: string, values: unknown[]) =>
  (await api.database.system.query(text, values)).rows.length;

async function expectSound(): Promise<void> {
  for await (const { differences } of verifyStock(api.database)) expect(differences).toEqual([]);
}

describe('32 concurrent clients', () => {
  test('with one external key place one order, with one number, event, entry and reservation', async () => {
    await stocked(sku, '32');
    const { id: organizationId, databaseId } = await upsertOrganization(api, { customerNumber: sku, name: 'Racing' });
    const answers = await Promise.all(clients.map(() => place({ organizationId, externalKey: sku, ...one() })));
    const [id] = new Set(answers.map(({ order }) => order.databaseId));
    expect(new Set(answers.map(({ order }) => JSON.stringify(order))).size).toBe(1);
    expect(await readStock(sku)).toEqual({ on_hand: '32', reserved: '1', available: '31' });
    expect(await findTopics(id as number)).toEqual(['order.created']);
    expect(
      await countRows(`SELECT FROM audit_entries WHERE resource_type = 'order' AND resource_id = $1`, [String(id)]),
    ).toBe(1);
    const { body } = await callPlatform(api, 'GET', `/customers/organization_metrics?organization_id=${databaseId}`);
    expect(body['items']).toMatchObject([{ orders_30d: 1, revenue_30d: '1.00' }]);
  });

  test('on one article sell exactly the available stock', async () => {
    await stocked(sku, '20');
    const answers = await Promise.all(clients.map(() => place(one())));
    expect(answers.filter(({ order }) => order)).toHaveLength(20);
    expect(answers.filter(({ code }) => code === 'CONFLICT')).toHaveLength(12);
    expect(await readStock(sku)).toEqual({ on_hand: '20', reserved: '20', available: '0' });
    await expectSound();
  });

  test('that cancel, ship and complete the same orders leave each in a consistent state', async () => {
    await stocked(sku, '10');
    const orders = await Promise.all(Array.from({ length: 10 }, async () => (await place(one())).order));
    await Promise.all(
      orders.flatMap(({ id, databaseId }) => [
        act(databaseId, 'cancel'),
        mutate('createShipment', { orderId: id, reference: `${sku}/${id}` }, 'shipment { id }'),
        act(databaseId, 'complete'),
      ]),
    );
    const ends = await Promise.all(orders.map(({ databaseId }) => get(databaseId)));
    for (const { status, fulfillment_status } of ends) {
      expect(['cancelled unfulfilled', 'completed unfulfilled', 'completed fulfilled']).toContain(
        `${status} ${fulfillment_status}`,
      );
    }
    const left = 10 - ends.filter(({ status }) => String(status) === 'completed').length;
    expect(await readStock(sku)).toEqual({ on_hand: String(left), reserved: '0', available: String(left) });
    await expectSound();
  });

  test('that book other content with one reference get the differing field, except the first', async () => {
    await stocked(sku, '5');
    const answers = await Promise.all(
      clients.map((index) =>
        book({ sku, kind: 'receipt', quantity: String(1 + (index % 2)), reference: `${sku}/same` }),
      ),
    );
    const [first] = answers.filter(({ status }) => status === 201);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(15);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(16);
    for (const { body } of refused) expect(String(body['message'])).toContain('another quantity');
    expect(await readStock(sku)).toMatchObject({ on_hand: String(5 + Number(first?.body['quantity'])) });
  });
});

test('one reference for two concurrent orders is refused for one of them', async () => {
  await stocked(sku, '2');
  const orders = await Promise.all([place(one()), place(one())]);
  for (let round = 0; round < 8; round += 1) {
    const reference = `${sku}/${round}`;
    const paid = await Promise.all(
      orders.map(({ order }) =>
        mutate(
          'recordPayment',
          { orderId: order.id, kind: 'AUTHORIZED', amount: '1', reference },
          'payment { reference }',
        ),
      ),
    );
    expect(paid.map(({ code }) => code ?? 'paid').toSorted()).toEqual(['CONFLICT', 'paid']);
  }
  const shipped = await Promise.all(
    orders.map(({ order }) =>
      mutate('createShipment', { orderId: order.id, reference: sku }, 'shipment { reference }'),
    ),
  );
  expect(shipped.map(({ code }) => code ?? 'shipped').toSorted()).toEqual(['CONFLICT', 'shipped']);
});

describe('a reservation that expires while an order is placed', () => {
  /** A checkout that never comes back, holding all there is. Its time is over, and its release not booked yet. */
  async function expired(quantity: string): Promise<void> {
    await stocked(sku, quantity);
    const expires_at = new Date(Date.now() + 3_600_000).toISOString();
    await book({ sku, kind: 'reserve', quantity, reference: `${sku}/checkout`, expires_at });
    expect(await place(one())).toMatchObject({ code: 'CONFLICT' });
    await api.database.withTenant('acme-shop', (tx) =>
      tx.query('UPDATE stock_reservations SET expires_at = clock_timestamp() WHERE reference = $1', [
        `${sku}/checkout`,
      ]),
    );
  }

  test('is free for one of two orders, and its release precedes that order’s reservation in the ledger', async () => {
    await expired('1');
    expect(await readStock(sku)).toEqual({ on_hand: '1', reserved: '0', available: '1' });
    const answers = await Promise.all([place(one()), place(one())]);
    expect(answers.map(({ code }) => code ?? 'placed').toSorted()).toEqual(['CONFLICT', 'placed']);
    const { body } = await callPlatform(api, 'GET', `/inventories/movements?sku=${sku}&order=created_at.asc`);
    expect((body['items'] as unknown as { kind: string; reference: string }[]).map(({ kind }) => kind)).toEqual([
      'receipt',
      'reserve',
      'release',
      'reserve',
    ]);
    await expectSound();
  });

  test('is released once, whether by orders, the sweep, or the returning checkout', async () => {
    await expired('4');
    const [back, ...answers] = await Promise.all([
      book({ sku, kind: 'issue', quantity: '4', reference: `${sku}/late`, reservation: `${sku}/checkout` }),
      ...Array.from({ length: 6 }, () => place(one())),
      releaseExpiredReservations(api.deps),
    ]);
    expect(back.status).toBe(409);
    expect(answers.filter((answer) => typeof answer === 'object' && answer.order)).toHaveLength(4);
    expect(await countRows('SELECT FROM stock_movements WHERE reference = $1', [`${sku}/checkout:expired`])).toBe(1);
    expect(await readStock(sku)).toEqual({ on_hand: '4', reserved: '4', available: '0' });
    await expectSound();
  });
});

describe('the events of an order', () => {
  const findEvents = async (id: number) => {
    const { rows } = await api.database.system.query<{ topic: string; created_at: Date }>(
      `SELECT topic, created_at FROM outbox_events WHERE topic LIKE 'order.%' AND data ->> 'id' = $1 ORDER BY created_at`,
      [String(id)],
    );
    return rows;
  };

  test('have rising times in the order of its changes, even if one call makes two', async () => {
    await stocked(sku, '1');
    const { order } = await place(one());
    await act(order.databaseId, 'complete');
    const events = await findEvents(order.databaseId);
    expect(events.map(({ topic }) => topic)).toEqual(['order.created', 'order.acknowledged', 'order.completed']);
    expect(new Set(events.map(({ created_at }) => created_at.getTime())).size).toBe(3);
  });

  test('have the time of the change, not of the wait for the change before it', async () => {
    await stocked(sku, '1');
    const { order } = await place(one());
    const other = new pg.Client({ connectionString: api.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM orders WHERE id = $1 FOR UPDATE', [order.databaseId]);
    const acknowledged = act(order.databaseId, 'acknowledge');
    const isWaiting = async () =>
      (await other.query('SELECT FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))'))
        .rowCount === 1;
    await expect.poll(isWaiting, { timeout: 20_000 }).toBe(true);
    const { rows } = await other.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    await other.query('COMMIT');
    await other.end();
    expect((await acknowledged).status).toBe(200);
    const times = (await findEvents(order.databaseId)).map(({ created_at }) => created_at.getTime());
    expect(times.at(-1)).toBeGreaterThanOrEqual((rows[0] as { now: Date }).now.getTime());
  });
});

describe('the reservation of an order', () => {
  test('can be used up only by the order', async () => {
    await stocked(sku, '9');
    const { order } = await place({ positions: [{ sku, quantity: '3', unitPrice: '1' }] });
    await book({ sku, kind: 'reserve', quantity: '2', reference: `${sku}/checkout` });
    const [position] = (await get(order.databaseId))['positions'] as unknown as { id: number }[];
    const own = `order-position:${position?.id}`;
    for (const [more, status, field] of [
      [{ kind: 'release', quantity: '2.5', reference: `${sku}/1` }, 409, undefined],
      [{ kind: 'release', quantity: '1', reference: `${sku}/2`, reservation: own }, 422, 'reservation'],
      [{ kind: 'issue', quantity: '1', reference: `${sku}/3`, reservation: own }, 422, 'reservation'],
      [{ kind: 'receipt', quantity: '1', reference: `${own}:issue` }, 422, 'reference'],
      [{ kind: 'reserve', quantity: '1', reference: 'order-position:999999' }, 422, 'reference'],
      [{ kind: 'release', quantity: '2', reference: `${sku}/4` }, 201, undefined],
    ] as const) {
      const { body, ...answer } = await book({ sku, ...more });
      expect([more, answer.status, Object.keys(body['errors'] ?? {})[0]]).toEqual([more, status, field]);
    }
    expect(await act(order.databaseId, 'complete')).toMatchObject({ status: 200 });
    expect(await readStock(sku)).toEqual({ on_hand: '6', reserved: '0', available: '6' });
    await expectSound();
  });

  test('is not issued beyond the counted stock until the missing goods are booked', async () => {
    await stocked(sku, '3');
    const { order } = await place({ positions: [{ sku, quantity: '3', unitPrice: '1' }] });
    await book({ sku, kind: 'count', quantity: '1', reference: `${sku}/count` });
    expect(await act(order.databaseId, 'complete')).toMatchObject({ status: 409 });
    await book({ sku, kind: 'receipt', quantity: '2', reference: `${sku}/found` });
    expect(await act(order.databaseId, 'complete')).toMatchObject({ status: 200 });
    expect(await readStock(sku)).toEqual({ on_hand: '0', reserved: '0', available: '0' });
  });
});
