import { describe, expect } from 'vitest';
import { createProduct } from '#src/commerce/products/products.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
const skus = ['SET-1', 'X', 'TIERS', 'NOTHING', 'ZONE', 'MANY-1', 'SHOWN-1', 'SHOWN-2', 'CHEAP', 'L-SKU'];
test.beforeAll(async ({ api: started }) => {
  api = started;
  for (const sku of skus) await createProduct(api.deps, systemActor('acme', 'acme-shop'), { sku, name: sku });
});

const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';
const listFields = 'id databaseId code name currency customer channel market priority validFrom validUntil';
const priceFields = 'id list sku quantityFrom amount currency validFrom validUntil';

/** The payload of a mutation, or its error. */
async function mutate(name: string, at: string, fields: string, input: object): Promise<Record<string, string>> {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  const { data } = await api.graphql<Record<string, Record<string, Record<string, string>>>>(
    `mutation ($input: ${type}Input!) { ${name}(input: $input) { ... on ${type}Payload { ${at} ${fields} } ${failure} } }`,
    { input },
  );
  return (data[name]?.[at] ?? data[name]) as unknown as Record<string, string>;
}
const createList = (input: object) =>
  mutate('createPriceList', 'priceList', `{ ${listFields} }`, { name: 'A list', currency: 'EUR', ...input });
const updateList = (input: object) => mutate('updatePriceList', 'priceList', `{ ${listFields} }`, input);
const setPrice = (input: object) => mutate('upsertPrice', 'price', `{ ${priceFields} }`, input);
const resolve = (body: unknown) => callPlatform(api, 'POST', '/prices/resolve', { body });

async function findChanges(sku: string): Promise<object[]> {
  const { rows } = await api.database.system.query<{ data: object }>(
    `SELECT data FROM outbox_events WHERE topic = 'price.changed' AND data ->> 'sku' = $1 ORDER BY id`,
    [sku],
  );
  return rows.map(({ data }) => data);
}

