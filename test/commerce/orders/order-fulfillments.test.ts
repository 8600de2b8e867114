import { describe, expect } from 'vitest';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let { mutate, place, stocked } = {} as ReturnType<typeof createShop>;
test.beforeAll(({ api: started }) => {
  api = started;
  ({ mutate, place, stocked } = createShop(api));
});

const document = `query ($id: ID!) { order(id: $id) {
  positions { id }
  shipments { reference createdAt lines { quantity position { sku } } }
  returns { reference lines { quantity position { sku } } }
  payments { kind amount reference createdAt }
} }`;

interface Data {
  order: Record<'shipments' | 'returns' | 'payments', { createdAt: string }[]> & { positions: { id: string }[] };
}

describe('an order', () => {
  test('shows its shipments and returns with what they moved, and its payments, oldest first', async () => {
    await stocked('BOX', '10');
    await stocked('BAG', '10');
    const positions = [
      { sku: 'BOX', quantity: '3', unitPrice: '10' },
      { sku: 'BAG', quantity: '2.5', unitPrice: '4' },
    ];
    const { order } = await place({ positions });
    const other = await place({ positions });
    const read = async () => (await api.graphql<Data>(document, { id: order.id })).data.order;
    const box = { positionId: (await read()).positions[0]?.id, quantity: '2' };
    await mutate('createShipment', { orderId: order.id, reference: 'P-1', positions: [box] }, 'shipment { id }');
    await mutate('createShipment', { orderId: order.id, reference: 'P-2' }, 'shipment { id }');
    await mutate('createShipment', { orderId: other.order.id, reference: 'P-3' }, 'shipment { id }');
    await mutate(
      'createReturn',
      { orderId: order.id, reference: 'B-1', positions: [{ ...box, quantity: '1' }] },
      'return { id }',
    );
    for (const [kind, amount] of [
      ['AUTHORIZED', '47.60'],
      ['CAPTURED', '20.10'],
    ]) {
      await mutate(
        'recordPayment',
        { orderId: order.id, kind, amount, reference: `${kind}-1` },
        'payment { createdAt }',
      );
    }
    const found = await read();
    expect(found).toMatchObject({
      shipments: [
        { reference: 'P-1', lines: [{ quantity: '2', position: { sku: 'BOX' } }] },
        {
          reference: 'P-2',
          lines: [
            { quantity: '1', position: { sku: 'BOX' } },
            { quantity: '2.5', position: { sku: 'BAG' } },
          ],
        },
      ],
      returns: [{ reference: 'B-1', lines: [{ quantity: '1', position: { sku: 'BOX' } }] }],
      payments: [
        { kind: 'AUTHORIZED', amount: '47.60', reference: 'AUTHORIZED-1' },
        { kind: 'CAPTURED', amount: '20.10', reference: 'CAPTURED-1' },
      ],
    });
    for (const { createdAt } of [...found.shipments, ...found.payments])
      expect(Math.abs(Date.now() - Date.parse(createdAt))).toBeLessThan(60_000);
  });
});
