import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { measureCpuTime } from '#test/setup/cpu-time.ts';
import { readJson } from './read-json.ts';

type Json = Record<string, unknown>;

const read = (text: string | Buffer) => readDescription(Buffer.from(text));
const body = (schema: Json): Json => ({ requestBody: { content: { 'application/json': { schema } } } });
const openapi = (paths: Json, schemas: Json = {}): Json => ({
  openapi: '3.1.0',
  info: {},
  paths,
  components: { schemas },
});

test.each<[what: string, text: string | Buffer, message: RegExp]>([
  ['nothing', '', /is empty/],
  ['bytes', Buffer.from([0xff, 0xfe, 0x00]), /not text|no description/],
  ['broken JSON', '{"openapi": "3.1.0",', /not valid JSON: .*Correct it/],
  ['broken YAML', 'openapi: [3.1.0', /not valid YAML: .*Correct it/],
  ['a tag that runs code', 'openapi: !!js/function "x"', /not valid YAML/],
  ['text', 'Hello', /no description of a known kind\. Use one of: OpenAPI/],
  ['a list', '[1, 2]', /no description of a known kind/],
  ['other JSON', '{"a": 1}', /no description of a known kind/],
  ['an unknown version', '{"openapi": "4.0.0", "paths": {}}', /no description of a known kind/],
  ['nesting', `{"openapi": "3.1.0", "paths": ${'['.repeat(100_000)}${']'.repeat(100_000)}}`, /nested deeper than 200/],
  ['nesting in YAML', `openapi: 3.1.0\npaths: ${'['.repeat(100_000)}`, /not valid YAML/],
  ['an alias that holds itself', 'openapi: 3.1.0\npaths: &a\n  /x: *a\n', /aliases/],
  ['aliases of aliases', aliasBomb(30), /aliases/],
  [
    'many aliases of aliases',
    `a0: &a0 x\n${Array.from({ length: 20_000 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}]`).join('\n')}`,
    /aliases/,
  ],
])('%s is refused with what to do', async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringMatching(message) as string,
  });
});

function aliasBomb(levels: number): string {
  const lines = Array.from(
    { length: levels },
    (_, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]`,
  );
  return ['openapi: 3.1.0', 'a0: &a0 [x, x]', ...lines].join('\n');
}

test('more than 50 MB, more than 10 MB of YAML and more than 20,000 operations are refused', async () => {
  await expect(readDescription(new Uint8Array(50_000_001).fill(0x20))).rejects.toThrow(/at most 50 MB/);
  await expect(read(`openapi: 3.1.0\n${'# a\n'.repeat(2_600_000)}`)).rejects.toThrow(/Convert it to JSON/);
  const paths = Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`/${at}`, { get: {}, post: {} }]));
  await expect(readJson(openapi(paths))).rejects.toThrow(/20002 operations, and at most 20000/);
});

test.each([
  ['file:///etc/passwd', /another document, which is not read/],
  ['../other.json#/A', /another document/],
  ['http://169.254.169.254/latest', /another document/],
  ['#anchor', /an anchor/],
  ['#/components/schemas/Gone', /does not have/],
  ['#/components/schemas/Self', /consists of itself/],
  ['#/components/schemas/All', /consists of itself/],
  ['#/components/schemas/Leads', /does not have/],
  ['#/components/schemas/constructor', /does not have/],
  ['#/__proto__/polluted', /does not have/],
])('an operation that needs %s is skipped with the reason, and the others are not', async (reference, reason) => {
  const schemas = {
    Self: { $ref: '#/components/schemas/Self' },
    All: { allOf: [{ $ref: '#/components/schemas/Part' }] },
    Part: { allOf: [{ $ref: '#/components/schemas/All' }] },
    Leads: { properties: { a: { properties: { b: { $ref: '#/components/schemas/Gone' } } } } },
    Good: { type: 'object' },
  };
  const api = await readJson(
    openapi(
      {
        '/bad': { post: body({ type: 'array', items: { $ref: reference } }) },
        '/good': { post: body({ $ref: '#/components/schemas/Good' }) },
      },
      schemas,
    ),
  );
  expect(api.operations.map(({ path }) => path)).toEqual(['/good']);
  expect(api.skipped).toEqual([{ operation: 'POST /bad', reason: expect.stringMatching(reason) as string }]);
  expect(Object.keys(api.definitions)).toEqual(['Good']);
});

test.each<[what: string, paths: Json, reason: RegExp]>([
  ['a path that refers to a URL', { '/a': { $ref: 'https://a.example/paths.json' } }, /another document/],
  [
    'parameters that refer to each other',
    { '/a': { get: { parameters: [{ $ref: '#/paths/~1a/get/parameters/0' }] } } },
    /refers to itself/,
  ],
  [
    '301 parameters',
    { '/a': { get: { parameters: Array.from({ length: 301 }, (_, at) => ({ name: `p${at}`, in: 'query' })) } } },
    /more than 300 parameters/,
  ],
  [
    'a header that would add another',
    { '/a': { get: { parameters: [{ name: 'a\r\nb: c', in: 'header' }] } } },
    /cannot be sent/,
  ],
  ['a parameter named __proto__', { '/{__proto__}': { get: {} } }, /cannot be sent/],
  [
    'a body without a media type that can be sent',
    { '/a': { post: { requestBody: { required: true, content: { '\n': {} } } } } },
    /no media type/,
  ],
  ['schemas nested 100 deep', { '/a': { post: body(nested(70)) } }, /nested deeper than 64/],
])('%s: the operation is skipped', async (_, paths, reason) => {
  const api = await readJson(openapi(paths));
  expect(api.operations).toEqual([]);
  expect(api.skipped).toEqual([
    { operation: expect.stringContaining('/') as string, reason: expect.stringMatching(reason) as string },
  ]);
});

