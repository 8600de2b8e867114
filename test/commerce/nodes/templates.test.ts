import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import { type Erp, startErp } from '#examples/erp-nodes/erp/server.ts';
import { eventTriggers } from '#src/automation/firings/event-firing.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { upsertOrganization } from '#src/commerce/organizations/organizations.service.ts';
import { createPriceList } from '#src/commerce/prices/price-lists.service.ts';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { call, callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type RunState, untilRun } from '#test/setup/engine.ts';
import { runsManyWorkflows } from '#test/setup/timeouts.ts';

let api: TestApp;
let erp: Erp;
/** An ERP that lists these as its stock. */
let stock: { article: string; onHand: string }[] = [];
const stockList = createServer((_, response) => {
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ items: stock }));
});
let stockUrl: string;
let strictErp: Awaited<ReturnType<typeof startStrictErp>>;
const actor = systemActor('acme', 'acme-shop');

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  erp = await startErp();
  await once(stockList.listen(0, '127.0.0.1'), 'listening');
  const stockHost = `127.0.0.1:${(stockList.address() as AddressInfo).port}`;
  stockUrl = `http://${stockHost}/stock`;
  strictErp = await startStrictErp();
  await startEngine({ allow: [new URL(erp.url).host, stockHost, strictErp.address].join(',') });
  for (const sku of ['CHAIR-01', 'DESK-01', 'LAMP-01']) await createProduct(api.deps, actor, { sku, name: sku });
  await createPriceList(api.deps, actor, { code: 'standard', name: 'Standard', currency: 'EUR' });
});
test.afterAll(async () => {
  stockList.close();
  await Promise.all([erp.close(), strictErp.close()]);
});

let installed = 0;
/** A workflow from the template, built, with a trigger. */
async function install(slug: string, values: object, trigger: object): Promise<number> {
  const name = `${slug} ${(installed += 1)}`;
  const made = await call(api, 'POST', `/templates/commerce:${slug}/instantiate`, { body: { name, values } });
  expect([slug, made.status, made.body['errors']]).toEqual([slug, 201, undefined]);
  const id = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId: id });
  const added = await call(api, 'POST', `/workflows/${id}/triggers`, { body: { name: 'Start', ...trigger } });
  expect(added.status).toBe(201);
  return id;
}

const byHand = { type: 'manual' };
async function end(workflowId: number): Promise<RunState> {
  const { body } = await call(api, 'POST', `/workflows/${workflowId}/runs`, { body: {} });
  return untilRun(api, Number(body['id']));
}
async function start(workflowId: number): Promise<RunState> {
  const run = await end(workflowId);
  expect([run.status, run.error]).toEqual(['succeeded', null]);
  return run;
}

const chairsAndDesk =
  '{ sku: "CHAIR-01", quantity: "2", unitPrice: "80" }, { sku: "DESK-01", quantity: "1", unitPrice: "300" }';
async function placeOrder(positions = chairsAndDesk, more = ''): Promise<{ databaseId: number; number: string }> {
  const { data } = await api.graphql<{ createOrder: { order: { databaseId: number; number: string } } }>(
    `mutation { createOrder(input: { currency: "EUR", positions: [${positions}] ${more} }) {
      ... on CreateOrderPayload { order { databaseId number } } ... on Error { message }
    } }`,
  );
  return data.createOrder.order;
}

const byNumber = <T extends { number: string }>(orders: T[]) =>
  orders.toSorted((a, b) => Number(a.number) - Number(b.number));
const order = async (id: number) => (await callPlatform(api, 'GET', `/orders/${id}`)).body;

