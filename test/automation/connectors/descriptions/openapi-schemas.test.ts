import { expect, test } from 'vitest';
import { readOperation } from './read-json.ts';

type Schema = Record<string, unknown>;

const answer = (schema: Schema): Schema => ({ responses: { 200: { content: { 'application/json': { schema } } } } });

async function convert(schema: Schema, version = '3.0.3', schemas: Record<string, Schema> = {}): Promise<unknown> {
  const { operation } = await readOperation(answer(schema), { openapi: version, components: { schemas } });
  return operation.answers[0]?.content[0]?.schema;
}

const nothing = { type: 'null' };

test.each<[what: string, schema: Schema, expected: Schema]>([
  ['a nullable type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
  ['a nullable enum', { type: 'string', enum: ['a'], nullable: true }, { type: ['string', 'null'], enum: ['a', null] }],
  ['a nullable reference', { $ref: '#/components/schemas/A', nullable: true }, { $ref: '#/$defs/A' }],
  [
    'a nullable reference within allOf',
    { allOf: [{ $ref: '#/components/schemas/A' }], nullable: true, description: 'An A' },
    { description: 'An A', anyOf: [{ allOf: [{ $ref: '#/$defs/A' }] }, nothing] },
  ],
  [
    'a nullable choice',
    { oneOf: [{ type: 'string' }, { type: 'number' }], nullable: true },
    { oneOf: [{ type: 'string' }, { type: 'number' }, nothing] },
  ],
  ['anything, nullable', { nullable: true }, {}],
  [
    'an exclusive bound of 3.0',
    { type: 'number', minimum: 0, exclusiveMinimum: true },
    { type: 'number', exclusiveMinimum: 0 },
  ],
  [
    'an inclusive bound of 3.0',
    { type: 'number', minimum: 0, exclusiveMinimum: false },
    { type: 'number', minimum: 0 },
  ],
  ['a file', { type: 'file' }, { type: 'string', format: 'binary' }],
  [
    'bytes in 3.1',
    { type: 'string', contentMediaType: 'image/png' },
    { type: 'string', format: 'binary', contentMediaType: 'image/png' },
  ],
  [
    'bytes in base64',
    { type: 'string', contentMediaType: 'image/png', contentEncoding: 'base64' },
    { type: 'string', contentEncoding: 'base64', contentMediaType: 'image/png' },
  ],
  ['an unknown type that is plain', { type: 'Float' }, { type: 'number', format: 'float' }],
  ['an unknown type', { type: 'wibble', minLength: 2 }, { minLength: 2 }],
  [
    'read-only and write-only members',
    { properties: { a: { readOnly: true }, b: { writeOnly: true } } },
    { properties: { a: { readOnly: true }, b: { writeOnly: true } } },
  ],
  [
    'required as a flag',
    { properties: { a: { type: 'string', required: true } } },
    { properties: { a: { type: 'string' } } },
  ],
  ['names that occur twice in required', { required: ['a', 'a', 7] }, { required: ['a'] }],
  ['empty lists, which validators refuse', { allOf: [], enum: [], required: [] }, {}],
  ['values that occur twice in an enum', { enum: [1, '1', 1, { a: 1 }, { a: 1 }] }, { enum: [1, '1', { a: 1 }] }],
  ['a pattern that is no regular expression', { type: 'string', pattern: '(' }, { type: 'string' }],
  [
    'a tuple of 3.0',
    { type: 'array', items: [{ type: 'string' }] },
    { type: 'array', prefixItems: [{ type: 'string' }] },
  ],
  ['extensions and examples', { 'x-order': 1, example: 'a', examples: ['b'], externalDocs: {} }, {}],
  [
    'Markdown and HTML',
    { description: '**Bold** <b>text</b>\n[link](https://a.example)' },
    { description: 'Bold text link' },
  ],
  ['a schema that is a flag', { properties: { a: true, b: false } }, { properties: { a: {}, b: { not: {} } } }],
  [
    'hints for XML',
    { type: 'array', xml: { name: 'rows', wrapped: true, 'x-a': 1 } },
    { type: 'array', xml: { name: 'rows', wrapped: true } },
  ],
])('%s becomes JSON Schema 2020-12', async (_, schema, expected) => {
  // Before 3.1, only texts may stand beside a reference.
  const nullableRef = '$ref' in schema ? { anyOf: [expected, nothing] } : expected;
  expect(await convert(schema, '3.0.3', { A: { type: 'object' } })).toEqual(nullableRef);
});

test('keywords beside a reference apply from 3.1 on', async () => {
  const schema = { $ref: '#/components/schemas/A', minLength: 2, description: 'Two' };
  const schemas = { A: { type: 'string' } };
  expect(await convert(schema, '3.0.3', schemas)).toEqual({ $ref: '#/$defs/A', description: 'Two' });
  expect(await convert(schema, '3.1.0', schemas)).toEqual({ $ref: '#/$defs/A', minLength: 2, description: 'Two' });
});

test('only definitions that an operation reaches are kept, each once, including those of a cycle', async () => {
  const list = (name: string): Schema => ({ type: 'array', items: { $ref: `#/components/schemas/${name}` } });
  const { api } = await readOperation(answer(list('Order')), {
    components: {
      schemas: {
        Unused: { type: 'object' },
        Order: { type: 'object', properties: { rows: list('Row') } },
        Row: { type: 'object', properties: { order: { $ref: '#/components/schemas/Order' } } },
      },
    },
  });
  expect(api.definitions).toEqual({
    Order: { type: 'object', properties: { rows: { type: 'array', items: { $ref: '#/$defs/Row' } } } },
    Row: { type: 'object', properties: { order: { $ref: '#/$defs/Order' } } },
  });
});

test('a reference may lead into a schema, and names that are long or odd become safe ones', async () => {
  const long = `${'Company.Namespace.'.repeat(6)}ListOfOrders`;
  const { api } = await readOperation(
    answer({
      properties: {
        a: { $ref: '#/components/schemas/Order/properties/id' },
        b: { $ref: `#/components/schemas/${long}` },
        c: { $ref: '#/components/schemas/%3Cscript%3E~1x' },
      },
    }),
    {
      components: {
        schemas: {
          Order: { properties: { id: { type: 'integer' } } },
          [long]: { title: 'b' },
          '<script>/x': { title: 'c' },
        },
      },
    },
  );
  const names = Object.keys(api.definitions);
  expect(names.map((name) => name.replace(/-[\da-f]{8}$/, ''))).toEqual(
    ['Company.Namespace.Company.Namespace.ListOfOrders', 'Order-properties-id', 'script-x'].toSorted(),
  );
  expect(Object.values(api.definitions)).toContainEqual({ type: 'integer' });
});

test('a discriminator finds its shapes by mapping, by name, and by the schemas that extend a base', async () => {
  const { api } = await readOperation(
    answer({
      properties: {
        mapped: {
          oneOf: [{ $ref: '#/components/schemas/Card' }, { $ref: '#/components/schemas/Cash' }],
          discriminator: { propertyName: 'type', mapping: { card: 'Card', gone: '#/components/schemas/Gone' } },
        },
        base: { $ref: '#/components/schemas/Payment' },
      },
    }),
    {
      components: {
        schemas: {
          Card: { type: 'object' },
          Cash: { type: 'object' },
          Payment: { type: 'object', discriminator: { propertyName: 'kind' } },
          Invoice: { allOf: [{ $ref: '#/components/schemas/Payment' }, { type: 'object' }] },
        },
      },
    },
  );
  expect(api.operations[0]?.answers[0]?.content[0]?.schema).toMatchObject({
    properties: {
      mapped: { discriminator: { propertyName: 'type', mapping: { card: '#/$defs/Card', Cash: '#/$defs/Cash' } } },
    },
  });
  expect(api.definitions['Payment']).toMatchObject({ discriminator: { mapping: { Invoice: '#/$defs/Invoice' } } });
});

test('a shape that extends the base that lists it refers to the base without its shapes', async () => {
  const { api } = await readOperation(answer({ $ref: '#/components/schemas/Pet' }), {
    components: {
      schemas: {
        Pet: { properties: { name: { type: 'string' } }, oneOf: [{ $ref: '#/components/schemas/Cat' }] },
        Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }, { properties: { lives: { type: 'integer' } } }] },
      },
    },
  });
  expect(api.definitions['Cat']).toEqual({
    allOf: [{ $ref: '#/$defs/Pet.base' }, { properties: { lives: { type: 'integer' } } }],
  });
  expect(api.definitions['Pet.base']).toEqual({ properties: { name: { type: 'string' } } });
});
