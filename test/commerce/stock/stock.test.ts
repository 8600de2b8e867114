import { beforeEach, describe, expect } from 'vitest';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

let made = 0;
let sku: string;
beforeEach(async () => {
  made += 1;
  sku = `STOCK-${made}`;
  await createProduct(api.deps, systemActor('acme', 'acme-shop'), { sku, name: 'Stocked' });
});

const get = (path: string) => callPlatform(api, 'GET', path);
const post = (body: unknown) => callPlatform(api, 'POST', '/inventories/movements', { body });
const stock = async () => (await get(`/inventories/stock/${sku}`)).body;

/** Books a movement with a reference of its own over REST. */
function book(kind: string, quantity: unknown, more: object = {}) {
  made += 1;
  return post({ sku, kind, quantity, reference: `stock-${made}`, ...more });
}

const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const mutate = async (name: string, fields: string, input: object) => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const { data } = await api.graphql<Record<string, Record<string, unknown>>>(
    `mutation ($input: ${type}Input!) { ${name}(input: $input) { ... on ${type}Payload { ${fields} } ${failure} } }`,
    { input },
  );
  return data[name] ?? {};
};

describe('stock', () => {
  test('of a product without movements is zero', async () => {
    const none = { on_hand: '0', reserved: '0', available: '0', reorder_point: null };
    expect(await stock()).toEqual({ sku, ...none, locations: [] });
    expect((await get(`/inventories/availability?sku=${sku}`)).body).toEqual({ sku, available: '0', locations: [] });
    expect((await get('/inventories/stock?limit=100')).body['items']).toContainEqual({ sku, ...none, locations: [] });
  });

  test('is the result of the movements of a day', async () => {
    await book('receipt', '12');
    await book('reserve', 3);
    await book('issue', '1.5');
    await book('receipt', '4', { location: 'north' });
    expect(await stock()).toEqual({
      sku,
      on_hand: '14.5',
      reserved: '3',
      available: '11.5',
      reorder_point: null,
      locations: [
        { location: 'main', on_hand: '10.5', reserved: '3', available: '7.5', reorder_point: null },
        { location: 'north', on_hand: '4', reserved: '0', available: '4', reorder_point: null },
      ],
    });
    expect((await get(`/inventories/availability?sku=${sku}`)).body).toEqual({
      sku,
      available: '11.5',
      locations: [
        { location: 'main', available: '7.5' },
        { location: 'north', available: '4' },
      ],
    });
  });

  test('of an unknown product is not found, and availability requires an SKU', async () => {
    expect((await get('/inventories/stock/NOTHING')).status).toBe(404);
    expect((await get('/inventories/availability?sku=NOTHING')).status).toBe(404);
    expect((await get('/inventories/availability')).body).toMatchObject({ errors: { sku: [expect.any(String)] } });
    expect((await get('/inventories/stock/%00')).status).toBe(404);
  });

  test('is reported as low once, when a movement takes the available quantity below the reorder point', async () => {
    await book('receipt', '10');
    const set = await mutate('setReorderPoint', 'stock { reorderPoint locations { location reorderPoint } }', {
      sku,
      reorderPoint: '5.0',
    });
    expect(set).toEqual({ stock: { reorderPoint: '5', locations: [{ location: 'main', reorderPoint: '5' }] } });
    for (const [kind, quantity] of [
      ['issue', '5'],
      ['reserve', '1'],
      ['issue', '1'],
      ['receipt', '2'],
      ['count', '0'],
    ])
      await book(kind as string, quantity);
    const { rows } = await api.database.system.query(
      `SELECT data FROM outbox_events WHERE topic = 'stock.low' AND data ->> 'sku' = $1 ORDER BY id`,
      [sku],
    );
    const low = { sku, location: 'main', reorder_point: '5' };
    expect(rows.map(({ data }) => data)).toEqual([
      { ...low, available: '4' },
      { ...low, available: '-1' },
    ]);
  });
});

