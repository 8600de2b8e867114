import pg from 'pg';
import { describe, expect, vi } from 'vitest';
import { acknowledgeOrder } from '#src/commerce/orders/order-actions.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { startOnOrders, startStoryWorld, type StoryWorld } from './story-world.ts';

let api: TestApp;
let world: StoryWorld;
test.beforeAll(async ({ api: started }) => {
  api = started;
  world = await startStoryWorld(api);
});
test.afterAll(() => world.close());

const story = `story {
  __typename at eventId
  ... on OrderStoryChange { change { action actorSub actorName run { id } } }
  ... on OrderStoryRun { run { id databaseId status trigger { name } } }
  ... on OrderStoryDeadLetter { deadLetter { id status reason workflowName } }
  ... on OrderStoryStep { run { databaseId } step { nodeId status calls { method url status error durationMs at } } }
  ... on OrderStoryDelivery { delivery { topic status destination { name } attempts { try status httpCode } } }
}`;

type Entry = {
  __typename: string;
  at: string;
  eventId: string | null;
  change?: { action: string; actorSub: string | null; actorName: string | null; run: { id: string } | null };
  run?: { id: string; databaseId: number; status: string };
  step?: { nodeId: string; calls: object[] };
  deadLetter?: { id: string; status: string; reason: string };
  delivery?: { topic: string; status: string };
};

async function read(id: string, as?: Caller): Promise<Entry[]> {
  const { data, errors } = await api.graphql<{ order: { story: Entry[] } | null }>(
    `query ($id: ID!) { order(id: $id) { ${story} } }`,
    { id },
    as,
  );
  expect(errors).toBeUndefined();
  return data.order?.story ?? [];
}

/** The story once everything in it has ended, with at least so many deliveries. */
async function untilSettled(id: string, deliveries = 1): Promise<Entry[]> {
  for (const deadline = Date.now() + 20_000; ; await new Promise((resolve) => void setTimeout(resolve, 50))) {
    const entries = await read(id);
    const sent = entries.filter(({ delivery }) => delivery?.status === 'DELIVERED').length;
    const hasRun = entries.some(({ __typename: type, run }) => type === 'OrderStoryRun' && run?.status === 'SUCCEEDED');
    if (hasRun && sent >= deliveries) return entries;
    if (Date.now() > deadline) throw new Error(`The story does not end: ${JSON.stringify(entries)}`);
  }
}

const place = async () =>
  (await world.shop.place({ positions: [{ sku: 'MUG', quantity: '1', unitPrice: '10' }] })).order;

const activate = (workflowId: number, active: boolean) =>
  api.database.system.query('UPDATE workflows SET active = $2 WHERE id = $1', [workflowId, active]);

const isRunEntry = ({ __typename: type }: Entry) => type === 'OrderStoryRun';

const kinds = (entries: Entry[]) => entries.map(({ __typename: type }) => type.replace('OrderStory', ''));

