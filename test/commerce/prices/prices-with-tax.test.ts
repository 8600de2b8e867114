import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { createShop } from '#test/commerce/shop.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
let shop: ReturnType<typeof createShop>;
const page = new URL('../../../docs/prices.md', import.meta.url);

/** Makes the list of the page on prices, in which three mugs at 0.99 with 19 % cost 2.97. */
test.beforeAll(async ({ api: started }) => {
  api = started;
  shop = createShop(api);
  await shop.stocked('MUG-1', '100');
  const [, section = ''] = (await readFile(page, 'utf8')).split('\n## Prices that include the tax\n');
  const [, document = ''] = /^```graphql\n([^]*?)^```$/m.exec(section) ?? [];
  const { data } = await api.graphql(document);
  expect(data).toEqual({ createPriceList: { priceList: { code: 'WEB', taxIncluded: true } } });
  await shop.mutate('upsertPrice', { list: 'WEB', sku: 'MUG-1', amount: '0.99' }, 'price { taxIncluded }');
});

const update = (taxRounding: string) =>
  shop.mutate('updateCommerceSettings', { taxRounding }, 'commerceSettings { taxRounding }');

describe('a price list whose prices include the tax', () => {
  test('shows it in the list, in the price, in its event and in a resolution', async () => {
    const lists = await callPlatform(api, 'GET', '/prices/lists');
    expect(lists.body['items']).toMatchObject([{ code: 'WEB', tax_included: true }]);
    const asked = { sku: 'MUG-1', quantity: '3', currency: 'EUR', channel: 'web' };
    const found = await callPlatform(api, 'POST', '/prices/resolve', { body: asked });
    expect(found.body).toMatchObject({ amount: '0.99', tax_included: true, list: 'WEB' });
    const { rows } = await api.database.system.query<{ data: object }>(
      `SELECT data FROM outbox_events WHERE topic = 'price.changed'`,
    );
    expect(rows).toMatchObject([{ data: { list: 'WEB', amount: '0.99', tax_included: true } }]);
  });

  test('cannot change to net prices, and accepts its current value', async () => {
    const { data } = await api.graphql('{ priceLists { edges { node { id } } } }');
    const { id } = (data['priceLists'] as unknown as { edges: [{ node: { id: string } }] }).edges[0].node;
    const change = (input: object) => shop.mutate('updatePriceList', { id, ...input }, 'priceList { taxIncluded }');
    expect(await change({ taxIncluded: false })).toMatchObject({ fields: [{ path: 'taxIncluded' }] });
    expect(await change({ taxIncluded: true, priority: 1 })).toEqual({ priceList: { taxIncluded: true } });
  });
});

describe('an order with prices that include the tax', () => {
  const mug = { sku: 'MUG-1', quantity: '1' };

  test.for([
    ['LINE', ['0.83', '0.83', '0.83'], { net: '2.49', tax: '0.48', gross: '2.97' }],
    ['RATE', ['0.83', '0.83', '0.84'], { net: '2.50', tax: '0.47', gross: '2.97' }],
    ['TOTAL', ['0.83', '0.83', '0.84'], { net: '2.50', tax: '0.47', gross: '2.97' }],
  ] as const)('costs what they say, rounded by %s', async ([rounding, lineTotals, totals]) => {
    await update(rounding);
    const { order } = await shop.place({ channel: 'web', positions: [mug, mug, mug] });
    const shown = await shop.get(order.databaseId);
    expect(shown).toMatchObject({
      totals,
      taxes: [{ rate: '19', ...totals }],
      positions: lineTotals.map((line_total) => ({ unit_price: '0.99', tax_included: true, line_total })),
    });
    const { rows } = await api.database.system.query<{ data: object }>(
      `SELECT data FROM outbox_events WHERE topic = 'order.created' AND data ->> 'id' = $1`,
      [String(order.databaseId)],
    );
    expect(rows).toMatchObject([{ data: { totals, positions: shown['positions'] } }]);
  });

  test('may combine them with net and given prices', async () => {
    await update('RATE');
    const positions = [{ ...mug, unitPrice: '1.00' }, { ...mug, unitPrice: '1.19', taxIncluded: true }, mug];
    const { order } = await shop.place({ channel: 'web', positions });
    expect(await shop.get(order.databaseId)).toMatchObject({
      totals: { net: '2.83', tax: '0.54', gross: '3.37' },
      positions: [
        { tax_included: false, line_total: '1.00' },
        { tax_included: true, line_total: '1.00' },
        { tax_included: true, line_total: '0.83' },
      ],
    });
  });

  test('takes from the list whether a price that was not given includes the tax', async () => {
    const positions = [{ ...mug, taxIncluded: false }];
    expect(await shop.place({ channel: 'web', positions })).toMatchObject({
      fields: [{ path: 'positions.0.taxIncluded' }],
    });
  });

  test('differs from one without tax, and an explicit "without tax" equals the default', async () => {
    const place = (position: object) =>
      shop.place({ externalKey: 'key-1', positions: [{ ...mug, unitPrice: '5.00', ...position }] });
    const { order } = await place({});
    expect(await place({ taxIncluded: false })).toEqual({ order });
    expect(await place({ taxIncluded: true })).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('positions.0.taxIncluded'),
    });
  });
});

test('the cheapest of net and gross prices is compared without tax', async () => {
  await shop.mutate(
    'createPriceList',
    { code: 'NET', name: 'Net', currency: 'EUR', channel: 'web' },
    'priceList { code }',
  );
  await shop.mutate('upsertPrice', { list: 'NET', sku: 'MUG-1', amount: '0.90' }, 'price { amount }');
  await shop.mutate('updateCommerceSettings', { priceStrategy: 'CHEAPEST' }, 'commerceSettings { priceStrategy }');
  const body = { sku: 'MUG-1', quantity: '1', currency: 'EUR', channel: 'web' };
  // 0.99 with the tax is 0.83 without.
  expect((await callPlatform(api, 'POST', '/prices/resolve', { body })).body).toMatchObject({ list: 'WEB' });
});
