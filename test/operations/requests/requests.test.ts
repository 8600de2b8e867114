import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { startStoryWorld, type StoryWorld } from '#test/commerce/orders/story/story-world.ts';
import { call, callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

let api: TestApp;
let world: StoryWorld;
test.beforeAll(async ({ api: started }) => {
  api = started;
  world = await startStoryWorld(api);
});
test.afterAll(() => world.close());

interface Found {
  orders: { number: string }[];
  runs: { databaseId: number; status: string; requestId: string | null }[];
  deadLetters: { databaseId: number; status: string }[];
  webhookDeliveries: { databaseId: number; topic: string; status: string }[];
  bulkJobs: { kind: string }[];
}

const query = `query ($id: String!) { request(requestId: $id) {
  orders { number } runs { databaseId status requestId } deadLetters { databaseId status }
  webhookDeliveries { databaseId topic status } bulkJobs { kind }
} }`;

async function find(id: string, as?: Caller): Promise<Found> {
  const { data, errors } = await api.graphql<{ request: Found }>(query, { id }, as);
  expect(errors).toBeUndefined();
  return data.request;
}

const nothing: Found = { orders: [], runs: [], deadLetters: [], webhookDeliveries: [], bulkJobs: [] };
const newId = (): string => `shop:${randomUUID()}`;
const sentWith = (id: string) => ({ headers: { 'x-request-id': id } });

/** The log lines with this id: what they say, and of what. */
const linesWith = (id: string) =>
  api.logLines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ requestId }) => requestId === id)
    .map(
      ({ msg, orderId, runId, deadLetterId, deliveryId, bulkJobId }) =>
        JSON.parse(JSON.stringify({ msg, orderId, runId, deadLetterId, deliveryId, bulkJobId })) as object,
    );

interface Placed {
  id: unknown;
  order: { id: string; databaseId: number; number: string };
}

/** Places an order by the graph; `id` is the one that the answer has. */
async function placeOrder(id: string): Promise<Placed> {
  const response = await api.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: {
      authorization: `Bearer ${await api.token({ roles: ['admin'] })}`,
      'x-tenant-id': 'acme-shop',
      ...sentWith(id).headers,
    },
    payload: {
      query:
        'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { ... on CreateOrderPayload { order { id databaseId number } } } }',
      variables: { input: { currency: 'EUR', positions: [{ sku: 'MUG', quantity: '1', unitPrice: '10' }] } },
    },
  });
  const { order } = response.json<{ data: { createOrder: Pick<Placed, 'order'> } }>().data.createOrder;
  return { id: response.headers['x-request-id'], order };
}

describe('a request whose sender gave it an id', () => {
  test('leads to its order, the run, the request to the ERP and the delivery', async () => {
    const id = newId();
    const placed = await placeOrder(id);
    expect(placed.id).toBe(id);
    await expect
      .poll(() => find(id))
      .toEqual({
        ...nothing,
        orders: [{ number: placed.order.number }],
        runs: [{ databaseId: expect.any(Number), status: 'SUCCEEDED', requestId: id }],
        webhookDeliveries: [{ databaseId: expect.any(Number), topic: 'order.created', status: 'DELIVERED' }],
      });
    const asked = world.erp.arrived.filter(
      ({ path, headers }) => path.startsWith('/erp/orders') && headers['x-request-id'] === id,
    );
    expect(asked).toHaveLength(1);
    const told = (await world.erp.until('/hooks', 1)).map(
      ({ body }) => JSON.parse(String(body)) as { metadata: object },
    );
    expect(told.filter(({ metadata }) => 'request_id' in metadata && metadata.request_id === id)).toHaveLength(1);
    const { webhookDeliveries } = await find(id);
    expect(linesWith(id)).toEqual([
      { msg: 'accepted', orderId: placed.order.databaseId },
      { msg: 'webhook sent', deliveryId: webhookDeliveries[0]?.databaseId },
    ]);
  });

  test('leads to the dead letter that it left, and to the run of its replay', async () => {
    const id = newId();
    const { handle, workflowId } = await readyWorkflow(api, { nodes: [node('end', 'set', { values: {} })] });
    const activate = (active: boolean) =>
      api.database.system.query('UPDATE workflows SET active = $2 WHERE id = $1', [workflowId, active]);
    await activate(false);
    const { body } = await call(api, 'POST', `/webhooks/${handle}`, { body: {}, ...sentWith(id) });
    const letter = Number(body['dead_letter_id']);
    expect(await find(id)).toEqual({ ...nothing, deadLetters: [{ databaseId: letter, status: 'PENDING' }] });
    expect(linesWith(id)).toEqual([{ msg: 'accepted', runId: null, deadLetterId: letter }]);
    await activate(true);
    const replayed = await call(api, 'POST', `/dead-letters/${letter}/replay`, sentWith(newId()));
    expect(replayed.status).toBe(202);
    await expect
      .poll(async () => (await find(id)).runs)
      .toEqual([{ databaseId: Number(replayed.body['id']), status: 'SUCCEEDED', requestId: id }]);
  });

  test('leads to the export that it started', async () => {
    const id = newId();
    const started = await callPlatform(api, 'POST', '/io/exports', {
      body: { target: 'products', format: 'csv' },
      ...sentWith(id),
    });
    expect(await find(id)).toEqual({ ...nothing, bulkJobs: [{ kind: 'EXPORT' }] });
    expect(linesWith(id)).toEqual([{ msg: 'accepted', bulkJobId: Number(started.body['id']) }]);
  });

  test('is found in its own tenant alone, and only what the viewer may see', async () => {
    const id = newId();
    await placeOrder(id);
    expect(await find(id, { tenant: 'acme-outlet' })).toEqual(nothing);
    await expect.poll(async () => (await find(id)).runs).toHaveLength(1);
    const key = await api.apiKey(['orders:read']);
    expect(await find(id, { apiKey: key })).toMatchObject({ orders: [{}], runs: [], webhookDeliveries: [] });
  });
});

test.each([
  ['more than 128 characters', 'x'.repeat(129)],
  ['a line end', 'a\tb'],
  ['markup', '<b>'],
  ['nothing', ''],
])('an id of %s is replaced by one of our own, under which nothing is found', async (_what, id) => {
  const own = String((await placeOrder(id)).id);
  expect(own).toMatch(/^[0-9a-f-]{36}$/);
  expect(await find(own)).toEqual(nothing);
  expect((await api.graphql(query, { id })).errors).toMatchObject([
    { extensions: { fields: { requestId: [expect.stringContaining('128')] } } },
  ]);
});
