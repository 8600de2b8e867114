import { describe, expect } from 'vitest';
import { upsertOrganization } from '#test/commerce/customers.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await mutate(
    'createProduct(input: { sku: "ORDERED", name: "Ordered" }) { ... on CreateProductPayload { product { id } } }',
  );
  const body = { sku: 'ORDERED', kind: 'receipt', quantity: '1000', reference: 'for orders' };
  await callPlatform(api, 'POST', '/inventories/movements', { body });
});

type Answer = Record<string, never>;
interface Written {
  databaseId?: number;
  fields?: { path: string }[];
}

async function mutate(field: string, input?: object): Promise<Answer> {
  const name = /^\w+/.exec(field)?.[0] ?? '';
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
  const { data, errors } = await api.graphql<Record<string, Answer>>(
    `mutation${input ? ` ($input: ${type})` : ''} { ${field} }`,
    input ? { input } : {},
  );
  expect(errors).toBeUndefined();
  return data[name] ?? {};
}

const failure = '... on Error { code message } ... on ValidationError { fields { path } }';
let count = 0;

/** The nouns with attributes: how each is created, written again if it can be, and listed. */
const carriers = [
  {
    target: 'PRODUCT',
    noun: 'product',
    query: 'products',
    path: '/products',
    async make(attributes: object): Promise<Written> {
      const input = { sku: `CARRIER-${(count += 1)}`, name: 'Carrier', attributes };
      const select = `createProduct(input: $input) { ... on CreateProductPayload { product { databaseId } } ${failure} }`;
      const made = await mutate(select, input);
      return made['product'] ?? made;
    },
    rewrite: (id: number, body: object) => callPlatform(api, 'PUT', `/products/${id}`, { body }),
  },
  {
    target: 'ORGANIZATION',
    noun: 'organization',
    query: 'organizations',
    path: '/customers/organizations',
    make: (attributes: object) =>
      upsertOrganization<Written>(api, { customerNumber: `C-${(count += 1)}`, name: 'Carrier', attributes }),
    async rewrite(id: number, given: object) {
      const { body } = await callPlatform(api, 'GET', `/customers/organizations/${id}`);
      const written = await upsertOrganization<Written>(api, { customerNumber: body['customer_number'], ...given });
      const status = written.fields ? 422 : 200;
      return { status, body: (await callPlatform(api, 'GET', `/customers/organizations/${id}`)).body };
    },
  },
  {
    target: 'ORDER',
    noun: 'order',
    query: 'orders',
    path: '/orders',
    async make(attributes: object): Promise<Written> {
      const input = { currency: 'EUR', attributes, positions: [{ sku: 'ORDERED', quantity: '1', unitPrice: '1' }] };
      const select = `createOrder(input: $input) { ... on CreateOrderPayload { order { databaseId } } ${failure} }`;
      const made = await mutate(select, input);
      return made['order'] ?? made;
    },
    // An order's content does not change; the ERP changes its status.
    rewrite: null,
  },
];

interface Described {
  components: { schemas: Record<string, { properties?: object }> };
  paths: Record<string, { get?: { parameters?: { name: string }[] } }>;
  webhooks: object;
}

