import { expect, test } from 'vitest';
import { readJson, readOperation } from './read-json.ts';

type Json = Record<string, unknown>;

const swagger = (operation: Json, more: Json = {}): Json => ({
  swagger: '2.0',
  info: { title: 'Shop', version: 1.5 },
  paths: { '/orders': { post: operation } },
  ...more,
});

test.each<[what: string, parameter: Json, style: string, explode: boolean]>([
  ['a query', { in: 'query' }, 'form', true],
  ['a query of which the list is not exploded', { in: 'query', explode: false }, 'form', false],
  ['a deep object', { in: 'query', style: 'deepObject', explode: true }, 'deepObject', true],
  ['pipes', { in: 'query', style: 'pipeDelimited' }, 'pipeDelimited', false],
  ['a style that its place does not allow', { in: 'header', style: 'form' }, 'simple', false],
  ['a header', { in: 'header' }, 'simple', false],
  ['a cookie', { in: 'cookie' }, 'form', true],
  ['JSON in a query', { in: 'query', content: { 'application/json': { schema: {} } } }, 'json', false],
])('%s has its style', async (_, parameter, style, explode) => {
  const { operation } = await readOperation({ parameters: [{ name: 'a', schema: { type: 'array' }, ...parameter }] });
  expect(operation.parameters).toMatchObject([{ name: 'a', style, explode, required: false }]);
});

test.each<[format: string | undefined, place: string, style: string, explode: boolean]>([
  [undefined, 'query', 'form', false],
  ['multi', 'query', 'form', true],
  ['ssv', 'query', 'spaceDelimited', false],
  ['pipes', 'query', 'pipeDelimited', false],
  ['csv', 'header', 'simple', false],
])('a list of Swagger 2.0 in the format %s in a %s', async (collectionFormat, place, style, explode) => {
  const list = { name: 'a', in: place, type: 'array', items: { type: 'integer' }, collectionFormat };
  const api = await readJson(swagger({ parameters: [list] }));
  expect(api.operations[0]?.parameters).toMatchObject([
    { style, explode, schema: { type: 'array', items: { type: 'integer' } } },
  ]);
});

test('parameters of the path apply to each operation, which may replace them', async () => {
  const shared = [
    { name: 'id', in: 'path', schema: {} },
    { $ref: '#/components/parameters/Limit' },
    { name: 'Accept', in: 'header' },
  ];
  const own = { name: 'limit', in: 'query', required: true, schema: { type: 'integer' } };
  const { operations } = await readJson({
    openapi: '3.0.0',
    paths: { '/orders/{id}/{row}': { parameters: shared, get: { parameters: [own] }, delete: {} } },
    components: { parameters: { Limit: { name: 'limit', in: 'query' } } },
  });
  const listed = operations.map(({ method, parameters }) => [
    method,
    ...parameters.map(({ name, required }) => `${name} ${required}`),
  ]);
  expect(listed).toEqual([
    ['GET', 'limit true', 'id true', 'row true'],
    ['DELETE', 'id true', 'limit false', 'row true'],
  ]);
});

test('consumes and produces of Swagger 2.0 come from the operation, else from the document', async () => {
  const body = { name: 'order', in: 'body', required: true, schema: { $ref: '#/definitions/Order' } };
  const document = {
    consumes: ['application/json', 'text/xml'],
    produces: ['application/json'],
    definitions: { Order: { type: 'object' } },
  };
  const answer = {
    200: { description: 'OK', schema: { $ref: '#/definitions/Order' } },
    204: { description: 'Nothing' },
  };
  const usual = await readJson(swagger({ parameters: [body], responses: answer }, document));
  const own = await readJson(
    swagger({ parameters: [body], responses: answer, consumes: ['application/xml'], produces: ['text/csv'] }, document),
  );
  const types = usual.operations[0]?.body?.content.map(({ mediaType, schema }) => [mediaType, schema]);
  expect(types).toEqual([
    ['application/json', { $ref: '#/$defs/Order' }],
    ['text/xml', { $ref: '#/$defs/Order' }],
  ]);
  expect(usual.operations[0]?.answers.map(({ content }) => content.length)).toEqual([1, 0]);
  expect(own.operations[0]?.body?.content.map(({ mediaType }) => mediaType)).toEqual(['application/xml']);
  expect(own.operations[0]?.answers[0]?.content.map(({ mediaType }) => mediaType)).toEqual(['text/csv']);
});