test(
  'the ERP’s stock, prices, products and customers are imported, and a repeat changes nothing',
  runsManyWorkflows,
  async () => {
    const jobs = [
      await install('stock-in', { stock_url: `${erp.url}/stock` }, byHand),
      await install('prices-in', { prices_url: `${erp.url}/prices` }, byHand),
      await install('customers-in', { customers_url: `${erp.url}/customers` }, byHand),
      await install('products-in', { products_url: `${erp.url}/articles` }, byHand),
    ];
    const eventsBefore = async () =>
      (await api.database.system.query<{ n: number }>("SELECT count(*) AS n FROM outbox_events WHERE topic !~ '^run'"))
        .rows[0]?.n;
    for (const job of jobs) await start(job);
    expect((await callPlatform(api, 'GET', '/inventories/stock/CHAIR-01')).body).toMatchObject({ on_hand: '40' });
    const price = { sku: 'CHAIR-01', quantity: '10', currency: 'EUR' };
    expect((await callPlatform(api, 'POST', '/prices/resolve', { body: price })).body).toMatchObject({
      amount: '79.50',
    });
    expect(
      (await callPlatform(api, 'GET', '/customers/organizations?customer_number=10002')).body['items'],
    ).toMatchObject([
      { name: 'Schmidt GmbH', payment_terms: '14 days net', addresses: [{ postal_code: '80331', city: 'München' }] },
    ]);
    expect((await callPlatform(api, 'GET', '/products?order=sku.asc')).body['items']).toMatchObject([
      { sku: 'CHAIR-01', name: 'Office chair', description: 'With armrests.', active: true, tax_rate: '19' },
      { sku: 'DESK-01' },
      { sku: 'LAMP-01' },
      { sku: 'SHELF-01', name: 'Shelf', description: null, active: false },
    ]);
    const events = await eventsBefore();
    for (const job of jobs.slice(1)) await start(job);
    expect(await eventsBefore()).toBe(events);
  },
);

test('a run fails if all items are refused, and continues if some are', runsManyWorkflows, async () => {
  const job = await install('stock-in', { stock_url: stockUrl }, byHand);
  const endWith = async (...articles: string[]) => {
    stock = articles.map((article) => ({ article, onHand: '7' }));
    return end(job);
  };
  const many = Array.from({ length: 1_000 }, (_, n) => `GONE-${n}`);
  expect(await endWith(...many)).toMatchObject({
    status: 'failed',
    error: 'fail: All 1000 items failed. The first: each/0/set: sku: There is no product with this SKU.',
  });
  const some = await endWith('GONE-1', 'DESK-01');
  expect(some.status).toBe('succeeded');
  expect((await callPlatform(api, 'GET', '/inventories/stock/DESK-01')).body).toMatchObject({ on_hand: '7' });
  expect((await endWith()).status).toBe('succeeded');
  expect(await endWith('GONE-1')).toMatchObject({ status: 'failed' });
});

test(
  'an order is sent when it is placed, and the hourly poll sends missed ones, each once',
  runsManyWorkflows,
  async () => {
    const values = { orders_url: `${erp.url}/orders` };
    const out = await install('orders-out', values, { type: 'event', config: { topics: ['order.created'] } });
    const poll = await install('orders-reconciliation', values, byHand);
    for (const sku of ['CHAIR-01', 'DESK-01']) {
      const body = { sku, kind: 'receipt', quantity: '50', reference: `goods ${sku}` };
      expect((await callPlatform(api, 'POST', '/inventories/movements', { body })).status).toBe(201);
    }

    const buyer = await upsertOrganization(api.deps, actor, { customerNumber: '10001', paymentTerms: '30 days net' });
    const address = '{ name: "Dock 2", street: "1 High Street", postalCode: "N1 9GU", city: "London", country: "GB" }';
    const { data } = await api.graphql<{ createContact: { contact: { databaseId: number } } }>(
      `mutation { createContact(input: { organizationId: "${buyer.id}", email: "ada@example.com" }) {
        ... on CreateContactPayload { contact { databaseId } } ... on Error { message }
      } }`,
    );
    const more = `organizationId: "${buyer.id}", contactId: "${data.createContact.contact.databaseId}", customerOrderNumber: "PO-9", shippingAddress: ${address}`;
    const [sent, held, missed] = [await placeOrder(chairsAndDesk, more), await placeOrder(), await placeOrder()];
    await api.database.tenantQuery('acme-shop', {
      text: "UPDATE orders SET hold_reason = 'credit' WHERE id = $1",
      values: [held.databaseId],
    });
    const runs = await relay(sent.databaseId);
    expect(runs).toHaveLength(1);
    expect((await untilRun(api, runs[0] as number)).status).toBe('succeeded');
    expect(out).toBeGreaterThan(0);
    const first = await order(sent.databaseId);
    expect(first).toMatchObject({ status: 'acknowledged', erp_number: expect.any(String) });

    for (const _ of [1, 2]) await start(poll);
    expect(await order(missed.databaseId)).toMatchObject({ status: 'acknowledged', erp_number: expect.any(String) });
    expect(await order(held.databaseId)).toMatchObject({ status: 'pending', hold_reason: 'credit' });
    const missing = await order(missed.databaseId);
    expect(erp.receipts.map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      [first, missing].map(({ uid }) => `order-${String(uid)}`),
    );
    expect(erp.receipts.map(({ order: { externalNumber }, times }) => [externalNumber, times])).toEqual([
      [String(first['number']), 1],
      [missed.number, 1],
    ]);
    expect(erp.receipts[0]?.order).toEqual({
      externalNumber: String(first['number']),
      customerOrderNumber: 'PO-9',
      orderedAt: first['placed_at'],
      channel: null,
      customer: { number: '10001', name: 'Miller Ltd', terms: '30 days net', email: 'ada@example.com' },
      shippingAddress: { name: 'Dock 2', street: '1 High Street', zip: 'N1 9GU', city: 'London', country: 'GB' },
      billingAddress: null,
      currency: 'EUR',
      net: '460.00',
      tax: '30.40',
      gross: '490.40',
      lines: [
        expect.objectContaining({
          article: 'CHAIR-01',
          name: 'Office chair',
          quantity: '2',
          unitPrice: '80',
          net: '160.00',
        }),
        expect.objectContaining({ article: 'DESK-01', quantity: '1', unitPrice: '300', net: '300.00', taxRate: '0' }),
      ],
    });
    expect(erp.receipts[1]?.order).toMatchObject({ customer: null, shippingAddress: null });
  },
);

