import { expect, test } from 'vitest';
import { readJson } from './read-json.ts';

type Json = Record<string, unknown>;

const collection = (item: Json[], more: Json = {}): Json => ({
  info: { name: 'Shop', schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json' },
  item,
  ...more,
});
const request = (method: string, url: unknown, more: Json = {}, name = 'orders'): Json => ({
  name,
  request: { method, url, ...more },
});

test('requests in folders become operations, with variables as places and servers', async () => {
  const url = {
    raw: '{{base}}/v1/orders/:id/rows/{{row}}?page={{page}}&size=',
    query: [
      { key: 'page', value: '{{page}}', description: 'Page' },
      { key: 'size', value: '' },
    ],
    variable: [{ key: 'id', value: '7', description: 'Id' }],
  };
  const inFolder = {
    name: 'Orders',
    item: [
      request(
        'PUT',
        url,
        {
          header: [
            { key: 'X-Shop', value: '{{shop}}' },
            { key: 'Accept', value: '*/*' },
          ],
          description: 'Changes a row.',
        },
        'row',
      ),
    ],
  };
  const api = await readJson(
    collection([inFolder], {
      variable: [
        { key: 'base', value: 'https://a.example' },
        { key: 'page', value: '1' },
      ],
    }),
  );
  expect(api).toMatchObject({
    kind: 'postman',
    title: 'Shop',
    servers: [{ url: '{base}', variables: { base: { default: 'https://a.example' } } }],
  });
  const [operation] = api.operations;
  expect(operation).toMatchObject({
    name: 'put-row',
    title: 'PUT row',
    summary: 'Changes a row.',
    tags: ['Orders'],
    path: '/v1/orders/{id}/rows/{row}',
    method: 'PUT',
  });
  expect(operation?.parameters.map(({ in: place, name, required, schema }) => [place, name, required, schema])).toEqual(
    [
      ['path', 'id', true, { type: 'string' }],
      ['path', 'row', true, { type: 'string' }],
      ['query', 'page', false, { type: 'string', default: '1' }],
      ['query', 'size', false, { type: 'string' }],
      ['header', 'X-Shop', false, { type: 'string' }],
    ],
  );
});

test('segments that show an example become parameters with the example as default', async () => {
  const paths = ['families', 'families/camcorders', 'families/camcorders/variants', 'orders/12/cancel', 'jobs/export'];
  const api = await readJson(collection(paths.map((path) => request('GET', `https://a.example/${path}`, {}, path))));
  expect(
    api.operations.map(({ path, parameters }) => [path, ...parameters.map(({ schema }) => schema['default'])]),
  ).toEqual([
    ['/families'],
    ['/families/{family}', 'camcorders'],
    ['/families/{family}/variants', 'camcorders'],
    ['/orders/{order}/cancel', '12'],
    ['/jobs/export'],
  ]);
});

test('a query parameter that distinguishes requests of the same path keeps its value', async () => {
  const api = await readJson(
    collection(
      ['GetOrders', 'GetOrder'].map((action) => request('GET', `{{shop}}?Action=${action}&Key=a`, {}, action)),
    ),
  );
  expect(
    api.operations.map(({ name, path, parameters }) => [name, path, parameters[0]?.schema, parameters[0]?.required]),
  ).toEqual([
    ['get-orders', '', { type: 'string', const: 'GetOrders', default: 'GetOrders' }, true],
    ['get-order', '', { type: 'string', const: 'GetOrder', default: 'GetOrder' }, true],
  ]);
  expect(api.operations[0]?.parameters[1]).toMatchObject({
    name: 'Key',
    required: false,
    schema: { type: 'string', default: 'a' },
  });
});

const json = { key: 'Content-Type', value: 'application/json' };

test.each<[what: string, request: Json, mediaType: string, schema: Json]>([
  [
    'raw JSON',
    { header: [json], body: { mode: 'raw', raw: '{"id": {{id}}, "rows": [{"a": 1}, {"b": "x"}], "at": null}' } },
    'application/json',
    {
      type: 'object',
      properties: {
        id: {},
        rows: {
          type: 'array',
          items: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'string' } } },
        },
        at: {},
      },
    },
  ],
  [
    'JSON by its language',
    { body: { mode: 'raw', raw: '[true]', options: { raw: { language: 'json' } } } },
    'application/json',
    { type: 'array', items: { type: 'boolean' } },
  ],
  [
    'a document a line',
    {
      header: [{ key: 'content-type', value: 'application/vnd.a.collection+json' }],
      body: { mode: 'raw', raw: '{"a":1}\n{"a":2}' },
    },
    'application/vnd.a.collection+json',
    { type: 'string' },
  ],
  [
    'a form',
    { body: { mode: 'urlencoded', urlencoded: [{ key: 'a', description: 'An A' }] } },
    'application/x-www-form-urlencoded',
    { type: 'object', properties: { a: { type: 'string', description: 'An A' } } },
  ],
  [
    'a form with a file',
    { body: { mode: 'formdata', formdata: [{ key: 'f', type: 'file' }] } },
    'multipart/form-data',
    { type: 'object', properties: { f: { type: 'string', format: 'binary' } } },
  ],
  [
    'a file',
    { body: { mode: 'file', file: { src: '/etc/passwd' } } },
    'application/octet-stream',
    { type: 'string', format: 'binary' },
  ],
  [
    'variables of GraphQL',
    { body: { mode: 'graphql', graphql: { query: '{ a }', variables: '{"a": 1}' } } },
    'application/json',
    { type: 'object', properties: { variables: { type: 'object', properties: { a: { type: 'number' } } } } },
  ],
])('a body of %s', async (_, more, mediaType, schema) => {
  const api = await readJson(collection([request('POST', 'https://a.example/a', more)]));
  expect(api.operations[0]?.body?.content).toEqual([{ mediaType, schema, encoding: {} }]);
  expect(api.operations[0]?.parameters).toEqual([]);
  expect(api.operations[0]?.fixedBody).toEqual(
    schema['properties'] && 'variables' in (schema['properties'] as Json) ? { query: '{ a }' } : undefined,
  );
});