test.each([
  ['text', undefined, { type: 'string', enum: ['a'] }, 'application/x-www-form-urlencoded'],
  ['a file', ['application/json'], { type: 'file' }, 'multipart/form-data'],
  ['text, as multipart', ['multipart/form-data'], { type: 'array', items: { type: 'string' } }, 'multipart/form-data'],
])('form data of %s becomes a body', async (_, consumes, field, mediaType) => {
  const parameters = [{ name: 'a', in: 'formData', required: true, description: 'An A', ...field }];
  const api = await readJson(swagger({ consumes, parameters }));
  const schema = field.type === 'file' ? { type: 'string', format: 'binary' } : field;
  expect(api.operations[0]?.parameters).toEqual([]);
  expect(api.operations[0]?.body).toMatchObject({
    required: true,
    content: [
      { mediaType, schema: { type: 'object', required: ['a'], properties: { a: { ...schema, description: 'An A' } } } },
    ],
  });
});

test.each([
  ['application\\/json', 'application/json'],
  ['application/json; charset=utf-8', 'application/json; charset=utf-8'],
  ['*/*', 'application/json'],
  ['json', 'application/json'],
  ['application/vnd.api+json', 'application/vnd.api+json'],
])('the media type %s is read as %s', async (written, mediaType) => {
  const { operation } = await readOperation({ requestBody: { content: { [written]: { schema: {} } } } });
  expect(operation.body?.content.map((content) => content.mediaType)).toEqual([mediaType]);
});

test('a body of bytes has a schema of its own, and members of a form keep their encoding', async () => {
  const { operation } = await readOperation({
    requestBody: {
      content: {
        'application/pdf': {},
        'multipart/form-data': {
          schema: { type: 'object' },
          encoding: { a: { contentType: 'image/png, image/jpeg', explode: false } },
        },
      },
    },
  });
  expect(operation.body?.content).toEqual([
    { mediaType: 'application/pdf', schema: { type: 'string', format: 'binary' }, encoding: {} },
    {
      mediaType: 'multipart/form-data',
      schema: { type: 'object' },
      encoding: { a: { contentType: 'image/png', explode: false } },
    },
  ]);
});

test('answers are 200, 4XX and default, with the names of their headers', async () => {
  const { operation } = await readOperation(
    {
      responses: {
        200: { headers: { 'X-Total': {} } },
        '4xx': { $ref: '#/components/responses/Error' },
        default: {},
        'x-a': {},
        999: {},
      },
    },
    {
      components: {
        responses: { Error: { description: '<p>Wrong</p>', content: { 'application/problem+json': {} } } },
      },
    },
  );
  expect(operation.answers).toMatchObject([
    { status: '200', headers: ['x-total'] },
    { status: '4XX', description: 'Wrong', content: [{ mediaType: 'application/problem+json' }] },
    { status: 'default', content: [] },
  ]);
});

test('an operation with a method that nodes cannot send is skipped, and extensions are not operations', async () => {
  const api = await readJson({
    openapi: '3.1.0',
    paths: { '/a': { get: {}, GET: {}, trace: {}, query: {}, 'x-get': {}, summary: 'A' }, 'x-paths': { get: {} } },
  });
  expect(api.operations.map(({ name }) => name)).toEqual(['get-a']);
  expect(api.skipped.map(({ operation }) => operation)).toEqual(['GET /a', 'TRACE /a', 'QUERY /a']);
  expect(api.skipped[0]?.reason).toMatch(/same method and path/);
  expect(api.skipped[1]?.reason).toMatch(/GET, HEAD, POST/);
});

const schemes = {
  basic: { type: 'http', scheme: 'Basic' },
  key: { type: 'apiKey', in: 'header', name: 'X-Key' },
  token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  digest: { type: 'http', scheme: 'digest' },
  '<b>odd</b>': { type: 'apiKey', in: 'query', name: 'key' },
};