describe('a price', () => {
  test('is set with an event of its row, and an equal one changes nothing', async () => {
    await createList({ code: 'SET' });
    const price = await setPrice({ list: 'SET', sku: 'SET-1', amount: '10.00' });
    expect(price).toMatchObject({ list: 'SET', sku: 'SET-1', quantityFrom: '1', amount: '10.00', currency: 'EUR' });
    expect(await setPrice({ list: 'SET', sku: 'SET-1', quantityFrom: '1.0', amount: '10' })).toEqual(price);
    const changed = await setPrice({ list: 'SET', sku: 'SET-1', amount: '10.50' });
    expect(changed).toEqual({ ...price, amount: '10.50' });
    expect(await findChanges('SET-1')).toMatchObject([
      { list: 'SET', quantity_from: '1', amount: '10.00', currency: 'EUR', valid_from: null },
      { amount: '10.50' },
    ]);
    const { data } = await api.graphql('query ($id: ID!) { node(id: $id) { ... on Price { sku amount } } }', {
      id: price['id'],
    });
    expect(data).toEqual({ node: { sku: 'SET-1', amount: '10.50' } });
  });

  test.for([
    [{ list: 'NONE' }, 'list'],
    [{ amount: '-1' }, 'amount'],
    [{ amount: 'NaN' }, 'amount'],
    [{ amount: '1e400' }, 'amount'],
    [{ amount: '10,5' }, 'amount'],
    [{ amount: '1.12345' }, 'amount'],
    [{ quantityFrom: '0' }, 'quantityFrom'],
    [{ quantityFrom: `1.${'0'.repeat(30)}` }, 'quantityFrom'],
    [{ sku: '' }, 'sku'],
    [{ sku: 'NO-SUCH' }, 'sku'],
    [{ validFrom: '2026-01-02T00:00:00Z', validUntil: '2026-01-02T00:00:00Z' }, 'validUntil'],
  ] as const)('is refused with %j, at its field', async ([wrong, path]) => {
    await createList({ code: 'REFUSED' });
    expect(await setPrice({ list: 'REFUSED', sku: 'X', amount: '1', ...wrong })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [{ path, messages: [expect.any(String)] }],
    });
  });

  test('is resolved with its tier, the next one and every list of the tenant', async () => {
    await createList({ code: 'T-BASE' });
    await createList({ code: 'T-CUSTOMER', customer: 'C-1' });
    await createList({ code: 'T-OTHER', customer: 'C-2' });
    for (const [quantityFrom, amount] of [
      ['1', '9.90'],
      ['10', '9.50'],
      ['100', '8'],
    ]) {
      await setPrice({ list: 'T-BASE', sku: 'TIERS', quantityFrom, amount });
    }
    await setPrice({ list: 'T-CUSTOMER', sku: 'TIERS', quantityFrom: '50', amount: '7' });
    const { status, body } = await resolve({ sku: 'TIERS', quantity: 12, currency: 'EUR', customer: 'C-1' });
    expect([status, body]).toMatchObject([
      200,
      {
        amount: '9.50',
        currency: 'EUR',
        list: 'T-BASE',
        tier: { quantity_from: '10' },
        next_tier: { quantity_from: '100', amount: '8' },
      },
    ]);
    const traced = (body['trace'] as unknown as { list: string }[]).filter(({ list }) => list.startsWith('T-'));
    expect(traced).toEqual([
      { list: 'T-CUSTOMER', reason: 'below_min_quantity' },
      { list: 'T-OTHER', reason: 'scope_mismatch' },
      { list: 'T-BASE', reason: 'selected' },
    ]);
    const top = await resolve({ sku: 'TIERS', quantity: '1000', currency: 'EUR', customer: 'C-1' });
    expect(top.body).toMatchObject({ amount: '7', list: 'T-CUSTOMER', next_tier: null });
  });

  test('that does not exist is a 404 with the trace, never a zero', async () => {
    await createList({ code: 'N-EUR' });
    await setPrice({ list: 'N-EUR', sku: 'NOTHING', quantityFrom: '5', amount: '1' });
    const { status, body } = await resolve({ sku: 'NOTHING', quantity: '4.999999', currency: 'EUR' });
    expect([status, Object.keys(body)]).toEqual([404, ['message', 'code', 'trace']]);
    expect(body).toMatchObject({ code: 'NOT_FOUND' });
    expect(body['trace']).toContainEqual({ list: 'N-EUR', reason: 'below_min_quantity' });
    const unknown = await resolve({ sku: 'NO-SUCH', quantity: 1, currency: 'EUR' });
    expect([unknown.status, unknown.body['trace']]).toEqual([
      404,
      expect.arrayContaining([{ list: 'N-EUR', reason: 'no_row' }]),
    ]);
    const inGraph = await api.graphql(
      '{ resolvePrice(sku: "NOTHING", quantity: "1", currency: "EUR") { amount trace { list } } }',
    );
    expect(inGraph.data).toBeNull();
    expect(inGraph.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND', trace: expect.any(Array) } }]);
  });

  test('of a list that ends at midnight in another zone ends at that instant', async () => {
    await createList({ code: 'Z-OFFER', priority: 9, validUntil: '2026-07-01T00:00:00+02:00' });
    await createList({ code: 'Z-BASE' });
    await setPrice({ list: 'Z-OFFER', sku: 'ZONE', amount: '8' });
    await setPrice({ list: 'Z-BASE', sku: 'ZONE', amount: '10' });
    const at = async (instant: string) => {
      const { body } = await resolve({ sku: 'ZONE', quantity: 1, currency: 'EUR', at: instant });
      const [offer] = (body['trace'] as unknown as { list: string; reason: string }[]).filter(
        ({ list }) => list === 'Z-OFFER',
      );
      return [body['amount'], offer?.reason];
    };
    expect(await at('2026-06-30T21:59:59.999Z')).toEqual(['8', 'selected']);
    expect(await at('2026-06-30T22:00:00Z')).toEqual(['10', 'expired']);
    expect(await at('2026-06-30T23:59:59-01:00')).toEqual(['10', 'expired']);
  });

  test('of many articles is returned in their order, each a price or the reason for none', async () => {
    await createList({ code: 'MANY' });
    await setPrice({ list: 'MANY', sku: 'MANY-1', amount: '1.10' });
    await createList({ code: 'VIELE "ß"' });
    await setPrice({ list: 'VIELE "ß"', sku: 'X', amount: '7' });
    const items = ['MANY-1', 'NO-SUCH', 'MANY-1', 'X'].map((sku, index) => ({ sku, quantity: String(index + 1) }));
    const { status, body } = await resolve({ items, currency: 'EUR' });
    expect([status, body['items']]).toMatchObject([
      200,
      [
        { sku: 'MANY-1', quantity: '1', amount: '1.10' },
        { sku: 'NO-SUCH', code: 'NOT_FOUND', message: expect.any(String), trace: expect.any(Array) },
        { sku: 'MANY-1', quantity: '3', amount: '1.10' },
        { sku: 'X', quantity: '4', amount: '7', list: 'VIELE "ß"' },
      ],
    ]);
    const alone = await Promise.all(items.map((item) => resolve({ ...item, currency: 'EUR' })));
    expect(body['items']).toEqual(
      alone.map((each, index) => expect.objectContaining({ trace: each.body['trace'], sku: items[index]?.sku })),
    );
    const tooMany = Array.from({ length: 201 }, () => ({ sku: 'MANY-1', quantity: 1 }));
    expect(await resolve({ items: tooMany, currency: 'EUR' })).toMatchObject({ status: 422 });
  });

  test.for([
    ['{"sku": "X", "quantity": 0, "currency": "EUR"}', 'quantity'],
    ['{"sku": "X", "quantity": 1e2, "currency": "EUR"}', 'quantity'],
    ['{"sku": "X", "quantity": "10,5", "currency": "EUR"}', 'quantity'],
    ['{"sku": "X", "currency": "EUR"}', 'quantity'],
    ['{"quantity": 1, "currency": "EUR"}', 'sku'],
    ['{"sku": "X", "quantity": 1, "currency": "eur"}', 'currency'],
    ['{"sku": "X", "quantity": 1, "currency": "EUR", "at": "noon"}', 'at'],
    ['{"items": [{"sku": "X", "quantity": "NaN"}], "currency": "EUR"}', 'items.0.quantity'],
    ['{"items": [], "currency": "EUR"}', 'items'],
  ] as const)('is not resolved for %s', async ([body, path]) => {
    expect(await resolve(body)).toMatchObject({ status: 422, body: { errors: { [path]: [expect.any(String)] } } });
  });

  test('is shown on each product of a page for the given buyer', async () => {
    await createList({ code: 'SHOWN', customer: 'C-9', priority: 20 });
    await setPrice({ list: 'SHOWN', sku: 'SHOWN-1', amount: '4.20' });
    const { data } = await api.graphql(
      '{ products(filter: { search: "SHOWN-" }) { edges { node { sku price(currency: "EUR", customer: "C-9") { amount list } } } } }',
    );
    expect(data).toEqual({
      products: {
        edges: [
          { node: { sku: 'SHOWN-1', price: { amount: '4.20', list: 'SHOWN' } } },
          { node: { sku: 'SHOWN-2', price: { amount: null, list: null } } },
        ],
      },
    });
  });

  test('is the cheapest applicable one if the tenant has chosen so', async () => {
    await createList({ code: 'C-FIRST', priority: 30, channel: 'cheap' });
    await createList({ code: 'C-SECOND', channel: 'cheap' });
    await setPrice({ list: 'C-FIRST', sku: 'CHEAP', amount: '10' });
    await setPrice({ list: 'C-SECOND', sku: 'CHEAP', amount: '9' });
    const priced = async () => (await resolve({ sku: 'CHEAP', quantity: 1, currency: 'EUR', channel: 'cheap' })).body;
    expect(await priced()).toMatchObject({ amount: '10', list: 'C-FIRST' });
    const choose = (priceStrategy: string) =>
      mutate('updateCommerceSettings', 'commerceSettings', '{ priceStrategy }', { priceStrategy });
    expect(await choose('CHEAPEST')).toEqual({ priceStrategy: 'CHEAPEST' });
    expect(await priced()).toMatchObject({ amount: '9', list: 'C-SECOND' });
    await choose('PRIORITY');
  });
});

