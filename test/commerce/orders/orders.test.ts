import { describe, expect } from 'vitest';
import { countOrders } from '#src/commerce/orders/order-count.reads.ts';
import { createPriceList } from '#src/commerce/prices/price-lists.service.ts';
import { upsertPrice } from '#src/commerce/prices/prices.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let { mutate, place, act, get, stocked, readStock, findTopics } = {} as ReturnType<typeof createShop>;
test.beforeAll(({ api: started }) => {
  api = started;
  ({ mutate, place, act, get, stocked, readStock, findTopics } = createShop(api));
});

describe('an order', () => {
  test('is placed with its amounts, reserves its stock, and reads the same in the graph’s events and over REST', async () => {
    await stocked('MUG', '10');
    const { order } = await place({
      customerOrderNumber: 'PO-1',
      positions: [{ sku: 'MUG', quantity: '3', unitPrice: '0.335', costCentre: 'CC', text: 'Blue' }],
    });
    const body = await get(order.databaseId);
    expect(body).toMatchObject({
      status: 'pending',
      payment_status: 'unpaid',
      fulfillment_status: 'unfulfilled',
      hold_reason: null,
      customer_order_number: 'PO-1',
      totals: { net: '1.01', tax: '0.19', gross: '1.20' },
      taxes: [{ rate: '19', net: '1.01', tax: '0.19', gross: '1.20' }],
      positions: [
        { sku: 'MUG', quantity: '3', unit_price: '0.335', tax_rate: '19', line_total: '1.01', cost_centre: 'CC' },
      ],
    });
    expect(await readStock('MUG')).toEqual({ on_hand: '10', reserved: '3', available: '7' });
    const { rows } = await api.database.system.query(`SELECT data FROM outbox_events WHERE topic = 'order.created'`);
    expect(rows).toEqual([{ data: body }]);
  });

  test('has a random uid, or a stable one if it is older than the column', async () => {
    await stocked('RANDOM', '5');
    const input = { positions: [{ sku: 'RANDOM', quantity: '1', unitPrice: '1' }] };
    const ids = [await place(input), await place(input)].map(({ order }) => order.databaseId);
    const uids = async () => Promise.all(ids.map(async (id) => (await get(id))['uid']));
    const uuid = expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    const given = await uids();
    expect(given).toEqual([uuid, uuid]);
    await api.database.withTenantSql('acme-shop', (tx) =>
      tx.query('UPDATE orders SET uid = NULL WHERE id = ANY($1::bigint[])', [ids]),
    );
    const derived = await uids();
    expect(await uids()).toEqual(derived);
    expect(new Set([...given, ...derived]).size).toBe(4);
  });

  test('is returned again for its external key, and takes no more stock', async () => {
    await stocked('KEYED', '5');
    const input = { externalKey: 'cart-1', positions: [{ sku: 'KEYED', quantity: '2', unitPrice: '10.00' }] };
    const answers = await Promise.all([place(input), place(input), place(input)]);
    const repeat = await place({ ...input, positions: [{ unitPrice: '10', quantity: '2.0', sku: 'KEYED' }] });
    const ids = [...answers, repeat].map(({ order }) => order.databaseId);
    expect(new Set(ids).size).toBe(1);
    expect(await readStock('KEYED')).toEqual({ on_hand: '5', reserved: '2', available: '3' });
    expect(await findTopics(ids[0] as number)).toEqual(['order.created']);
  });

  test('is refused if its external key was used with other content, and the response names the differences', async () => {
    await stocked('OTHER', '50');
    const position = { sku: 'OTHER', quantity: '2', unitPrice: '10.00' };
    const address = { name: 'Ada', street: '1 Main Street', postalCode: '1000', city: 'Town', country: 'DE' };
    const input = { externalKey: 'cart-3', channel: 'web', shippingAddress: address, positions: [position] };
    const { order } = await place(input);
    for (const [change, named] of [
      [{ currency: 'USD' }, 'currency'],
      [{ channel: null }, 'channel'],
      [{ customerOrderNumber: 'PO-2' }, 'customerOrderNumber'],
      [{ shippingAddress: { ...address, city: 'Village' } }, 'shippingAddress'],
      [{ positions: [{ ...position, quantity: '3' }] }, 'positions.0.quantity'],
      // It comes to the same price or not, but it is another wish.
      [{ positions: [{ sku: 'OTHER', quantity: '2' }] }, 'positions.0.unitPrice'],
      [{ positions: [position, position] }, 'positions.1'],
      [
        { positions: [{ ...position, sku: 'NOT-THERE', text: 'x'.repeat(2_000) }] },
        'positions.0.sku, positions.0.text',
      ],
    ] as const) {
      const { code, message } = await place({ ...input, ...change });
      expect([code, message]).toEqual(['CONFLICT', expect.stringContaining(`other content: ${named} `)]);
    }
    expect((await place(input)).order.databaseId).toBe(order.databaseId);
    expect(await readStock('OTHER')).toEqual({ on_hand: '50', reserved: '2', available: '48' });
  });

  test('is placed for one of two buyers who use its external key concurrently with other content', async () => {
    await stocked('CLASH', '5');
    const answers = await Promise.all(
      ['1', '2'].map((quantity) =>
        place({ externalKey: 'cart-4', positions: [{ sku: 'CLASH', quantity, unitPrice: '1' }] }),
      ),
    );
    expect(answers.map(({ code }) => code ?? 'placed').toSorted()).toEqual(['CONFLICT', 'placed']);
    const refused = answers.find(({ code }) => code !== undefined);
    expect(refused?.message).toContain('positions.0.quantity');
  });

  test('takes the applicable price, and is refused at the position without one', async () => {
    await stocked('PRICED', '5', '0');
    const actor = systemActor('acme', 'acme-shop');
    await createPriceList(api.deps, actor, { code: 'shop', name: 'Shop', currency: 'EUR' });
    await upsertPrice(api.deps, actor, { list: 'shop', sku: 'PRICED', quantityFrom: '2', amount: '4.50' });
    const { order } = await place({ positions: [{ sku: 'PRICED', quantity: '2' }] });
    expect((await get(order.databaseId))['totals']).toEqual({ net: '9.00', tax: '0.00', gross: '9.00' });
    for (const [position, path] of [
      [{ sku: 'PRICED', quantity: '1' }, 'positions.0.sku'],
      [{ sku: 'UNKNOWN', quantity: '1', unitPrice: '1' }, 'positions.0.sku'],
      [{ sku: 'PRICED', quantity: '0', unitPrice: '1' }, 'positions.0.quantity'],
      [{ sku: 'PRICED', quantity: '10,5', unitPrice: '1' }, 'positions.0.quantity'],
      [{ sku: 'PRICED', quantity: '1e400', unitPrice: '1' }, 'positions.0.quantity'],
    ] as const) {
      expect(await place({ positions: [position] })).toMatchObject({ code: 'VALIDATION_FAILED', fields: [{ path }] });
    }
    expect(await place({ positions: [] })).toMatchObject({ fields: [{ path: 'positions' }] });
  });

  test('takes the last piece for one of two concurrent buyers, and reserves nothing if any position lacks stock', async () => {
    await stocked('LAST', '1');
    await stocked('PLENTY', '9');
    const positions = ['PLENTY', 'LAST'].map((sku) => ({ sku, quantity: '1', unitPrice: '1' }));
    const answers = await Promise.all([place({ positions }), place({ positions })]);
    expect(answers.map(({ code }) => code ?? 'placed').toSorted()).toEqual(['CONFLICT', 'placed']);
    expect(await readStock('LAST')).toEqual({ on_hand: '1', reserved: '1', available: '0' });
    expect(await readStock('PLENTY')).toEqual({ on_hand: '9', reserved: '1', available: '8' });
  });

  test('is decided individually in a batch: remaining stock goes to the first, and each has its own number', async () => {
    await stocked('RUSH', '4');
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => place({ positions: [{ sku: 'RUSH', quantity: '1', unitPrice: '1' }] })),
    );
    const placed = answers.flatMap(({ order }) => (order ? [order as unknown as { number: string }] : []));
    expect(placed).toHaveLength(4);
    expect(new Set(placed.map(({ number }) => number)).size).toBe(4);
    expect(answers.filter(({ code }) => code === 'CONFLICT')).toHaveLength(6);
    expect(await readStock('RUSH')).toEqual({ on_hand: '4', reserved: '4', available: '0' });
    for (const { order } of answers) if (order) expect(await findTopics(order.databaseId)).toEqual(['order.created']);
  });

  test('that took the last piece is returned to all concurrent callers with its external key', async () => {
    await stocked('LAST-KEYED', '1');
    const input = { externalKey: 'cart-2', positions: [{ sku: 'LAST-KEYED', quantity: '1', unitPrice: '1' }] };
    const answers = await Promise.all([place(input), place(input), place(input)]);
    expect(new Set(answers.map(({ order }) => order.databaseId)).size).toBe(1);
    expect(await readStock('LAST-KEYED')).toEqual({ on_hand: '1', reserved: '1', available: '0' });
  });
});