describe('the story of an order', () => {
  test('goes from the shop to the acknowledgement of the ERP, in the order of the times', async () => {
    const order = await place();
    await untilSettled(order.id);
    expect((await world.shop.act(order.databaseId, 'acknowledge', { erp_number: 'A-1' })).status).toBe(200);
    const entries = await untilSettled(order.id, 2);

    expect(entries.map(({ at }) => at)).toEqual(entries.map(({ at }) => at).toSorted());
    expect(kinds(entries).toSorted()).toEqual(['Change', 'Change', 'Delivery', 'Delivery', 'Run', 'Step']);
    const [created, acknowledged] = entries.filter(({ change }) => change);
    expect(kinds(entries)[0]).toBe('Change');
    expect(created?.change).toMatchObject({ action: 'create', run: null });
    expect(acknowledged?.change).toMatchObject({ action: 'acknowledge', run: null });
    expect(acknowledged?.change?.actorSub).toMatch(/^api-key\//);
    expect(acknowledged?.change?.actorName).toEqual(expect.any(String));

    const caused = entries.filter(({ eventId }) => eventId === created?.eventId);
    expect(kinds(caused).toSorted()).toEqual(['Change', 'Delivery', 'Run', 'Step']);
    const run = caused.find(({ __typename: type }) => type === 'OrderStoryRun')?.run;
    expect(run).toMatchObject({ status: 'SUCCEEDED', trigger: { name: 'New orders' } });
    expect(caused.find(({ step }) => step)).toMatchObject({
      run: { databaseId: run?.databaseId },
      step: {
        nodeId: 'send_order',
        status: 'SUCCEEDED',
        calls: [{ method: 'POST', url: `${world.erp.url}/erp/orders`, status: 200, error: null }],
      },
    });
    const confirmed = entries.filter(({ eventId }) => eventId === acknowledged?.eventId);
    expect(kinds(confirmed)).toEqual(['Change', 'Delivery']);
    expect(confirmed[1]?.delivery).toMatchObject({
      topic: 'order.acknowledged',
      status: 'DELIVERED',
      destination: { name: 'ERP' },
      attempts: [{ try: 1, status: 'DELIVERED', httpCode: 200 }],
    });
  });

  test('has an event for each change that the outbox tells of, and none for others', async () => {
    const order = await place();
    await world.shop.mutate(
      'recordPayment',
      { orderId: order.id, kind: 'CAPTURED', amount: '5', reference: `P-${order.databaseId}` },
      'payment { id }',
    );
    await world.shop.act(order.databaseId, 'complete');
    const changes = (await read(order.id)).filter(({ change }) => change);
    expect(changes.map(({ change }) => change?.action)).toEqual([
      'create',
      'record_payment',
      'acknowledge',
      'complete',
    ]);
    const ids = changes.map(({ eventId }) => eventId);
    const { rows } = await api.database.system.query<{ topic: string }>(
      'SELECT topic FROM unnest($1::uuid[]) WITH ORDINALITY AS wanted(id, place) LEFT JOIN outbox_events ON event_id = wanted.id ORDER BY place',
      [ids],
    );
    expect(rows.map(({ topic }) => topic)).toEqual(['order.created', null, 'order.acknowledged', 'order.completed']);
  });

  test('names the run that changed the order', async () => {
    const order = await place();
    const settled = await untilSettled(order.id);
    const runId = settled.find(({ run }) => run)?.run?.databaseId;
    const node = { ...systemActor('acme', 'acme-shop'), sub: `run/${runId}` };
    await acknowledgeOrder(api.deps, node, BigInt(order.databaseId), { erpNumber: 'A-2' });
    const { change } = (await read(order.id)).findLast((entry) => entry.change) as Entry;
    expect(change).toMatchObject({ action: 'acknowledge', actorName: null, run: { id: expect.any(String) } });
  });

  test('has the runs that were made again from a run that its event started', async () => {
    const order = await place();
    await untilSettled(order.id);
    const first = (await read(order.id)).find(({ __typename: type }) => type === 'OrderStoryRun')?.run?.databaseId;
    await world.shop.mutate('rerunRun', { id: String(first) }, 'run { id }');
    const runs = (await read(order.id)).filter(({ __typename: type }) => type === 'OrderStoryRun');
    expect(runs).toHaveLength(2);
    expect(new Set(runs.map(({ eventId }) => eventId)).size).toBe(1);
  });

  test('is led to from a run of it, and from no other run', async () => {
    const order = await place();
    const runId = (await untilSettled(order.id)).find(isRunEntry)?.run?.id;
    const read = async (id: unknown) => {
      const { data, errors } = await api.graphql<{ run: { order: { id: string } | null } }>(
        'query ($id: ID!) { run(id: $id) { order { id } } }',
        { id },
      );
      expect(errors).toBeUndefined();
      return data.run.order;
    };
    expect(await read(runId)).toEqual({ id: order.id });
    const manual = await readyWorkflow(api, { nodes: [node('note', 'set', { values: {} })] }, { type: 'manual' });
    const started = await world.shop.mutate('startRun', { workflowId: String(manual.workflowId) }, 'run { id }');
    expect(await read((started as unknown as { run: { id: string } }).run.id)).toBeNull();
  });

  test('has a run that was made again with a payload of its own, which names no event', async () => {
    const order = await place();
    await untilSettled(order.id);
    const first = (await read(order.id)).find(isRunEntry)?.run?.databaseId;
    const payload = { data: { number: 'by-hand' } };
    await world.shop.mutate('rerunRun', { id: String(first), payload }, 'run { id }');
    expect((await read(order.id)).filter(isRunEntry)).toHaveLength(2);
  });

  test('has the runs that its runs started, with their requests', async () => {
    const sender = await readyWorkflow(
      api,
      { nodes: [node('send_part', 'http-request', { method: 'POST', url: `${world.erp.url}/erp/parts`, body: {} })] },
      { type: 'manual' },
    );
    const delegating = await readyWorkflow(
      api,
      { nodes: [node('delegate', 'sub-workflow', { workflow_id: sender.workflowId })] },
      { type: 'manual' },
    );
    await startOnOrders(api, delegating.workflowId);
    const order = await place();
    const sent = await vi.waitFor(
      async () => {
        const entries = await read(order.id);
        const request = entries.find(({ step }) => step?.nodeId === 'send_part');
        expect(request?.step).toMatchObject({ calls: [{ url: `${world.erp.url}/erp/parts`, status: 200 }] });
        return entries;
      },
      { timeout: 20_000, interval: 100 },
    );
    expect(new Set(sent.filter(isRunEntry).map(({ eventId }) => eventId)).size).toBe(1);
    expect(sent.filter(isRunEntry)).toHaveLength(3);
    await api.database.system.query('UPDATE triggers SET active = false WHERE workflow_id = $1', [
      delegating.workflowId,
    ]);
  });

  test('says that its event could not start a run, and has the run of the replay', async () => {
    await activate(world.workflowId, false);
    const order = await place();
    const found = async () => (await read(order.id)).filter(({ deadLetter }) => deadLetter);
    const [letter] = await vi.waitFor(
      async () => {
        const letters = await found();
        expect(letters).toHaveLength(1);
        return letters;
      },
      { timeout: 20_000, interval: 100 },
    );
    expect(letter?.deadLetter).toMatchObject({ status: 'PENDING', reason: 'Workflow is not active.' });
    await activate(world.workflowId, true);
    await world.shop.mutate('replayDeadLetter', { id: letter?.deadLetter?.id }, 'run { id }');
    await untilSettled(order.id);
    const entries = await read(order.id);
    expect(entries.filter(isRunEntry)).toHaveLength(1);
    expect(entries.find(({ deadLetter }) => deadLetter)?.deadLetter).toMatchObject({ status: 'REPLAYED' });
  });

  test('leaves out what an API key may not see', async () => {
    const order = await place();
    await untilSettled(order.id);
    const seen = async (...scopes: string[]) => read(order.id, { apiKey: await api.apiKey(scopes) });
    const own = await seen('orders:read');
    expect(kinds(own)).toEqual(['Change']);
    expect(own[0]?.change).toMatchObject({ action: 'create', actorName: null, run: null });
    expect(kinds(await seen('orders:read', 'webhooks:read'))).toEqual(['Change', 'Delivery']);
  });

  test('is not told to another tenant', async () => {
    const order = await place();
    expect(await read(order.id, { tenant: 'acme-outlet' })).toEqual([]);
  });

  test('is told live: at once, and when a run or a delivery of the order changes', async () => {
    const order = await place();
    const client = await connect(api);
    const told = () => ofOperation(client.messages, 'story').length;
    subscribe(client, 'story', `subscription { orderStoryUpdated(id: "${order.id}") { number } }`);
    await client.until(() => told() >= 1);
    await untilSettled(order.id);
    await new Promise((resolve) => void setTimeout(resolve, 1_500));
    const before = told();
    // Another order is none of its business.
    await untilSettled((await place()).id);
    await new Promise((resolve) => void setTimeout(resolve, 1_500));
    expect(told()).toBe(before);
    await world.shop.act(order.databaseId, 'acknowledge', { erp_number: 'A-3' });
    await client.until(() => told() > before);
    await untilSettled(order.id, 2);
    await client.until(() => told() >= before + 1);
    client.socket.close();
    await client.closed;
  });

  test('takes as many statements for many orders as for one', async () => {
    for (let n = 0; n < 5; n += 1) await untilSettled((await place()).id);
    // What a worker sends would be counted too.
    await world.close();
    const listStatements = async (first: number) => {
      const sent = vi.spyOn(pg.Client.prototype, 'query');
      try {
        const { data, errors } = await api.graphql<{ orders: { edges: unknown[] } }>(
          `query ($first: Int) { orders(first: $first) { edges { node { ${story} } } } }`,
          { first },
        );
        expect(errors).toBeUndefined();
        expect(data.orders.edges).toHaveLength(first);
        return (
          sent.mock.calls
            .map(([query]) => (query as unknown as { text?: string }).text ?? '')
            // Those of the story alone: the process reads other things meanwhile.
            .filter((text) => /\b(?:orders|order_changes|runs|steps|webhook_deliveries)\b/.test(text))
            .map((text) => text.replaceAll(/LIMIT \S+/g, 'LIMIT n'))
            .toSorted()
        );
      } finally {
        sent.mockRestore();
      }
    };
    await listStatements(5);
    expect(await listStatements(5)).toEqual(await listStatements(1));
  });
});