describe('a movement', () => {
  test('is booked with 201, and its repeat returns 200 and the first', async () => {
    const body = { sku, kind: 'receipt', quantity: '2.50', reference: `delivery-${sku}`, occurred_at: '2026-01-31' };
    const first = await post(body);
    expect(first).toMatchObject({
      status: 201,
      body: {
        id: expect.any(Number),
        sku,
        location: 'main',
        kind: 'receipt',
        quantity: '2.5',
        delta: '2.5',
        reserved_delta: '0',
        reference: `delivery-${sku}`,
        note: null,
        occurred_at: '2026-01-31T00:00:00.000Z',
        created_at: expect.any(String),
      },
    });
    expect(await post({ ...body, quantity: 2.5, note: 'Sent again' })).toMatchObject({ status: 200, body: first.body });
    expect(await post({ ...body, quantity: '3' })).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', message: expect.stringContaining('another quantity') },
    });
    expect(await stock()).toMatchObject({ on_hand: '2.5' });
    expect((await get(`/inventories/movements?sku=${sku}`)).body).toMatchObject({ items: [first.body], total: 1 });
    expect((await get(`/inventories/movements?sku=${sku}&location=north`)).body).toMatchObject({ total: 0 });
  });

  test('that counts the current quantity is booked with a delta of 0', async () => {
    await book('receipt', '4');
    expect(await book('count', '4')).toMatchObject({ status: 201, body: { quantity: '4', delta: '0' } });
  });

  test.for([
    ['receipt', '-1'],
    ['receipt', '0'],
    ['count', '-0.5'],
    ['adjustment', '0.0'],
    ['issue', '"NaN"'],
    ['receipt', '1e400'],
    ['receipt', '"1e3"'],
    ['receipt', '"10,5"'],
    ['receipt', '""'],
    ['receipt', 'null'],
    ['receipt', '0.000000000000000000000000000001'],
    ['receipt', '1234567890123456789'],
  ])('%s of %s is refused at its quantity', async ([kind, quantity]) => {
    made += 1;
    const answer = await post(
      `{"sku": "${sku}", "kind": "${kind}", "quantity": ${quantity}, "reference": "bad-${made}"}`,
    );
    expect([answer.status, Object.keys(answer.body['errors'] ?? {})]).toEqual([422, ['quantity']]);
    expect(await stock()).toMatchObject({ on_hand: '0', locations: [] });
  });

  test.for<[object, string]>([
    [{ sku: 'NOTHING' }, 'sku'],
    [{ kind: 'theft' }, 'kind'],
    [{ location: 'x'.repeat(65) }, 'location'],
    [{ reference: 'order-1:expired' }, 'reference'],
    [{ reference: null }, 'reference'],
    [{ expires_at: '2099-01-01' }, 'expires_at'],
    [{ kind: 'reserve', expires_at: '2001-01-01' }, 'expires_at'],
    [{ reservation: 'order-1' }, 'reservation'],
  ])('with %o is refused at %s', async ([more, field]) => {
    const { status, body } = await book('receipt', '1', more);
    expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, [field]]);
  });

  test('of a user is in the audit log, and of a key only in the ledger', async () => {
    await book('receipt', '1');
    const input = { sku, kind: 'RECEIPT', quantity: '2', reference: `by-hand-${sku}` };
    for (const created of [true, false])
      expect(await mutate('bookMovement', 'created movement { kind quantity }', input)).toEqual({
        created,
        movement: { kind: 'RECEIPT', quantity: '2' },
      });
    const { rows } = await api.database.system.query(
      `SELECT action, metadata FROM audit_entries WHERE resource_type = 'stock' AND resource_id = $1`,
      [sku],
    );
    expect(rows).toEqual([
      { action: 'book', metadata: { location: 'main', kind: 'receipt', quantity: '2', reference: `by-hand-${sku}` } },
    ]);
  });
});

describe('a transfer', () => {
  const fields = 'movements { location kind delta reference }';

  test('books both of its movements or none', async () => {
    await book('receipt', '5');
    const input = { sku, from: 'main', to: 'north', quantity: '3', reference: `move-${sku}` };
    const movements = [
      { location: 'main', kind: 'TRANSFER_OUT', delta: '-3', reference: `move-${sku}:out` },
      { location: 'north', kind: 'TRANSFER_IN', delta: '3', reference: `move-${sku}:in` },
    ];
    expect(await mutate('transferStock', fields, input)).toEqual({ movements });
    expect(await mutate('transferStock', fields, input)).toEqual({ movements });
    expect(await mutate('transferStock', fields, { ...input, reference: `more-${sku}` })).toMatchObject({
      code: 'CONFLICT',
      message: `Only 2 of ${sku} at main is available.`,
    });
    expect(await stock()).toMatchObject({ on_hand: '5', locations: [{ on_hand: '2' }, { on_hand: '3' }] });
  });

  test.for([
    [{ sku: 'NOTHING' }, 'sku'],
    [{ from: '' }, 'from'],
    [{ to: 'x'.repeat(65) }, 'to'],
    [{ quantity: '0' }, 'quantity'],
  ] as const)('with %o is refused at %s, which is its own field', async ([wrong, path]) => {
    const input = { sku, from: 'main', to: 'north', quantity: '1', reference: `wrong-${sku}`, ...wrong };
    expect(await mutate('transferStock', fields, input)).toMatchObject({ fields: [{ path }] });
  });

  test('within one location is refused', async () => {
    const input = { sku, from: 'main', to: 'main', quantity: '1', reference: `same-${sku}` };
    expect(await mutate('transferStock', fields, input)).toMatchObject({ fields: [{ path: 'to' }] });
  });
});

test('an article has at most 1,000 locations, more are refused at the field, and existing ones still accept bookings', async () => {
  await api.database.withTenant('acme-shop', (tx) =>
    tx.query(
      `INSERT INTO stock_balances (tenant_id, sku, location) SELECT 'acme-shop', $1, 'shelf-' || n FROM generate_series(1, 999) n`,
      [sku],
    ),
  );
  const first = await book('receipt', '2', { location: 'last' });
  expect(first.status).toBe(201);
  expect(await book('receipt', '1', { location: 'beyond' })).toMatchObject({
    status: 422,
    body: { errors: { location: ['An article has at most 1000 locations; use one that it has.'] } },
  });
  const input = { sku, location: 'beyond', reorderPoint: '1' };
  expect(await mutate('setReorderPoint', 'stock { sku }', input)).toMatchObject({ fields: [{ path: 'location' }] });
  const transfer = { sku, from: 'last', to: 'beyond', quantity: '1', reference: `beyond-${sku}` };
  expect(await mutate('transferStock', 'movements { id }', transfer)).toMatchObject({ fields: [{ path: 'to' }] });
  expect((await book('receipt', '1', { location: 'shelf-7' })).status).toBe(201);
  expect(await mutate('setReorderPoint', 'stock { sku }', { ...input, location: 'last' })).toEqual({ stock: { sku } });
  const { body } = await get(`/inventories/stock/${sku}`);
  expect([body['on_hand'], (body['locations'] as unknown as object[]).length]).toEqual(['3', 1_000]);
});