test('a hundred orders that the ERP refuses permanently do not delay later ones', runsManyWorkflows, async () => {
  const poll = await install('orders-reconciliation', { orders_url: `http://${strictErp.address}/orders` }, byHand);
  const body = { sku: 'LAMP-01', kind: 'receipt', quantity: '500', reference: 'goods LAMP-01' };
  expect((await callPlatform(api, 'POST', '/inventories/movements', { body })).status).toBe(201);
  const lamp = '{ sku: "LAMP-01", quantity: "1", unitPrice: "20" }';
  const refused = await Promise.all(Array.from({ length: 100 }, () => placeOrder(lamp)));
  strictErp.refuse(refused.map(({ number }) => number));
  const later = await placeOrder(lamp);

  expect(await end(poll)).toMatchObject({ status: 'failed' });
  await start(poll);
  expect(await order(later.databaseId)).toMatchObject({ status: 'acknowledged' });
  expect(strictErp.asked()).toEqual([...byNumber(refused), later].map(({ number }) => [number, 1]));

  // Once the ERP takes them, the next round does.
  strictErp.refuse([]);
  await start(poll);
  for (const { databaseId } of refused) expect(await order(databaseId)).toMatchObject({ status: 'acknowledged' });
});

/** Hands the event of one order to its triggers, as the relay does; the other order's is lost on its way. */
async function relay(id: number): Promise<number[]> {
  await api.database.withSystem(async (tx) => {
    const { rows } = await tx.query(
      `SELECT id, xid, event_id AS "eventId", tenant_id AS "tenantId", topic, data, metadata, created_at AS "createdAt"
       FROM outbox_events WHERE topic = 'order.created' AND data ->> 'id' = $1`,
      [String(id)],
    );
    await eventTriggers(api.deps).handle(tx, rows);
  });
  const { rows } = await api.database.system.query<{ id: number }>(`SELECT id FROM runs WHERE trigger_type = 'event'`);
  return rows.map((row) => row.id);
}

/** An ERP that refuses some orders, and counts how often it was asked to take each. */
async function startStrictErp() {
  const asked = new Map<string, number>();
  let refused = new Set<string>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { externalNumber } = JSON.parse(body) as { externalNumber: string };
      asked.set(externalNumber, (asked.get(externalNumber) ?? 0) + 1);
      response.writeHead(refused.has(externalNumber) ? 422 : 201, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ erpNumber: `ERP-${externalNumber}` }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse(numbers: string[]) {
      refused = new Set(numbers);
    },
    /** The oldest order first. */
    asked: () => [...asked].toSorted(([a], [b]) => Number(a) - Number(b)),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
