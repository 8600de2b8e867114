import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect } from 'vitest';
import { isIdParam, pathParams } from '#rest/route.ts';
import { createContact, upsertOrganization } from '#test/commerce/customers.ts';
import { createShop } from '#test/commerce/shop.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { callPlatform, everyPlatformRoute, fillPath } from './rest.ts';

let api: TestApp;
let orderId: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  const { place, stocked } = createShop(api);
  await stocked('ODD', '1000');
  const { order } = await place({ positions: [{ sku: 'ODD', quantity: '1', unitPrice: '1' }] });
  orderId = order.databaseId;
  await api.app.listen({ port: 0, host: '127.0.0.1' });
});

/** Whatever a test sends: no fault of the server, and no word of what is behind it. */
const answers: { status: number; text: string }[] = [];
afterEach(() => {
  for (const { status, text: said } of answers.splice(0)) {
    expect([status, said.slice(0, 500)]).toEqual([expect.toSatisfy((code: number) => code < 500), expect.any(String)]);
    expect(said).not.toMatch(/\b(select|insert into|update|relation|column|constraint|pg_\w+|prisma|at .*\.ts)\b/i);
    expect(said.length).toBeLessThan(40_000);
  }
});
async function send(method: string, path: string, body?: unknown) {
  const answer = await callPlatform(api, method, path, body === undefined ? {} : { body });
  answers.push(answer);
  return answer;
}

test('an id of another tenant is not found by any route, and nothing changes there', async () => {
  const organization = await upsertOrganization(api, { customerNumber: 'C-1', name: 'Theirs' });
  const contact = await createContact(api, { organizationId: organization.id, email: 'theirs@example.com' });
  const positions = [{ sku: 'ODD', quantity: '1', unitPrice: '1' }];
  const { order } = await createShop(api).place({ organizationId: organization.id, positions });
  const before = (await send('GET', `/orders/${order.databaseId}`)).text;
  for (const { method, row } of everyPlatformRoute.filter(({ row: { path } }) => pathParams(path).some(isIdParam))) {
    for (const id of new Set([1, order.databaseId, organization.databaseId, contact.databaseId])) {
      const path = fillPath(row, Object.fromEntries(pathParams(row.path).map((name) => [name, id])));
      const answer = await callPlatform(api, method, path, { tenant: 'acme-outlet', body: row.example?.body });
      expect([path, answer.status, answer.body]).toEqual([path, 404, { message: 'Not found.', code: 'NOT_FOUND' }]);
    }
  }
  for (const list of ['customers/contacts', 'customers/organization_metrics']) {
    const path = `/${list}?organization_id=${organization.databaseId}`;
    expect((await callPlatform(api, 'GET', path)).body).toMatchObject({ total: 1 });
    const foreign = await callPlatform(api, 'GET', path, { tenant: 'acme-outlet' });
    expect(foreign.body).toMatchObject({ items: [], total: 0 });
  }
  expect((await send('GET', `/orders/${order.databaseId}`)).text).toBe(before);
});

describe('headers', () => {
  /** Over a socket, with header lines exactly as they are given: names and values in turn. */
  async function raw(lines: string[]): Promise<number> {
    const { port } = api.app.server.address() as AddressInfo;
    const outgoing = request({ port, host: '127.0.0.1', path: '/v1/products', agent: false });
    for (let index = 0; index < lines.length; index += 2) {
      const [name = '', value = ''] = lines.slice(index, index + 2);
      outgoing.appendHeader(name, value);
    }
    outgoing.end();
    const [response] = await once(outgoing, 'response');
    answers.push({ status: response.statusCode, text: await text(response) });
    return response.statusCode;
  }

  test('name one tenant and one key, with names in any case', async () => {
    const [key, foreign] = [await api.apiKey(['*']), await api.apiKey(['*'], 'acme-outlet')];
    for (const [lines, status] of [
      [['X-PLATFORM-TENANT', 'acme-shop', 'x-platform-api-key', key], 200],
      [['x-platform-tenant', 'acme-shop', 'x-platform-tenant', 'acme-outlet', 'x-platform-api-key', key], 401],
      [['x-platform-tenant', 'acme-outlet', 'x-platform-tenant', 'acme-shop', 'x-platform-api-key', key], 401],
      [['x-platform-tenant', 'acme-shop', 'x-platform-tenant', 'acme-shop', 'x-platform-api-key', key], 401],
      [['x-platform-tenant', 'acme-shop', 'x-platform-api-key', key, 'x-platform-api-key', foreign], 401],
      [['x-platform-tenant', 'Acme-Shop', 'x-platform-api-key', key], 401],
      [['x-platform-tenant', 'acme-shop', 'x-platform-api-key', key.toLowerCase()], 401],
      [['x-platform-tenant', 'acme-shop', 'x-platform-api-key', `"${key}"`], 401],
      [['x-platform-tenant', 'acme%2Dshop', 'x-platform-api-key', key], 401],
      [['x-platform-tenant', 'acme-shop', 'authorization', `Bearer ${key}`], 401],
      [['x-tenant-id', 'acme-shop', 'x-platform-api-key', key], 401],
      [['x-platform-tenant', 'acme-shop', 'x-tenant-id', 'acme-outlet', 'x-platform-api-key', key], 200],
    ] as const) {
      expect([lines, await raw([...lines])]).toEqual([lines, status]);
    }
  });
});