describe.for(carriers)('$noun', ({ target, noun, query, path, make, rewrite }) => {
  const define = async (input: object) =>
    mutate(`createAttribute(input: $input) { ... on CreateAttributePayload { attribute { id } } ${failure} }`, {
      target,
      ...input,
    }).then((made) => made['attribute'] ?? made) as Promise<{ id: string; code?: string }>;
  const change = (input: object) =>
    mutate(`updateAttribute(input: $input) { ... on UpdateAttributePayload { attribute { id } } ${failure} }`, input);
  const drop = (id: string) => mutate('deleteAttribute(input: $input) { __typename }', { id });
  const readAttributes = async (id: number | undefined) =>
    (await callPlatform(api, 'GET', `${path}/${id}`)).body['attributes'];
  const idsBy = async (parameters: string) =>
    ((await callPlatform(api, 'GET', `${path}?${parameters}`)).body['items'] as unknown as { id: number }[]).map(
      ({ id }) => id,
    );

  test.beforeAll(async () => {
    await define({ code: 'tier', type: 'SELECT', options: ['gold', 'silver'] });
    await define({ code: 'score', type: 'NUMBER' });
  });

  test('is written with attributes, read over both APIs, shown in its event, and found by them', async () => {
    const gold = await make({ tier: 'gold', score: 2.5 });
    const silver = await make({ tier: 'silver', score: 2.5 });
    expect(await readAttributes(gold.databaseId)).toEqual({ tier: 'gold', score: 2.5 });
    const { rows } = await api.database.system.query(
      `SELECT data -> 'attributes' AS attributes FROM outbox_events WHERE topic = $1 AND data ->> 'id' = $2`,
      [`${noun}.created`, String(gold.databaseId)],
    );
    expect(rows).toEqual([{ attributes: { tier: 'gold', score: 2.5 } }]);
    expect(await idsBy('attributes.tier=gold&attributes.score=2.5')).toEqual([gold.databaseId]);
    expect(await idsBy('attributes.tier=silver&attributes.score=2.50')).toEqual([silver.databaseId]);
    expect(await idsBy('attributes.score=7')).toEqual([]);
    const { data } = await api.graphql(
      `query ($attributes: JSON) { ${query}(filter: { attributes: $attributes }) {
        totalCount edges { node { databaseId attributes } } } }`,
      { attributes: { score: 2.5, tier: 'gold' } },
    );
    const node = { databaseId: gold.databaseId, attributes: { tier: 'gold', score: 2.5 } };
    expect(data).toEqual({ [query]: { totalCount: 1, edges: [{ node }] } });
  });

  test('refuses values that fit no attribute, and its lists refuse them as filters', async () => {
    expect(await make({ tier: 'bronze' })).toMatchObject({ fields: [{ path: 'attributes.tier' }] });
    expect(await make({ unknown: 1 })).toMatchObject({ fields: [{ path: 'attributes.unknown' }] });
    for (const [name, value] of [
      ['attributes.tier', 'bronze'],
      ['attributes.unknown', '1'],
    ]) {
      const { status, body } = await callPlatform(api, 'GET', `${path}?${name}=${value}`);
      expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, [name]]);
    }
  });

  test('is described with its attributes in the tenant’s openapi.json', async () => {
    const { components, paths, webhooks } = (await callPlatform(api, 'GET', '/openapi.json'))
      .body as unknown as Described;
    const schema = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}Attributes`;
    expect(components.schemas[schema]?.properties).toMatchObject({ tier: { enum: ['gold', 'silver'] } });
    expect(paths[path]?.get?.parameters?.map(({ name }) => name)).toContain('attributes.tier');
    expect(JSON.stringify(webhooks)).toContain(`#/components/schemas/${schema}`);
  });

  test('requires an attribute from the next write on when it becomes required', async () => {
    const before = await make({ tier: 'gold' });
    const { id } = await define({ code: 'region', type: 'TEXT', required: true });
    expect(await make({ tier: 'gold' })).toMatchObject({ fields: [{ path: 'attributes.region' }] });
    expect(await readAttributes(before.databaseId)).toEqual({ tier: 'gold' });
    expect(await readAttributes((await make({ region: 'north' })).databaseId)).toEqual({ region: 'north' });
    if (rewrite) {
      const [lacking, given] = [{ attributes: { tier: 'silver' } }, { attributes: { region: 'south' } }];
      expect((await rewrite(before.databaseId ?? 0, lacking)).status).toBe(422);
      expect(await rewrite(before.databaseId ?? 0, given)).toMatchObject({
        status: 200,
        body: { attributes: { tier: 'gold', region: 'south' } },
      });
    } else {
      const { status } = await callPlatform(api, 'POST', `/orders/${before.databaseId}/acknowledge`);
      expect([status, await readAttributes(before.databaseId)]).toEqual([200, { tier: 'gold' }]);
    }
    await change({ id, required: false });
    expect(await readAttributes((await make({})).databaseId)).toEqual({});
  });

  test('keeps its values when an attribute’s definition changes or is deleted', async () => {
    const { id } = await define({ code: 'season', type: 'SELECT', options: ['winter', 'summer'] });
    const { databaseId = 0 } = await make({ season: 'winter', tier: 'gold' });
    expect(await change({ id, options: ['summer'] })).toMatchObject({ code: 'CONFLICT' });
    expect(await change({ id, options: ['winter'], label: 'Season' })).toMatchObject({ attribute: { id } });
    expect(await idsBy('attributes.season=winter')).toEqual([databaseId]);
    await drop(id);
    expect(await readAttributes(databaseId)).toEqual({ season: 'winter', tier: 'gold' });
    expect((await callPlatform(api, 'GET', `${path}?attributes.season=winter`)).status).toBe(422);
    expect(await define({ code: 'season', type: 'NUMBER' })).toMatchObject({ code: 'CONFLICT' });
    if (!rewrite) {
      expect((await callPlatform(api, 'POST', `/orders/${databaseId}/acknowledge`)).status).toBe(200);
      return;
    }
    expect((await rewrite(databaseId, { name: 'Renamed' })).body['attributes']).toEqual({ tier: 'gold' });
    expect(await define({ code: 'season', type: 'NUMBER' })).toHaveProperty('id');
  });
});
