import { expect } from 'vitest';
import { createPriceList } from '#src/commerce/prices/price-lists.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { call, callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, type RunState, untilRun } from '#test/setup/engine.ts';
import { runsManyWorkflows } from '#test/setup/timeouts.ts';

let api: TestApp;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await startEngine();
  await createPriceList(api.deps, systemActor('acme', 'acme-shop'), { code: 'erp', name: 'ERP', currency: 'EUR' });
});

const step = (name: string, config: object, id = name) => ({ ...node(id, 'set', config), node: `commerce:${name}` });

/** Runs the nodes one after the other. */
async function run(...nodes: { id: string }[]): Promise<RunState & { id: number }> {
  const workflow = await readyWorkflow(api, { nodes, edges: chain(...nodes.map(({ id }) => id)) });
  const id = await fireRun(api, workflow, { sku: 'NODE-1' });
  return { id, ...(await untilRun(api, id)) };
}

/** Runs one node, and answers its outputs; of a step that failed, its error. */
async function execute(name: string, config: object): Promise<Record<string, never>> {
  const { status, result, steps } = await run(step(name, config));
  return (
    status === 'succeeded' ? (result as Record<string, object>)[name] : (steps[0] as { error: object }).error
  ) as never;
}

async function placeOrder(sku: string): Promise<number> {
  const { data } = await api.graphql<{ createOrder: { order: { databaseId: number } } }>(
    `mutation ($sku: String!) { createOrder(input: { currency: "EUR", positions: [{ sku: $sku, quantity: "1", unitPrice: "2" }] }) {
      ... on CreateOrderPayload { order { databaseId } } ... on Error { message }
    } }`,
    { sku },
  );
  return data.createOrder.order.databaseId;
}

test(
  'products, stock, prices and organizations are written by nodes, and read in the format of REST',
  runsManyWorkflows,
  async () => {
    const product = await execute('upsert-product', { sku: 'NODE-1', name: 'Mug', tax_rate: 19 });
    expect(product).toMatchObject({ product: { sku: 'NODE-1', name: 'Mug', tax_rate: '19' } });
    expect(await execute('upsert-product', { sku: 'NODE-1', description: 'Blue' })).toMatchObject({
      product: { name: 'Mug', description: 'Blue' },
    });

    const counted = await execute('set-stock', { sku: '{{ trigger.payload.sku }}', quantity: 10 });
    expect(counted).toMatchObject({ movement: { kind: 'count', delta: '10', location: 'main' } });
    const receipt = { sku: 'NODE-1', kind: 'receipt', quantity: '2.5', reference: 'node-receipt' };
    const booked = await execute('book-movement', receipt);
    expect(await execute('book-movement', receipt)).toEqual(booked);
    const { body: stock } = await callPlatform(api, 'GET', '/inventories/stock/NODE-1');
    expect(stock).toMatchObject({ on_hand: '12.5' });

    const price = { list: 'erp', sku: 'NODE-1', quantity_from: 5, amount: '4.50' };
    expect(await execute('upsert-price', price)).toMatchObject({
      price: { ...price, quantity_from: '5', currency: 'EUR' },
    });
    const asked = { sku: 'NODE-1', quantity: '5', currency: 'EUR' };
    const { body: answered } = await callPlatform(api, 'POST', '/prices/resolve', { body: asked });
    expect(await execute('resolve-price', asked)).toEqual(answered);
    expect(await execute('resolve-price', { items: [asked], currency: 'EUR' })).toEqual({ items: [answered] });

    const organization = {
      customer_number: 'N-1',
      name: 'Node Ltd',
      addresses: [{ type: 'billing', postal_code: 80331 }],
    };
    expect(await execute('upsert-organization', organization)).toMatchObject({
      organization: { customer_number: 'N-1', addresses: [{ type: 'billing', postal_code: '80331' }] },
    });
  },
);