describe('text and numbers that Postgres cannot store', () => {
  const odd = ['%00', 'a%00b', '%EF%BF%BD', '%', '%ED%A0%80', '%27%3B--', '%25', '_', '%5C'];
  test.for(odd)('in a query finds nothing or is refused at its parameter: %s', async (value) => {
    for (const path of [
      `/inventories/movements?sku=${value}`,
      `/inventories/movements?location=${value}`,
      `/inventories/availability?sku=${value}`,
      `/inventories/stock/${value}`,
      `/products?search=${value}`,
      `/customers/organizations?search=${value}`,
      `/customers/organizations?customer_number=${value}`,
      `/customers/contacts?search=${value}`,
      `/products?attributes.${value}=x`,
      `/orders?updated_since=${value}`,
      `/orders?status=${value}`,
    ]) {
      const { status } = await send('GET', path);
      expect([path, [200, 400, 404, 422].includes(status)]).toEqual([path, true]);
    }
  });

  test.for(['\\u0000', 'a\\u0000b', '\\ud800', '\\udfff\\ud800'])(
    'in a body is refused at its field: %s',
    async (value) => {
      for (const [method, path, body] of [
        ['POST', '/inventories/movements', `{"sku":"${value}","kind":"receipt","quantity":1,"reference":"x"}`],
        ['POST', '/inventories/movements', `{"sku":"ODD","kind":"receipt","quantity":1,"reference":"${value}"}`],
        [
          'POST',
          '/inventories/movements',
          `{"sku":"ODD","kind":"receipt","quantity":1,"reference":"x","note":"${value}"}`,
        ],
        [
          'POST',
          '/inventories/movements',
          `{"sku":"ODD","location":"${value}","kind":"receipt","quantity":1,"reference":"x"}`,
        ],
        ['POST', `/orders/${orderId}/acknowledge`, `{"erp_number":"${value}"}`],
        ['POST', `/orders/${orderId}/cancel`, `{"reason":"${value}"}`],
        ['POST', '/prices/resolve', `{"sku":"${value}","quantity":1,"currency":"EUR"}`],
        ['POST', '/prices/resolve', `{"sku":"ODD","quantity":1,"currency":"EUR","customer":"${value}"}`],
        ['POST', '/prices/resolve', `{"items":[{"sku":"${value}","quantity":1}],"currency":"EUR"}`],
        ['PUT', '/products/1', `{"name":"${value}"}`],
        ['PUT', '/products/1', `{"attributes":{"${value}":"x"}}`],
      ] as const) {
        const { status } = await send(method, path, body);
        expect([path, body, status]).toEqual([path, body, 422]);
      }
    },
  );

  test.for([
    '+275760-09-13T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '0000-01-01',
    '10000-01-01T00:00:00Z',
    '2026-13-01',
    1e12,
  ])('as an instant is refused at its field: %s', async (instant) => {
    const movement = { sku: 'ODD', kind: 'reserve', quantity: '1', reference: 'instant' };
    for (const field of ['occurred_at', 'expires_at']) {
      const { status, body } = await send('POST', '/inventories/movements', { ...movement, [field]: instant });
      expect([status, Object.keys(body['errors'] ?? {})]).toEqual([422, [field]]);
    }
    const asked = await send('POST', '/prices/resolve', { sku: 'ODD', quantity: 1, currency: 'EUR', at: instant });
    expect([asked.status, Object.keys(asked.body['errors'] ?? {})]).toEqual([422, ['at']]);
  });

  test.for(['9223372036854775807', '9223372036854775808', '9999999999999999999', '0', '00', '9007199254740993'])(
    'as an id is nothing: %s',
    async (id) => {
      for (const [method, path] of [
        ['GET', `/orders/${id}`],
        ['POST', `/orders/${id}/complete`],
        ['PUT', `/products/${id}`],
        ['GET', `/customers/organizations/${id}`],
        ['GET', `/customers/contacts/${id}`],
      ] as const) {
        expect([path, (await send(method, path, method === 'PUT' ? {} : undefined)).status]).toEqual([path, 404]);
      }
      const filtered = await send('GET', `/customers/contacts?organization_id=${id}`);
      expect([200, 422]).toContain(filtered.status);
    },
  );
});