describe('a price list', () => {
  test('keeps its code and currency, changes given members and is deleted with its prices', async () => {
    const list = await createList({ code: 'L-1', customer: 'C-7', priority: 3 });
    expect(await createList({ code: 'L-1' })).toMatchObject({ fields: [{ path: 'code' }] });
    const { id } = list;
    expect(await updateList({ id, code: 'L-2' })).toMatchObject({ fields: [{ path: 'code' }] });
    expect(await updateList({ id, currency: 'CHF' })).toMatchObject({ fields: [{ path: 'currency' }] });
    const from = '2026-01-01T00:00:00.000Z';
    expect(await updateList({ id, customer: null, validFrom: from })).toEqual({
      ...list,
      customer: null,
      validFrom: from,
    });
    expect(await updateList({ id, validUntil: from })).toMatchObject({ fields: [{ path: 'validUntil' }] });
    await setPrice({ list: 'L-1', sku: 'L-SKU', amount: '1' });
    const prices = 'query ($id: ID!) { priceList(id: $id) { prices { totalCount edges { node { sku } } } } }';
    expect((await api.graphql(prices, { id })).data).toEqual({
      priceList: { prices: { totalCount: 1, edges: [{ node: { sku: 'L-SKU' } }] } },
    });
    expect(await mutate('deletePriceList', 'deletedId', '', { id })).toBe(id);
    expect((await resolve({ sku: 'L-SKU', quantity: 1, currency: 'EUR' })).status).toBe(404);
  });

  test('is listed by code', async () => {
    for (const code of ['Q-B', 'Q-A']) await createList({ code });
    const { body } = await callPlatform(api, 'GET', '/prices/lists?limit=100');
    const codes = (body['items'] as unknown as { code: string }[]).map(({ code }) => code);
    expect(codes.filter((code) => code.startsWith('Q-'))).toEqual(['Q-A', 'Q-B']);
  });
});

