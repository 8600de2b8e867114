import { describe, expect } from 'vitest';
import { upsertCostCentre, upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let { place, stocked, act } = {} as ReturnType<typeof createShop>;
let made = 0;
test.beforeAll(async ({ api: started }) => {
  api = started;
  ({ place, stocked, act } = createShop(api));
  await stocked('BUDGET', '1000');
});

/** An organization whose cost centre IT has 100 a month. */
async function budgeted(): Promise<string> {
  const { id } = await upsertOrganization(api, { customerNumber: `B-${(made += 1)}`, name: 'Budgeted' });
  await upsertCostCentre(api, { organizationId: id, code: 'IT', budget: '100.00' });
  return id;
}

/** Orders for 59.50 gross on the cost centre. */
async function order(organizationId: string, costCentre: string | null = 'IT') {
  const positions = [{ sku: 'BUDGET', quantity: '5', unitPrice: '10.00', costCentre }];
  const { order: placed } = await place({ organizationId, positions });
  return placed as typeof placed & { holdReason: string | null };
}

/** Moves when an order was placed to some instant of SQL. */
const placeAt = (id: number, instant: string) =>
  api.database.withTenant('acme-shop', (tx) =>
    tx.query(`UPDATE orders SET placed_at = ${instant} WHERE tenant_id = 'acme-shop' AND id = $1`, [id]),
  );
const monthBegan = `date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'`;

describe('the budget of a cost centre', () => {
  test('holds an order that would exceed it, until a cancellation makes room', async () => {
    const organizationId = await budgeted();
    const first = await order(organizationId);
    const second = await order(organizationId);
    expect([first.holdReason, second.holdReason]).toEqual([null, 'APPROVAL']);
    expect((await order(organizationId, null)).holdReason).toBeNull();
    for (const { databaseId } of [first, second]) await act(databaseId, 'cancel');
    expect((await order(organizationId)).holdReason).toBeNull();
  });

  test.for([
    [monthBegan, 'APPROVAL'],
    [`${monthBegan} - interval '1 millisecond'`, null],
  ])('is that of the calendar month in UTC: an order at %s is followed by one held for: %s', async ([at, reason]) => {
    const organizationId = await budgeted();
    const { databaseId } = await order(organizationId);
    await placeAt(databaseId, at as string);
    expect((await order(organizationId)).holdReason).toBe(reason);
  });

  test('is not exceeded by two concurrent orders', async () => {
    const organizationId = await budgeted();
    const both = await Promise.all([order(organizationId), order(organizationId), order(organizationId)]);
    expect(both.filter(({ holdReason }) => holdReason === null)).toHaveLength(1);
  });

  test('belongs to one organization', async () => {
    const [one, other] = [await budgeted(), await budgeted()];
    expect([(await order(one)).holdReason, (await order(other)).holdReason]).toEqual([null, null]);
  });
});