describe('a large request', () => {
  test('gets a short response, whatever its content', async () => {
    const long = 'x'.repeat(1_000_000);
    const many = (one: object) => Array.from({ length: 20_000 }, () => one);
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    for (const [method, path, body, status] of [
      ['PUT', '/products/1', { name: long }, 422],
      ['PUT', '/products/1', { description: long }, 422],
      ['PUT', '/products/1', { attributes: { [long]: 1 } }, 422],
      ['PUT', '/products/1', `{"attributes":{"x":${deep(1_000)}}}`, 422],
      ['PUT', '/products/1', `{"attributes":{"x":${deep(200_000)}}}`, 422],
      // Where there are numbers, each is read with its digits, which takes a stack.
      ['PUT', '/products/1', `{"attributes":{"x":${deep(200_000)},"y":1}}`, 400],
      ['PUT', '/products/1', { name: `${long}${'x'.repeat(100_000)}` }, 413],
      ['POST', '/inventories/movements', { sku: long, kind: 'theft', quantity: 'x', reference: 'y' }, 422],
      [
        'POST',
        '/inventories/movements',
        `{"sku":"ODD","kind":"receipt","quantity":${'9'.repeat(900_000)},"reference":"z"}`,
        422,
      ],
      [
        'POST',
        '/inventories/movements',
        `{"sku":"ODD","kind":"receipt","quantity":0.${'0'.repeat(900_000)}1,"reference":"z"}`,
        422,
      ],
      ['POST', '/prices/resolve', { items: many({}), currency: 'EUR' }, 422],
      ['POST', '/prices/resolve', { items: many({ sku: '', quantity: 'NaN' }), currency: 'EUR' }, 422],
      ['POST', '/prices/resolve', { sku: 'ODD', quantity: 1, currency: long }, 422],
      ['POST', `/orders/${orderId}/cancel`, { reason: long }, 422],
      ['POST', `/orders/${orderId}/acknowledge`, { erp_number: long }, 422],
    ] as const) {
      const answer = await send(method, path, body);
      expect([path, JSON.stringify(body).slice(0, 60), answer.status]).toEqual([
        path,
        JSON.stringify(body).slice(0, 60),
        status,
      ]);
    }
  });

  test('in the graph is refused at its fields: positions, attributes, names', async () => {
    const query = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
      __typename ... on ValidationError { fields { path } } } }`;
    const position = { sku: 'ODD', quantity: '1', unitPrice: '1' };
    const long = 'x'.repeat(900_000);
    for (const [input, path] of [
      [{ positions: Array.from({ length: 201 }, () => position) }, 'positions'],
      [{ positions: Array.from({ length: 10_000 }, () => ({ ...position, sku: '' })) }, 'positions'],
      [{ positions: [{ ...position, text: long }] }, 'positions.0.text'],
      [{ positions: [{ ...position, sku: long }] }, 'positions.0.sku'],
      [{ positions: [{ ...position, costCentre: long }] }, 'positions.0.costCentre'],
      [{ positions: [position], externalKey: 'x'.repeat(192) }, 'externalKey'],
      [{ positions: [position], channel: long }, 'channel'],
      [{ positions: [position], shippingAddress: { city: long } }, 'shippingAddress.city'],
      [{ positions: [position], attributes: { unknown: long } }, 'attributes.unknown'],
      [{ positions: [position], currency: 'EURO' }, 'currency'],
    ] as const) {
      const answer = await api.graphql(query, { input: { currency: 'EUR', ...input } });
      const said = JSON.stringify(answer);
      expect([path, said.length < 40_000, said.includes(`"${path}`)]).toEqual([path, true, true]);
    }
  });
});

test('a JSON number is read by its digits wherever a decimal is expected', async () => {
  const book = (quantity: string, reference: string) =>
    send(
      'POST',
      '/inventories/movements',
      `{"sku":"ODD","location":"digits","kind":"receipt","quantity":${quantity},"reference":"${reference}"}`,
    );
  for (const [sent, status, stored] of [
    ['0.1', 201, '0.1'],
    ['123456789012345678.123456', 201, '123456789012345678.123456'],
    ['9007199254740993', 201, '9007199254740993'],
    ['1.10', 201, '1.1'],
    ['-0', 422, undefined],
    ['1E2', 422, undefined],
    ['1e-2', 422, undefined],
    ['0.1000000000000000055', 422, undefined],
    ['"１２"', 422, undefined],
    ['" 1"', 422, undefined],
    ['"+1"', 422, undefined],
    ['"0x10"', 422, undefined],
    ['"1_000"', 422, undefined],
    ['".5"', 422, undefined],
    ['"5."', 422, undefined],
    ['"Infinity"', 422, undefined],
    ['true', 422, undefined],
    ['["1"]', 422, undefined],
    ['{"value":"1"}', 422, undefined],
  ] as const) {
    const { status: got, body } = await book(sent, `digits/${sent}`.replaceAll('"', ''));
    expect([sent, got, body['quantity']]).toEqual([sent, status, stored]);
  }
});