test.each<[what: string, security: unknown, expected: string[][]]>([
  ['needs two schemes together', [{ basic: [], key: [] }], [['basic', 'key']]],
  ['has alternatives', [{ key: [] }, { token: ['a'] }], [['key'], ['token']]],
  ['may do without', [{ key: [] }, {}], [['key'], []]],
  ['has that of the document', undefined, [['key']]],
  ['has none', [], []],
  ['has one scheme that can be used', [{ digest: [] }, { basic: [] }, { gone: [] }], [['basic']]],
])('an operation %s', async (_, security, expected) => {
  const { operation, api } = await readOperation(
    { security },
    { security: [{ key: [] }], components: { securitySchemes: schemes } },
  );
  expect(operation.security).toEqual(expected);
  expect(Object.keys(api.security).toSorted()).toEqual([...new Set(expected.flat())].toSorted());
});

test('an operation whose only scheme cannot be used is skipped', async () => {
  const api = await readJson({
    openapi: '3.1.0',
    paths: { '/a': { get: { security: [{ digest: [] }] } } },
    components: { securitySchemes: schemes },
  });
  expect(api.skipped).toEqual([{ operation: 'GET /a', reason: expect.stringContaining('"digest"') as string }]);
});

test('flows of OAuth have the grants of each version, and their URLs are absolute', async () => {
  const flows = {
    accessCode: { authorizationUrl: '/authorize', tokenUrl: 'https://id.example/token', scopes: { read: '' } },
    clientCredentials: { tokenUrl: '/token' },
    unknown: {},
  };
  const { api } = await readOperation(
    { security: [{ oauth: [] }] },
    {
      servers: [{ url: 'https://api.example/v1/' }],
      components: { securitySchemes: { oauth: { type: 'oauth2', flows } } },
    },
  );
  expect(api.security['oauth']).toEqual({
    type: 'oauth2',
    flows: [
      {
        grant: 'authorization_code',
        authorizeUrl: 'https://api.example/authorize',
        tokenUrl: 'https://id.example/token',
        scopes: ['read'],
      },
      { grant: 'client_credentials', tokenUrl: 'https://api.example/token', scopes: [] },
    ],
  });
});

test.each<[what: string, document: Json, from: string | undefined, urls: string[]]>([
  ['none', {}, undefined, []],
  ['none, from a URL', {}, 'https://api.example/docs/openapi.json', ['https://api.example']],
  [
    'relative',
    { servers: [{ url: '/v1/' }, { url: 'v2' }] },
    'https://api.example/docs/a.json',
    ['https://api.example/v1', 'https://api.example/docs/v2'],
  ],
  ['a place for a variable', { servers: [{ url: 'https://{shop}.example/' }] }, undefined, ['https://{shop}.example']],
  [
    'a protocol that nobody speaks',
    { servers: [{ url: 'ws://a.example' }, { url: 'http://a.example' }] },
    undefined,
    ['http://a.example'],
  ],
])('servers: %s', async (_, document, from, urls) => {
  const api = await readJson({ openapi: '3.1.0', paths: { '/a': { get: {} } }, ...document }, from);
  expect(api.servers.map(({ url }) => url)).toEqual(urls);
});

test('servers of Swagger 2.0 are built from schemes, host and base path, and in OpenAPI 3 a path may replace the servers', async () => {
  const old = await readJson(swagger({}, { host: 'a.example', basePath: '/v1', schemes: ['http', 'ws', 'https'] }));
  expect(old.servers.map(({ url }) => url)).toEqual(['https://a.example/v1', 'http://a.example/v1']);
  expect(old.version).toBe('1.5');
  const item = {
    servers: [{ url: 'https://files.example' }],
    get: {},
    post: { servers: [{ url: 'https://own.example' }] },
  };
  const api = await readJson({ openapi: '3.1.0', servers: [{ url: 'https://a.example' }], paths: { '/a': item } });
  expect(api.operations.map(({ servers }) => servers?.map(({ url }) => url))).toEqual([
    ['https://files.example'],
    ['https://own.example'],
  ]);
});

test('references that a converter left in the form of Swagger 2.0 are resolved in OpenAPI 3', async () => {
  const { operation } = await readOperation(
    { responses: { 200: { content: { 'application/json': { schema: { $ref: '#/definitions/Order' } } } } } },
    { openapi: '3.0.1', components: { schemas: { Order: { type: 'object' } } } },
  );
  expect(operation.answers[0]?.content[0]?.schema).toHaveProperty('$ref');
});