describe('an action of the ERP', () => {
  test('acknowledges and completes, and a repeat returns the same bytes without another event', async () => {
    await stocked('DONE', '5');
    const { order } = await place({ positions: [{ sku: 'DONE', quantity: '2', unitPrice: '1' }] });
    const id = order.databaseId;
    const first = await act(id, 'acknowledge', { erp_number: 'SO-1' });
    expect(first).toMatchObject({ status: 200, body: { status: 'acknowledged', erp_number: 'SO-1' } });
    for (const body of [{ erp_number: 'SO-1' }, undefined]) {
      expect((await act(id, 'acknowledge', body)).text).toBe(first.text);
    }
    expect(await act(id, 'acknowledge', { erp_number: 'SO-2' })).toMatchObject({ status: 409 });
    const done = await act(id, 'complete');
    expect((await act(id, 'complete')).text).toBe(done.text);
    expect(await act(id, 'cancel')).toMatchObject({ status: 409 });
    expect(await act(id, 'acknowledge')).toMatchObject({ status: 409 });
    expect(await readStock('DONE')).toEqual({ on_hand: '3', reserved: '0', available: '3' });
    expect(await findTopics(id)).toEqual(['order.created', 'order.acknowledged', 'order.completed']);
  });

  test('completes a pending order by acknowledging it first, and cancels with a release', async () => {
    await stocked('BOTH', '5');
    const positions = [{ sku: 'BOTH', quantity: '2', unitPrice: '1' }];
    const [a, b] = [(await place({ positions })).order.databaseId, (await place({ positions })).order.databaseId];
    await act(a, 'complete');
    expect(await findTopics(a)).toEqual(['order.created', 'order.acknowledged', 'order.completed']);
    const cancelled = await act(b, 'cancel', { reason: 'Withdrawn' });
    expect((await act(b, 'cancel')).text).toBe(cancelled.text);
    expect(await readStock('BOTH')).toEqual({ on_hand: '3', reserved: '0', available: '3' });
    expect(await act(b, 'complete')).toMatchObject({ status: 409 });
    expect(await findTopics(b)).toEqual(['order.created', 'order.cancelled']);
  });

  test('is recorded in the order’s history with actor and time, oldest first, but a repeat is not', async () => {
    await stocked('TOLD', '5');
    const { order } = await place({ positions: [{ sku: 'TOLD', quantity: '1', unitPrice: '1' }] });
    for (const body of [undefined, { erp_number: 'SO-9' }, { erp_number: 'SO-9' }]) {
      await act(order.databaseId, 'acknowledge', body);
    }
    await mutate('createShipment', { orderId: order.id, reference: 'T-1' }, 'shipment { id }');
    const { data } = await api.graphql<{ order: { changes: Record<string, unknown>[] } }>(
      'query ($id: ID!) { order(id: $id) { changes { action details actorSub actorEmail createdAt } } }',
      { id: order.id },
    );
    const byKey = { actorSub: expect.stringMatching(/^api-key\//), actorEmail: null };
    const byUser = { actorSub: 'test-admin', actorEmail: 'admin@example.com' };
    expect(data.order.changes).toMatchObject([
      { action: 'create', details: {}, ...byUser },
      { action: 'acknowledge', details: {}, ...byKey },
      { action: 'acknowledge', details: { erp_number: 'SO-9' }, ...byKey },
      { action: 'ship', details: { reference: 'T-1' }, ...byUser },
    ]);
    const times = data.order.changes.map(({ createdAt }) => Date.parse(String(createdAt)));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  test('is refused to a user, because the ERP owns the status', async () => {
    await stocked('OWNED', '5');
    const { order } = await place({ positions: [{ sku: 'OWNED', quantity: '1', unitPrice: '1' }] });
    expect(await mutate('cancelOrder', { id: order.id }, 'order { id }')).toMatchObject({
      fields: [{ path: 'status' }],
    });
  });
});

describe('shipments and payments', () => {
  test('change their own statuses, once for each reference, and a shipped order is not cancelled', async () => {
    await stocked('SENT', '5');
    const { order } = await place({ positions: [{ sku: 'SENT', quantity: '3', unitPrice: '10.00' }] });
    const [position] = (await get(order.databaseId))['positions'] as unknown as { id: number }[];
    const ship = (reference: string, quantity?: string) =>
      mutate(
        'createShipment',
        {
          orderId: order.id,
          reference,
          ...(quantity && { positions: [{ positionId: String(position?.id), quantity }] }),
        },
        'shipment { id databaseId reference order { fulfillmentStatus } }',
      );
    const first = await ship('S-1', '1');
    expect(first).toMatchObject({ shipment: { order: { fulfillmentStatus: 'PARTIALLY_FULFILLED' } } });
    expect(await ship('S-1', '1')).toEqual(first);
    expect(await ship('S-2', '3')).toMatchObject({ code: 'CONFLICT' });
    expect(await act(order.databaseId, 'cancel')).toMatchObject({ status: 409 });
    expect(await ship('S-3')).toMatchObject({ shipment: { order: { fulfillmentStatus: 'FULFILLED' } } });
    expect(await readStock('SENT')).toEqual({ on_hand: '2', reserved: '0', available: '2' });
    await mutate('createReturn', { orderId: order.id, reference: 'R-1' }, 'return { id }');
    expect(await readStock('SENT')).toEqual({ on_hand: '5', reserved: '0', available: '5' });

    const pay = (kind: string, amount: string, reference: string) =>
      mutate(
        'recordPayment',
        { orderId: order.id, kind, amount, reference },
        'payment { databaseId kind amount reference }',
      );
    await pay('AUTHORIZED', '35.70', 'P-1');
    const part = await pay('CAPTURED', '20.00', 'P-2');
    expect(part).toMatchObject({ payment: { kind: 'CAPTURED', amount: '20.00' } });
    expect(await pay('CAPTURED', '20.00', 'P-2')).toEqual(part);
    expect(await pay('CAPTURED', '21.00', 'P-2')).toMatchObject({ code: 'CONFLICT' });
    expect(await get(order.databaseId)).toMatchObject({ payment_status: 'partially_paid' });
    await pay('CAPTURED', '15.70', 'P-3');
    expect(await get(order.databaseId)).toMatchObject({ payment_status: 'paid' });
    await pay('REFUNDED', '1', 'P-4');
    expect(await pay('REFUNDED', '100', 'P-5')).toMatchObject({ code: 'CONFLICT' });
    expect(await get(order.databaseId)).toMatchObject({
      status: 'pending',
      payment_status: 'partially_refunded',
      fulfillment_status: 'returned',
    });
  });
});

test('a shipment is captured after an earlier one was refunded, up to the total and in whole minor units', async () => {
  await stocked('SPLIT', '9', '0');
  const { order } = await place({ positions: [{ sku: 'SPLIT', quantity: '1', unitPrice: '30' }] });
  const pay = async (kind: string, amount: string, reference: string) => {
    const input = { orderId: order.id, kind, amount, reference };
    const answer = await mutate('recordPayment', input, 'payment { amount }');
    const { payment_status: status } = await get(order.databaseId);
    return [answer.fields?.[0]?.path ?? answer.code ?? 'recorded', status, answer.message ?? ''];
  };
  expect(await pay('CAPTURED', '10', 'SP-1')).toEqual(['recorded', 'partially_paid', '']);
  expect(await pay('REFUNDED', '4', 'SP-2')).toEqual(['recorded', 'partially_refunded', '']);
  expect(await pay('AUTHORIZED', '20', 'SP-3')).toEqual(['recorded', 'partially_refunded', '']);
  expect(await pay('CAPTURED', '8', 'SP-4')).toEqual(['recorded', 'partially_refunded', '']);
  expect(await pay('CAPTURED', '12.01', 'SP-5')).toEqual([
    'CONFLICT',
    'partially_refunded',
    'The order comes to 30.00; only 12 is left to capture.',
  ]);
  for (const kind of ['AUTHORIZED', 'CAPTURED', 'REFUNDED', 'VOIDED'])
    expect(await pay(kind, '1.005', 'SP-6')).toEqual(['amount', 'partially_refunded', expect.any(String)]);
  expect(await pay('REFUNDED', '14.000', 'SP-7')).toEqual(['recorded', 'refunded', '']);
  expect(await pay('CAPTURED', '12', 'SP-8')).toEqual(['recorded', 'partially_refunded', '']);
  expect(await pay('CAPTURED', '0.01', 'SP-9')).toMatchObject([
    'CONFLICT',
    'partially_refunded',
    expect.stringContaining('only 0 '),
  ]);
});

test('an order over its contact’s limit is held until it is released', async () => {
  await stocked('HELD', '9');
  const key = await api.apiKey(['customers:write']);
  const { organization } = (await mutate(
    'upsertOrganization',
    { customerNumber: 'C-1', name: 'Buyer' },
    'organization { id databaseId }',
    key,
  )) as unknown as { organization: { id: string } };
  const { contact } = (await mutate(
    'createContact',
    { organizationId: organization.id, email: 'buyer@example.com', approvalLimit: '10' },
    'contact { id }',
  )) as unknown as { contact: { id: string } };
  const { order } = await place({
    organizationId: organization.id,
    contactId: contact.id,
    positions: [{ sku: 'HELD', quantity: '2', unitPrice: '9' }],
  });
  expect(await get(order.databaseId)).toMatchObject({ hold_reason: 'approval', status: 'pending' });
  expect(await act(order.databaseId, 'acknowledge')).toMatchObject({ status: 409 });
  expect(await findTopics(order.databaseId)).toEqual([]);
  await mutate('releaseOrder', { id: order.id }, 'order { id }');
  await mutate('releaseOrder', { id: order.id }, 'order { id }');
  expect(await findTopics(order.databaseId)).toEqual(['order.created']);
  expect(await act(order.databaseId, 'acknowledge')).toMatchObject({ status: 200 });

  const buyer = { organizationId: organization.id, contactId: contact.id };
  const { order: other } = await place({ ...buyer, positions: [{ sku: 'HELD', quantity: '2', unitPrice: '9' }] });
  // The ERP knows nothing of a held order, so the shop itself may give it up.
  for (let times = 0; times < 2; times += 1) {
    expect(await mutate('cancelOrder', { id: other.id }, 'order { status }')).toMatchObject({
      order: { status: 'CANCELLED' },
    });
  }
  expect(await readStock('HELD')).toEqual({ on_hand: '9', reserved: '2', available: '7' });
  expect(await mutate('releaseOrder', { id: other.id }, 'order { id }')).toMatchObject({ code: 'CONFLICT' });
});

test('orders are counted up to a bound, since any time, whatever earlier counts were', async () => {
  await stocked('COUNTED', '10');
  const placeOne = () => place({ positions: [{ sku: 'COUNTED', quantity: '1', unitPrice: '1' }] });
  const { order } = await placeOne();
  const updatedSince = new Date(String((await get(order.databaseId))['updated_at']));
  const counts = { database: api.database, fullSince: new Map<string, number>() };
  const count = (filter: object, most: number) => countOrders(counts, { tenantId: 'acme-shop', ...filter }, most);
  expect(await count({ updatedSince }, 3)).toBe(1);
  await placeOne();
  await placeOne();
  for (let time = 0; time < 2; time += 1) {
    expect(await count({ updatedSince }, 3)).toBe(3);
    expect(await count({}, 3)).toBe(3);
    expect(await count({ updatedSince: new Date(Date.now() + 60_000) }, 3)).toBe(0);
    expect(await count({ updatedSince, status: ['cancelled'] }, 3)).toBe(0);
    expect(await count({ tenantId: 'another', updatedSince }, 3)).toBe(0);
  }
});
