import { describe, expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const fields = 'id databaseId sku name description active taxRate createdAt updatedAt';
const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';

interface Product {
  id: string;
  databaseId: number;
  sku: string;
  name: string;
}

async function create(input: object): Promise<Product> {
  const { data } = await api.graphql<{ createProduct: { product: Product } }>(
    `mutation ($input: CreateProductInput!) { createProduct(input: $input) { ... on CreateProductPayload { product { ${fields} } } ${failure} } }`,
    { input },
  );
  return data.createProduct.product ?? data.createProduct;
}

const get = (path: string) => callPlatform(api, 'GET', path);
const put = (id: number, body: unknown) => callPlatform(api, 'PUT', `/products/${id}`, { body });

/** Topics of the events about an SKU, in order, each with its data. */
async function findEvents(sku: string): Promise<[string, object][]> {
  const { rows } = await api.database.system.query<{ topic: string; data: object }>(
    `SELECT topic, data FROM outbox_events WHERE data ->> 'sku' = $1 ORDER BY id`,
    [sku],
  );
  return rows.map(({ topic, data }) => [topic, data]);
}

describe('a product', () => {
  test('is created in the graph and read over both APIs', async () => {
    const made = await create({ sku: 'MUG-1', name: 'Blue mug', taxRate: '19.0' });
    const { body } = await get(`/products/${made.databaseId}`);
    expect(body).toEqual({
      id: made.databaseId,
      sku: 'MUG-1',
      name: 'Blue mug',
      description: null,
      active: true,
      tax_rate: '19',
      attributes: {},
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const { data } = await api.graphql('query ($id: ID!) { node(id: $id) { ... on Product { sku taxRate } } }', {
      id: made.id,
    });
    expect(data).toEqual({ node: { sku: 'MUG-1', taxRate: '19' } });
    expect(await findEvents('MUG-1')).toEqual([['product.created', body]]);
  });

  test('has a unique SKU that never changes', async () => {
    const { databaseId } = await create({ sku: 'FIXED', name: 'First' });
    expect(await create({ sku: 'FIXED', name: 'Second' })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [{ path: 'sku', messages: ['The SKU has already been taken.'] }],
    });
    expect(await put(databaseId, { sku: 'OTHER', name: 'Renamed' })).toMatchObject({
      status: 422,
      body: { code: 'VALIDATION_FAILED', errors: { sku: [expect.any(String)] } },
    });
    expect(await put(databaseId, { sku: 'FIXED', name: 'Renamed', id: 5, tenant_id: 'other' })).toMatchObject({
      status: 200,
      body: { id: databaseId, sku: 'FIXED', name: 'Renamed' },
    });
  });

  test.for(['...', '..-', '/', '%2E'])('has any other SKU, and its stock is read by it: "%s"', async (sku) => {
    expect(await create({ sku, name: 'Kept' })).toMatchObject({ sku });
    expect(await get(`/inventories/stock/${encodeURIComponent(sku)}`)).toMatchObject({ status: 200, body: { sku } });
  });

  test.for(['.', '..', ' .. '])('has no SKU that URLs cannot hold: "%s"', async (sku) => {
    expect(await create({ sku, name: 'Folded away' })).toMatchObject({
      code: 'VALIDATION_FAILED',
      fields: [{ path: 'sku', messages: ['A URL cannot name `.` or `..`: use another SKU.'] }],
    });
  });

  test('keeps members that a PUT does not name, and is unchanged by an equal one', async () => {
    const { databaseId } = await create({ sku: 'SAME', name: 'Same', description: 'Kept', taxRate: '7' });
    const { body: before } = await put(databaseId, { name: 'Named', tax_rate: 7.5 });
    expect(before).toMatchObject({ name: 'Named', description: 'Kept', tax_rate: '7.5' });
    const { status, body } = await put(databaseId, { name: 'Named', description: 'Kept', tax_rate: '7.50' });
    expect([status, body]).toEqual([200, before]);
    expect((await put(databaseId, { description: null })).body).toMatchObject({ name: 'Named', description: null });
    expect((await findEvents('SAME')).map(([topic]) => topic)).toEqual([
      'product.created',
      'product.updated',
      'product.updated',
    ]);
  });

  test.for([
    ['"19,5"', 'Use digits with at most one point, such as 12.50.'],
    ['1e1', 'Use digits with at most one point, such as 12.50.'],
    ['"NaN"', 'Use digits with at most one point, such as 12.50.'],
    ['-1', 'Use 0 or more.'],
    ['0.00001', 'Use at most 3 digits before and 4 after the point.'],
    ['1000', 'Use at most 3 digits before and 4 after the point.'],
  ])('refuses a tax rate of %s', async ([taxRate, message]) => {
    const { databaseId } = await create({ sku: `TAX-${taxRate}`, name: 'Taxed' });
    expect(await put(databaseId, `{"name": "Renamed", "tax_rate": ${taxRate}}`)).toMatchObject({
      status: 422,
      body: { errors: { tax_rate: [message] } },
    });
    expect((await get(`/products/${databaseId}`)).body).toMatchObject({ name: 'Taxed' });
  });

  test('is deleted with an event, and is then not found', async () => {
    const { id, databaseId } = await create({ sku: 'GONE', name: 'Gone' });
    const remove =
      'mutation ($id: ID!) { deleteProduct(input: { id: $id }) { ... on DeleteProductPayload { deletedId } ...  on Error { code } } }';
    expect((await api.graphql(remove, { id })).data).toEqual({ deleteProduct: { deletedId: id } });
    expect((await api.graphql(remove, { id })).data).toEqual({ deleteProduct: { code: 'NOT_FOUND' } });
    expect((await get(`/products/${databaseId}`)).status).toBe(404);
    expect((await findEvents('GONE')).at(-1)).toEqual(['product.deleted', { id: databaseId, sku: 'GONE' }]);
  });

  test('is listed in the requested order, and polled by its last change', async () => {
    const made = [];
    for (const sku of ['LIST-C', 'LIST-A', 'LIST-B']) made.push(await create({ sku, name: `Listed ${sku}` }));
    const skus = async (query: string) => {
      const { body } = await get(`/products?search=list-${query}`);
      return (body['items'] as unknown as Product[]).map(({ sku }) => sku);
    };
    expect(await skus('')).toEqual(['LIST-A', 'LIST-B', 'LIST-C']);
    expect(await skus('&order=sku.desc')).toEqual(['LIST-C', 'LIST-B', 'LIST-A']);
    expect(await skus('&order=created_at.asc&limit=2&offset=1')).toEqual(['LIST-A', 'LIST-B']);
    const { body } = await put(made[0]?.databaseId ?? 0, { name: 'Changed last' });
    const since = encodeURIComponent(String(body['updated_at']));
    expect(await skus(`&updated_since=${since}`)).toEqual(['LIST-C']);
    expect((await get('/products?updated_since=yesterday')).body).toMatchObject({
      errors: { updated_since: [expect.any(String)] },
    });
  });
});