test('orders are read, listed, acknowledged, cancelled and completed by nodes', runsManyWorkflows, async () => {
  await execute('upsert-product', { sku: 'NODE-2', name: 'Jug' });
  await execute('set-stock', { sku: 'NODE-2', quantity: '9' });
  const [id, other] = [await placeOrder('NODE-2'), await placeOrder('NODE-2')];
  const { body: shown } = await callPlatform(api, 'GET', `/orders/${id}`);
  expect(await execute('get-order', { order_id: id })).toEqual({ order: shown, buyer: null });

  const acknowledged = await execute('acknowledge-order', { order_id: String(id), erp_number: 4711 });
  expect(acknowledged).toMatchObject({ order: { status: 'acknowledged', erp_number: '4711' } });
  expect(await execute('cancel-order', { order_id: other, reason: 'Twice' })).toMatchObject({
    order: { status: 'cancelled' },
  });
  expect(await execute('complete-order', { order_id: id })).toMatchObject({ order: { status: 'completed' } });

  const listing = { status: ['completed', 'cancelled'], limit: 1, order: 'created_at.asc' };
  expect(await execute('list-orders', listing)).toMatchObject({ items: [{ id, status: 'completed' }], total: 2 });

  const [held, free] = [await placeOrder('NODE-2'), await placeOrder('NODE-2')];
  await api.database.tenantQuery('acme-shop', {
    text: "UPDATE orders SET hold_reason = 'credit' WHERE id = $1",
    values: [held],
  });
  const oldest = { status: 'pending', limit: 1, order: 'created_at.asc' };
  expect(await execute('list-orders', { ...oldest, held: false })).toMatchObject({ items: [{ id: free }], total: 1 });
  expect(await execute('list-orders', { ...oldest, held: true })).toMatchObject({ items: [{ id: held }], total: 1 });
  const firstPage = await execute('list-orders', oldest);
  expect(firstPage).toMatchObject({ items: [{ id: held }], total: 2, next: [expect.any(String), String(held)] });
  const rest = await execute('list-orders', { ...oldest, after: firstPage['next'] });
  expect(rest).toMatchObject({ items: [{ id: free }], total: 2, next: null });
  expect(await execute('list-orders', { ...oldest, after: ['x'] })).toMatchObject({ code: 'VALIDATION_FAILED' });
});

test('a refusal fails the step with the code of its error', async () => {
  const id = await placeOrder('NODE-2');
  await execute('acknowledge-order', { order_id: id, erp_number: 'A' });
  expect(await execute('acknowledge-order', { order_id: id, erp_number: 'B' })).toMatchObject({ code: 'CONFLICT' });
  expect(await execute('get-order', { order_id: 999_999 })).toMatchObject({ code: 'NOT_FOUND' });
  expect(await execute('resolve-price', { sku: 'NODE-2', quantity: '1', currency: 'CHF' })).toMatchObject({
    code: 'NOT_FOUND',
  });
  expect(await execute('upsert-product', { sku: '..', name: 'Folded away' })).toMatchObject({
    code: 'VALIDATION_FAILED',
    message: expect.stringContaining('sku: A URL cannot name'),
  });
  expect(await execute('set-stock', { sku: 'NO-SUCH', quantity: '1' })).toMatchObject({
    code: 'VALIDATION_FAILED',
    message: expect.stringContaining('sku: '),
  });
  for (const config of [{ order_id: 'x' }, {}])
    expect(await execute('get-order', config)).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('which is a whole number'),
    });
});

test('the changes of a run are in the audit log under the run', async () => {
  const { id } = await run(step('upsert-product', { sku: 'NODE-3', name: 'Cup' }));
  const { rows } = await api.database.system.query(
    `SELECT actor_sub, channel FROM audit_entries WHERE resource_type = 'product' AND metadata ->> 'sku' = 'NODE-3'`,
  );
  expect(rows).toEqual([{ actor_sub: `run/${id}`, channel: 'system' }]);
});

test('a test of a node changes nothing', async () => {
  const path = '/nodes/commerce:upsert-product/1.0.0/execute:test';
  const { status, body } = await call(api, 'POST', path, { body: { config: { sku: 'NODE-4', name: 'Plate' } } });
  expect([status, body['error']]).toMatchObject([422, { code: 'NOT_AVAILABLE' }]);
  expect((await callPlatform(api, 'GET', '/products?search=NODE-4')).body).toMatchObject({ total: 0 });
});