const apiKey = {
  type: 'apikey',
  apikey: [
    { key: 'key', value: 'X-Key' },
    { key: 'value', value: 'secret' },
  ],
};
const oauth = {
  type: 'oauth2',
  oauth2: [
    { key: 'grant_type', value: 'client_credentials' },
    { key: 'accessTokenUrl', value: 'https://id.example/token' },
    { key: 'scope', value: 'a b' },
  ],
};

test.each<[what: string, request: Json, security: string[][], scheme: Json | undefined]>([
  ['of the collection', {}, [['basic']], { type: 'basic' }],
  ['of the request', { auth: apiKey }, [['api-key-X-Key']], { type: 'api_key', in: 'header', name: 'X-Key' }],
  [
    'by OAuth',
    { auth: oauth },
    [['oauth2']],
    {
      type: 'oauth2',
      flows: [{ grant: 'client_credentials', tokenUrl: 'https://id.example/token', scopes: ['a', 'b'] }],
    },
  ],
  [
    'in a header',
    { auth: { type: 'noauth' }, header: [{ key: 'Authorization', value: 'Bearer {{token}}' }] },
    [['bearer']],
    { type: 'bearer' },
  ],
  ['of type noauth', { auth: { type: 'noauth' } }, [], undefined],
])('the authentication %s', async (_, more, security, scheme) => {
  const api = await readJson(
    collection([request('GET', 'https://a.example/a', more)], { auth: { type: 'basic', basic: [] } }),
  );
  expect(api.operations[0]?.security).toEqual(security);
  expect(Object.values(api.security)).toEqual(scheme === undefined ? [] : [scheme]);
  expect(JSON.stringify(api)).not.toContain('secret');
});

test('saved answers give the schemas of answers', async () => {
  const response = [
    { code: 200, name: 'Found', header: [json], body: '{"id": 1}' },
    { code: 404, name: 'Gone', body: '' },
  ];
  const api = await readJson(collection([{ ...request('GET', 'https://a.example/a'), response }]));
  expect(api.operations[0]?.answers).toEqual([
    {
      status: '200',
      description: 'Found',
      headers: [],
      content: [
        {
          mediaType: 'application/json',
          encoding: {},
          schema: { type: 'object', properties: { id: { type: 'number' } } },
        },
      ],
    },
    { status: '404', description: 'Gone', headers: [], content: [] },
  ]);
});

test('requests that cannot be distinguished, sent or authenticated are skipped', async () => {
  const twice = request('GET', 'https://a.example/a');
  const api = await readJson(
    collection([
      twice,
      twice,
      {
        name: 'F',
        item: [
          request('LOCK', 'https://a.example/b', {}, 'lock'),
          request('GET', 'https://a.example/c', { auth: { type: 'digest' } }, 'c'),
        ],
      },
    ]),
  );
  expect(api.operations).toHaveLength(1);
  expect(api.skipped).toEqual([
    { operation: 'orders', reason: expect.stringMatching(/same name/) as string },
    { operation: 'F / lock', reason: expect.stringMatching(/method/) as string },
    { operation: 'F / c', reason: expect.stringMatching(/digest/) as string },
  ]);
});