describe('an article', () => {
  test('lists its prices in every list, and a trace leads to the lists', async () => {
    await createList({ code: 'SHOWN-A', priority: 5 });
    await createList({ code: 'SHOWN-B', customer: 'C-77' });
    for (const [list, quantityFrom, amount] of [
      ['SHOWN-A', '1', '3.00'],
      ['SHOWN-A', '10', '2.50'],
      ['SHOWN-B', '1', '1.75'],
    ])
      await setPrice({ list, sku: 'SHOWN-2', quantityFrom, amount });
    await setPrice({ list: 'SHOWN-A', sku: 'SHOWN-1', amount: '9' });
    const { data } = await api.graphql<{
      prices: { edges: { node: object }[] };
      resolvePrices: { trace: { list: string; priceList: object }[] }[];
    }>(`{
      prices(sku: "SHOWN-2") { edges { node { list quantityFrom amount } } }
      resolvePrices(currency: "EUR", items: [{ sku: "SHOWN-2", quantity: "2" }]) {
        trace { list reason priceList { name priority customer } }
      }
    }`);
    expect(data.prices.edges.map(({ node }) => node)).toEqual([
      { list: 'SHOWN-A', quantityFrom: '1', amount: '3.00' },
      { list: 'SHOWN-A', quantityFrom: '10', amount: '2.50' },
      { list: 'SHOWN-B', quantityFrom: '1', amount: '1.75' },
    ]);
    expect(data.resolvePrices[0]?.trace.filter(({ list }) => list.startsWith('SHOWN-'))).toEqual([
      { list: 'SHOWN-A', reason: 'selected', priceList: { name: 'A list', priority: 5, customer: null } },
      { list: 'SHOWN-B', reason: 'scope_mismatch', priceList: { name: 'A list', priority: 0, customer: 'C-77' } },
    ]);
  });
});
