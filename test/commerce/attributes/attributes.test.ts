import { describe, expect } from 'vitest';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const failure = '... on Error { code message } ... on ValidationError { fields { path messages } }';

/** Runs a mutation of one input and answers its payload's member, or its failure. */
async function mutate(name: string, select: string, input: object): Promise<Record<string, never>> {
  const type = name.charAt(0).toUpperCase() + name.slice(1);
  const { data, errors } = await api.graphql<Record<string, Record<string, never>>>(
    `mutation ($input: ${type}Input!) { ${name}(input: $input) { ... on ${type}Payload { ${select} } ${failure} } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  const answer = data[name] ?? {};
  return answer['attribute'] ?? answer['product'] ?? answer;
}

const define = (input: object) =>
  mutate('createAttribute', 'attribute { id code label options required type target }', {
    target: 'PRODUCT',
    ...input,
  });
const change = (input: object) => mutate('updateAttribute', 'attribute { id label options required }', input);
const make = (input: object) =>
  mutate('createProduct', 'product { id databaseId attributes updatedAt }', { name: 'A product', ...input });
const put = (id: unknown, body: unknown) => callPlatform(api, 'PUT', `/products/${String(id)}`, { body });
const list = (query: string) => callPlatform(api, 'GET', `/products?${query}`);
const listSkus = ({ body }: { body: Record<string, never> }) =>
  (body['items'] as unknown as { sku: string }[]).map(({ sku }) => sku);

describe('attributes of products', () => {
  test('are defined by the tenant, and written and read over both APIs', async () => {
    await define({ code: 'colour', type: 'SELECT', options: ['red', 'blue'], label: 'Colour' });
    await define({ code: 'weight', type: 'NUMBER' });
    await define({ code: 'fragile', type: 'BOOLEAN' });
    await define({ code: 'launch', type: 'DATE' });
    await define({ code: 'care', type: 'TEXT' });
    await define({ code: 'parts', type: 'JSON' });
    const attributes = {
      colour: 'red',
      weight: 1.25,
      fragile: true,
      launch: '2026-12-24',
      care: 'By hand.',
      parts: [{ sku: 'LID' }],
    };
    const { databaseId } = await make({ sku: 'POT', attributes });
    expect((await callPlatform(api, 'GET', `/products/${databaseId}`)).body['attributes']).toEqual(attributes);

    const { body } = await put(databaseId, { attributes: { colour: 'blue', care: null } });
    const { care: _cleared, ...rest } = attributes;
    expect(body['attributes']).toEqual({ ...rest, colour: 'blue' });
    const { rows } = await api.database.system.query(
      `SELECT data -> 'attributes' AS attributes FROM outbox_events WHERE data ->> 'sku' = 'POT' ORDER BY id`,
    );
    expect(rows).toEqual([{ attributes }, { attributes: { ...rest, colour: 'blue' } }]);
    expect((await put(databaseId, { attributes: { colour: 'blue', weight: 1.25 } })).body).toEqual(body);
  });

  test.for<[string, unknown, string]>([
    ['colour', 'green', 'must be one of "red", "blue".'],
    ['colour', 5, 'must be one of "red", "blue".'],
    ['weight', 'heavy', 'must be a number.'],
    ['weight', 0.123_456_789, 'Use at most 15 digits, 6 of them after the point.'],
    ['weight', 1e30, 'Use at most 15 digits, 6 of them after the point.'],
    ['fragile', 'true', 'must be true or false.'],
    ['launch', '24.12.2026', 'must be an ISO 8601 date.'],
    ['launch', '2026-02-30', 'must be an ISO 8601 date.'],
    ['care', 'x'.repeat(4_001), 'must have at most 4,000 characters.'],
    ['parts', 'x'.repeat(20_000), 'Use at most 16384 bytes of JSON.'],
    ['size', 'XL', 'There is no attribute of this code.'],
    ['constructor', 'XL', 'There is no attribute of this code.'],
  ])('refuse for %s what it cannot hold (%#)', async ([code, value, message]) => {
    const { databaseId } = await make({ sku: `REFUSED ${code} ${String(value).slice(0, 20)}` });
    const { status, body } = await put(databaseId, { name: 'Renamed', attributes: { [code]: value } });
    expect(status).toBe(422);
    expect(body['errors']).toEqual({ [`attributes.${code}`]: [expect.stringContaining(message)] });
    expect((await put(databaseId, {})).body).toMatchObject({ name: 'A product', attributes: {} });
  });

  test('that are not an object are refused', async () => {
    const { databaseId } = await make({ sku: 'LISTED' });
    expect((await put(databaseId, { attributes: ['red'] })).body['errors']).toEqual({
      attributes: ['The field attributes must be an object.'],
    });
  });

  test('filter a list, each by its value', async () => {
    for (const [sku, attributes] of [
      ['F-1', { colour: 'red', weight: 2, fragile: true }],
      ['F-2', { colour: 'red', weight: 2.5, fragile: false }],
      ['F-3', { colour: 'blue', weight: 2 }],
    ] as const) {
      await make({ sku, name: 'Filtered', attributes });
    }
    const of = async (query: string) => listSkus(await list(`search=filtered&${query}`));
    expect(await of('attributes.colour=red')).toEqual(['F-1', 'F-2']);
    expect(await of('attributes.colour=red&attributes.weight=2.50')).toEqual(['F-2']);
    expect(await of('attributes.fragile=false')).toEqual(['F-2']);
    expect(await of('attributes.colour=blue&attributes.weight=7')).toEqual([]);
    const { data } = await api.graphql(
      'query ($filter: ProductFilter) { products(filter: $filter) { totalCount edges { node { sku } } } }',
      { filter: { search: 'filtered', attributes: { weight: 2, fragile: true } } },
    );
    expect(data).toEqual({ products: { totalCount: 1, edges: [{ node: { sku: 'F-1' } }] } });
  });

  test('filter no list by a value that no product could have', async () => {
    for (const [name, value] of [
      ['attributes.size', 'XL'],
      ['attributes.colour', 'green'],
      ['attributes.weight', 'heavy'],
      ['attributes.parts', 'x'],
      ['attribute.size', 'L'],
    ] as const) {
      const { status, body } = await list(`${name}=${value}`);
      expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, [name]]);
    }
  });

  test('are found by an index, under row-level security too', async () => {
    const tenantId = 'acme-shop';
    await api.database.withTenant(tenantId, (tx) =>
      tx.query(
        `INSERT INTO products (tenant_id, sku, name, attributes)
         SELECT $1, 'BULK-' || n, 'Bulk', jsonb_build_object('care', 'text ' || n) FROM generate_series(1, 3000) AS n`,
        [tenantId],
      ),
    );
    expect(listSkus(await list('attributes.care=text 2711'))).toEqual(['BULK-2711']);
    const plan = await api.database.tenantQuery(tenantId, {
      text: `EXPLAIN SELECT id FROM products WHERE tenant_id = $1 AND id IN (SELECT v.resource_id FROM attribute_values v
        WHERE v.tenant_id = $1 AND v.target = 'product' AND v.code = 'care' AND v.hash = hashtextextended('text 2711', 0))`,
      values: [tenantId],
    });
    expect(JSON.stringify(plan)).toContain('attribute_values_pkey');
    await api.database.withTenant(tenantId, (tx) => tx.query(`DELETE FROM products WHERE sku LIKE 'BULK-%'`));
    const rows = await api.database.tenantQuery(tenantId, { text: `SELECT FROM attribute_values WHERE code = 'care'` });
    expect(rows).toEqual([]);
  });

  test('that become required apply from the next write on', async () => {
    const { databaseId } = await make({ sku: 'OLD' });
    const { id } = await define({ code: 'origin', type: 'TEXT', required: true });
    const required = { 'attributes.origin': ['The field attributes.origin is required.'] };
    expect(await put(databaseId, { name: 'Renamed' })).toMatchObject({ status: 422, body: { errors: required } });
    expect(await put(databaseId, { attributes: { origin: null } })).toMatchObject({
      status: 422,
      body: { errors: required },
    });
    expect(await make({ sku: 'NEW' })).toMatchObject({ fields: [{ path: 'attributes.origin' }] });
    expect((await callPlatform(api, 'GET', `/products/${databaseId}`)).body).toMatchObject({ name: 'A product' });
    expect(await put(databaseId, { attributes: { origin: 'Jena' } })).toMatchObject({
      status: 200,
      body: { attributes: { origin: 'Jena' } },
    });
    await change({ id, required: false });
    expect(await make({ sku: 'NEW' })).toMatchObject({ attributes: {} });
  });

  test('are removed at the next write after their definition, and their code is then free', async () => {
    const { id } = await define({ code: 'season', type: 'TEXT' });
    const { databaseId } = await make({ sku: 'SEASONAL', attributes: { season: 'winter' } });
    expect(await mutate('deleteAttribute', 'deletedId', { id })).toEqual({ deletedId: id });
    expect(await define({ code: 'season', type: 'NUMBER' })).toMatchObject({ code: 'CONFLICT' });
    expect((await put(databaseId, { name: 'Written' })).body['attributes']).toEqual({});
    expect(await define({ code: 'season', type: 'NUMBER' })).toMatchObject({ code: 'season', type: 'NUMBER' });
  });
});

describe('an attribute', () => {
  test('has a unique code within its target', async () => {
    expect(await define({ code: 'taken', type: 'TEXT' })).toMatchObject({
      code: 'taken',
      label: 'taken',
      required: false,
    });
    expect(await define({ code: 'taken', type: 'NUMBER' })).toMatchObject({ fields: [{ path: 'code' }] });
    expect(await define({ code: 'taken', type: 'TEXT', target: 'ORDER' })).toMatchObject({ target: 'ORDER' });
    for (const code of ['Taken', '1st', 'a-b', '', 'a'.repeat(64)]) {
      expect(await define({ code, type: 'TEXT' })).toMatchObject({ fields: [{ path: 'code' }] });
    }
  });

  test('has options if it is a select, and keeps those in use', async () => {
    expect(await define({ code: 'fit', type: 'SELECT' })).toMatchObject({ fields: [{ path: 'options' }] });
    expect(await define({ code: 'fit', type: 'TEXT', options: ['slim'] })).toMatchObject({
      fields: [{ path: 'options' }],
    });
    expect(await define({ code: 'fit', type: 'SELECT', options: ['slim', 'slim'] })).toMatchObject({
      fields: [{ path: 'options' }],
    });
    const { id } = await define({ code: 'fit', type: 'SELECT', options: ['slim', 'wide', 'plain'] });
    await make({ sku: 'FITTED', attributes: { fit: 'slim' } });
    expect(await change({ id, options: ['wide'] })).toMatchObject({ code: 'CONFLICT' });
    expect(await change({ id, options: ['slim', 'wide'] })).toMatchObject({ options: ['slim', 'wide'] });
  });

  test('is one of at most a hundred of its target, even under concurrent creation', async () => {
    await api.database.withTenant('acme-shop', (tx) =>
      tx.query(
        `INSERT INTO attributes (tenant_id, target, code, label, type)
         SELECT 'acme-shop', 'organization', 'old_' || n, 'Old', 'text' FROM generate_series(1, 97) AS n`,
      ),
    );
    const made = await Promise.all(
      Array.from({ length: 5 }, (_, n) => define({ code: `new_${n}`, type: 'TEXT', target: 'ORGANIZATION' })),
    );
    expect(made.filter((each) => 'fields' in each)).toHaveLength(2);
    const { data } = await api.graphql('{ attributes(target: ORGANIZATION) { totalCount } }');
    expect(data).toEqual({ attributes: { totalCount: 100 } });
  });

  test('is written to the audit log with each of its changes', async () => {
    const { id } = await define({ code: 'audited', type: 'TEXT' });
    await change({ id, label: 'Audited' });
    await change({ id, label: 'Audited' });
    await mutate('deleteAttribute', 'deletedId', { id });
    const { rows } = await api.database.system.query(
      `SELECT action FROM audit_entries WHERE resource_type = 'attribute' AND metadata ->> 'code' = 'audited' ORDER BY id`,
    );
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'delete']);
  });
});