function nested(levels: number): Json {
  let schema: Json = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = { type: 'array', items: schema };
  return schema;
}

test('names of inherited members are harmless, in JSON and in YAML', async () => {
  const text = `{
    "openapi": "3.1.0",
    "paths": { "/a": { "post": { "operationId": "__proto__", "security": [{ "__proto__": [] }, {}], "requestBody": { "content": { "application/json": {
      "schema": { "$ref": "#/components/schemas/__proto__" }, "encoding": { "__proto__": { "contentType": "text/plain" } } } } } } } },
    "components": {
      "schemas": { "__proto__": { "properties": { "__proto__": { "type": "string" }, "constructor": { "type": "string" } }, "required": ["__proto__"] } },
      "securitySchemes": { "__proto__": { "type": "http", "scheme": "basic" } }
    }
  }`;
  for (const api of [await read(text), await read(`%YAML 1.2\n---\n${text}`)]) {
    expect(({} as Json)['type']).toBeUndefined();
    expect(api.operations.map(({ name }) => name)).toEqual(['proto']);
    expect(JSON.stringify(api)).not.toContain('__proto__');
    expect(Object.values(api.definitions)).toEqual([{ properties: { constructor: { type: 'string' } } }]);
  }
});

test('names with markup or of 120 characters become safe text', async () => {
  const markup = '<img src=x onerror=alert(1)>';
  const operation = {
    operationId: `${markup}${'x'.repeat(120)}`,
    summary: `${markup}&lt;script&gt;Orders\u202e\n**all**`,
    tags: [markup],
    ...body({ $ref: `#/components/schemas/${markup}` }),
  };
  const api = await readJson({
    ...openapi({ [`/${markup}`]: { post: operation, trace: {} } }, { [markup]: {} }),
    info: { title: `${markup}Shop` },
  });
  const [one] = api.operations;
  expect(one?.title).toBe('Orders all');
  expect(api.title).toBe('Shop');
  expect(JSON.stringify([one?.name, one?.title, one?.summary, one?.tags, api.definitions, api.skipped])).not.toMatch(
    /[<>]/,
  );
});

test('a description of 1,000 operations and 2 MB is read within a second of processor time on a fast machine, and within 5 s on any', async () => {
  const text = JSON.stringify(repeated(1_000));
  expect(text.length).toBeGreaterThan(2_000_000);
  expect(await measureCpuTime(() => read(text))).toBeLessThan(5_000);
});

/** Operations with bodies of their own and a shared cycle of definitions. */
function repeated(count: number): Json {
  const member = {
    type: 'string',
    description: 'What this member means for an order, in a sentence or two.',
    nullable: true,
  };
  const row = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 16 }, (_, at) => [`member${at}`, member])),
  };
  const schemas = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `Order${at}`,
      { ...row, properties: { ...row.properties, next: { $ref: `#/components/schemas/Order${(at + 1) % count}` } } },
    ]),
  );
  const paths = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      `/orders${at}/{id}`,
      { put: body({ $ref: `#/components/schemas/Order${at}` }) },
    ]),
  );
  return openapi(paths, schemas);
}

test.each<[what: string, document: () => Json]>([
  [
    'operations that share one large body',
    () => {
      const schema = {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`m${at}`, { type: 'string' }])),
      };
      const shared = { content: { 'application/json': { schema } } };
      const post = { requestBody: { $ref: '#/components/requestBodies/Large' } };
      const paths = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`/${at}`, { post }]));
      return { openapi: '3.1.0', paths, components: { requestBodies: { Large: shared } } };
    },
  ],
  [
    'definitions that all refer to each other',
    () => {
      const names = Array.from({ length: 300 }, (_, at) => `S${at}`);
      const references = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
      const schemas = Object.fromEntries(
        names.map((name) => [name, { properties: { a: { oneOf: references, discriminator: { propertyName: 'a' } } } }]),
      );
      const paths = Object.fromEntries(
        names.map((name) => [`/${name}`, { post: body({ $ref: `#/components/schemas/${name}` }) }]),
      );
      return openapi(paths, schemas);
    },
  ],
  [
    'texts that patterns could be slow on',
    () =>
      openapi({
        '/a': {
          get: { description: '<'.repeat(100_000), summary: '[]('.repeat(50_000), operationId: '-A'.repeat(100_000) },
        },
      }),
  ],
])('%s do not take long', async (_, document) => {
  const text = JSON.stringify(document());
  expect(await measureCpuTime(() => read(text))).toBeLessThan(8_000);
});
