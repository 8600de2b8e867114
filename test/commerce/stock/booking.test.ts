import { beforeEach, describe, expect } from 'vitest';
import { createProduct } from '#src/commerce/products/products.service.ts';
import type { NewMovement } from '#src/commerce/stock/stock.inputs.ts';
import { findStock } from '#src/commerce/stock/stock.reads.ts';
import { bookMovements } from '#src/commerce/stock/stock.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const actor = systemActor('acme', 'acme-shop');
let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

let made = 0;
let sku: string;
beforeEach(async () => {
  made += 1;
  sku = `BOOKED-${made}`;
  await createProduct(api.deps, actor, { sku, name: 'Booked' });
});

/** A movement with a reference of its own. */
const movement = (kind: NewMovement['kind'], quantity: string, more: Partial<NewMovement> = {}): NewMovement => {
  made += 1;
  return { sku, kind, quantity, reference: `ref-${made}`, ...more };
};
const book = (...movements: NewMovement[]) =>
  api.database.withTenant('acme-shop', (tx) => bookMovements(tx, actor, movements));
const stock = () => findStock(api.database, 'acme-shop', sku);

async function findEvents(topic: string): Promise<Record<string, unknown>[]> {
  const { rows } = await api.database.system.query<{ data: Record<string, unknown> }>(
    `SELECT data FROM outbox_events WHERE topic = $1 AND data ->> 'sku' = $2 ORDER BY id`,
    [topic, sku],
  );
  return rows.map(({ data }) => data);
}

describe('movements in a transaction', () => {
  test('are booked in order, each based on the result of those before it', async () => {
    const booked = await book(
      movement('receipt', '10.50'),
      movement('issue', '10.5'),
      movement('return', '3'),
      movement('reserve', '2'),
      movement('count', '1'),
      movement('receipt', '4', { location: 'north' }),
    );
    expect(booked.map(({ delta, reservedDelta }) => [delta, reservedDelta])).toEqual([
      ['10.5', '0'],
      ['-10.5', '0'],
      ['3', '0'],
      ['0', '2'],
      ['-2', '0'],
      ['4', '0'],
    ]);
    expect(await stock()).toEqual({
      sku,
      onHand: '5',
      reserved: '2',
      available: '3',
      reorderPoint: null,
      locations: [
        { location: 'main', onHand: '1', reserved: '2', available: '-1', reorderPoint: null },
        { location: 'north', onHand: '4', reserved: '0', available: '4', reorderPoint: null },
      ],
    });
    const events = await findEvents('stock.changed');
    expect(events.map(({ location, available }) => [location, available])).toEqual([
      ['main', '10.5'],
      ['main', '0'],
      ['main', '3'],
      ['main', '1'],
      ['main', '-1'],
      ['north', '4'],
    ]);
    expect(events[0]).toMatchObject({ on_hand: '10.5', movement: { id: booked[0]?.id, quantity: '10.5' } });
  });

  test('are booked all or none, and create no location without a movement', async () => {
    await book(movement('receipt', '1'));
    const refused = book(movement('issue', '1'), movement('issue', '1', { location: 'nowhere' }));
    await expect(refused).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `Only 0 of ${sku} at nowhere is available.`,
    });
    await expect(book(movement('receipt', '1'), movement('receipt', '1', { sku: 'NOTHING' }))).rejects.toMatchObject({
      fields: { 'movements.1.sku': [expect.any(String)] },
    });
    expect(await stock()).toMatchObject({ onHand: '1', locations: [{ location: 'main' }] });
  });

  test('return the first for a repeated reference, and are refused if its content differs', async () => {
    const first = movement('receipt', '5');
    const [booked] = await book(first);
    const again = await book({ ...first, quantity: '5.0' }, movement('issue', '1'));
    expect(again[0]).toEqual({ ...booked, repeated: true });
    for (const [other, name] of [
      [{ quantity: '6' }, 'quantity'],
      [{ kind: 'return' as const }, 'kind'],
      [{ location: 'north' }, 'location'],
      [{ sku: 'OTHER' }, 'sku'],
    ] as const) {
      await expect(book({ ...first, ...other })).rejects.toMatchObject({
        code: 'CONFLICT',
        message: expect.stringContaining(`another ${name}.`),
      });
    }
    expect(await stock()).toMatchObject({ onHand: '4' });
  });

  test.for<[NewMovement['kind'], string, string]>([
    ['issue', '4', 'Only 3 of $sku at main is available.'],
    ['transfer_out', '3.000001', 'Only 3 of $sku at main is available.'],
    ['reserve', '4', 'Only 3 of $sku at main is available.'],
    ['release', '2.5', 'Only 2 of $sku at main is reserved.'],
    ['adjustment', '-6', 'Only 5 of $sku at main is on hand.'],
  ])('%s is refused above its bound', async ([kind, quantity, message]) => {
    await book(movement('receipt', '5'), movement('reserve', '2'));
    await expect(book(movement(kind, quantity))).rejects.toMatchObject({
      code: 'CONFLICT',
      message: message.replace('$sku', sku),
    });
    expect(await stock()).toMatchObject({ onHand: '5', reserved: '2' });
  });

  test('stay exact where floats would not', async () => {
    await book(
      movement('receipt', '0.1'),
      movement('receipt', '0.2'),
      movement('receipt', '999999999999999999.999999'),
    );
    expect(await stock()).toMatchObject({ onHand: '1000000000000000000.299999' });
    await book(movement('issue', '0.3'));
    expect(await stock()).toMatchObject({ onHand: '999999999999999999.999999' });
  });
});

describe('a reservation', () => {
  test('is used up by the issues and releases that name it', async () => {
    const reserve = movement('reserve', '5');
    const reservation = reserve.reference;
    await book(movement('receipt', '5'), reserve);
    const [issued] = await book(movement('issue', '3', { reservation }));
    expect(issued).toMatchObject({ delta: '-3', reservedDelta: '-3', reservation });
    expect(await stock()).toMatchObject({ onHand: '2', reserved: '2', available: '0' });
    await expect(book(movement('issue', '2.5', { reservation }))).rejects.toMatchObject({ code: 'CONFLICT' });
    await book(movement('release', '1', { reservation }), movement('issue', '1', { reservation }));
    expect(await stock()).toMatchObject({ onHand: '1', reserved: '0', available: '1' });
    await expect(book(movement('release', '1', { reservation }))).rejects.toMatchObject({
      message: expect.stringContaining('Nothing is left'),
    });
  });

  test('can still be shipped when its product has been deleted', async () => {
    const reserve = movement('reserve', '1');
    await book(movement('receipt', '1'), reserve);
    await api.database.withTenant('acme-shop', (tx) =>
      tx.product.deleteMany({ where: { tenantId: 'acme-shop', sku } }),
    );
    await expect(book(movement('issue', '1'))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(await book(movement('issue', '1', { reservation: reserve.reference }))).toHaveLength(1);
  });
});

test('the ledger refuses changes and deletions', async () => {
  await book(movement('receipt', '1'));
  for (const statement of ['UPDATE stock_movements SET quantity = 2', 'DELETE FROM stock_movements'])
    await expect(api.database.withTenant('acme-shop', (tx) => tx.query(statement))).rejects.toMatchObject({
      code: '42501',
    });
});
