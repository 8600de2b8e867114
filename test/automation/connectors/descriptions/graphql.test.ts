import { buildSchema, introspectionFromSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';

const sdl = `
"A shop"
type Query {
  "The order with this id."
  order(id: ID!, locale: Language = DE): Order
  orders(first: Int = 10, filter: OrderFilter, after: String): OrderConnection!
  search(text: String!): [Found!]!
  ping: Boolean @deprecated(reason: "Use status.")
}
type Mutation { createOrder(input: OrderInput!): Order  order(id: ID!): Boolean }
type Subscription { orderChanged: Order }
enum Language { DE EN }
scalar DateTime
scalar Money
interface Node { id: ID! }
union Found = Order | Customer
type Order implements Node { id: ID! at: DateTime! total: Money tags: [String!] invoice(format: String!): String customer: Customer! rows: [Row] }
type Row { sku: String! order: Order }
type Customer implements Node { id: ID! name: String company: Company }
type Company { name: String }
type OrderConnection { edges: [OrderEdge!]! pageInfo: PageInfo! }
type OrderEdge { cursor: String! node: Order! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
input OrderFilter { all: [OrderFilter!] language: Language }
input OrderInput @oneOf { sku: String copyOf: ID }
`;

const read = (text: string, from = '') => readDescription(Buffer.from(text), { from });

test('each root field is a POST with a query that is valid for the schema', async () => {
  const api = await read(sdl, 'https://shop.example/api/graphql');
  expect(api.operations.map(({ name, tags }) => [name, ...tags])).toEqual([
    [expect.stringMatching(/^order-[\da-f]{6}$/), 'Queries'],
    ['orders', 'Queries'],
    ['search', 'Queries'],
    ['ping', 'Queries'],
    ['create-order', 'Mutations'],
    [expect.stringMatching(/^order-[\da-f]{6}$/), 'Mutations'],
  ]);
  const schema = buildSchema(sdl);
  for (const { fixedBody } of api.operations) expect(validate(schema, parse(String(fixedBody?.['query'])))).toEqual([]);
  expect(api.operations[0]).toMatchObject({
    method: 'POST',
    // The address of the API is the whole URL.
    path: '',
    title: 'Order',
    summary: 'The order with this id.',
  });
  expect(api.operations[3]).toMatchObject({ deprecated: true });
  expect(api.operations[3]?.body).toBeUndefined();
  expect(api.servers).toEqual([{ url: 'https://shop.example/api/graphql', variables: {} }]);
  expect(api.skipped).toEqual([
    { operation: 'subscription orderChanged', reason: expect.stringMatching(/subscription/) as string },
  ]);
});

test('the selection has the fields of the object and of the objects in it, through the wrappers of lists', async () => {
  const { operations } = await read(sdl);
  const queries = operations.map(({ fixedBody }) => fixedBody?.['query']);
  const order = '{ id at total tags customer { id name } rows { sku } }';
  expect(queries.slice(0, 3)).toEqual([
    `query($id: ID!, $locale: Language) { order(id: $id, locale: $locale) ${order} }`,
    `query($first: Int, $filter: OrderFilter, $after: String) { orders(first: $first, filter: $filter, after: $after) { edges { cursor node ${order} } pageInfo { hasNextPage endCursor } } }`,
    'query($text: String!) { search(text: $text) { __typename } }',
  ]);
});

test('variables and answers have schemas', async () => {
  const api = await read(sdl);
  expect(api.operations[0]?.body).toMatchObject({
    required: true,
    content: [
      {
        mediaType: 'application/json',
        schema: {
          required: ['variables'],
          properties: {
            variables: {
              required: ['id'],
              properties: {
                id: { type: 'string' },
                locale: { anyOf: [{ $ref: '#/$defs/Language' }, { type: 'null' }] },
              },
            },
          },
        },
      },
    ],
  });
  expect(api.operations[1]?.body?.content[0]?.schema).toMatchObject({
    properties: { variables: { properties: { first: { type: ['integer', 'null'], default: 10 } } } },
  });
  expect(api.definitions).toEqual({
    Language: { type: 'string', enum: ['DE', 'EN'] },
    OrderFilter: {
      type: 'object',
      properties: {
        all: { type: ['array', 'null'], items: { $ref: '#/$defs/OrderFilter' } },
        language: { anyOf: [{ $ref: '#/$defs/Language' }, { type: 'null' }] },
      },
    },
    OrderInput: {
      type: 'object',
      minProperties: 1,
      maxProperties: 1,
      properties: { sku: { type: ['string', 'null'] }, copyOf: { type: ['string', 'null'] } },
    },
  });
  const [order] = api.operations;
  expect(order?.answers[0]?.content[0]?.schema).toMatchObject({
    properties: {
      data: {
        properties: {
          order: {
            type: ['object', 'null'],
            properties: {
              at: { type: 'string', format: 'date-time' },
              total: {},
              customer: { type: 'object', properties: { name: { type: ['string', 'null'] } } },
              rows: { type: ['array', 'null'] },
            },
          },
        },
      },
    },
  });
});

test('an answer to the introspection query is read like the schema itself', async () => {
  const data = introspectionFromSchema(buildSchema(sdl));
  const [bySdl, byData] = [await read(sdl), await read(JSON.stringify({ data }))];
  expect({ ...byData, hash: '' }).toEqual({ ...bySdl, hash: '' });
});

test.each([
  ['unknown types', 'type Query { a: Gone }', /not a valid GraphQL schema: .*Gone/],
  ['broken syntax', 'type Query { a: }', /not a valid GraphQL schema/],
  [
    'types nested too deep',
    `type Query { a: ${'['.repeat(100_000)}Int${']'.repeat(100_000)} }`,
    /not a valid GraphQL schema/,
  ],
  ['an introspection result without types', '{"data": {"__schema": {}}}', /not a valid GraphQL schema/],
])('%s are refused', async (_, text, message) => {
  await expect(read(text)).rejects.toMatchObject({
    code: 'UNPROCESSABLE',
    message: expect.stringMatching(message) as string,
  });
});

test('a schema that is circular in all its fields gives bounded selections', async () => {
  const names = Array.from({ length: 100 }, (_, at) => `T${at}`);
  const types = names.map(
    (name) =>
      `type ${name} { id: ID node: ${name} nodes: [${name}] items: [T0] ${names.map((other) => `f${other}: ${other}`).join(' ')} }`,
  );
  const { operations } = await read(
    `type Query { ${names.map((name) => `q${name}: ${name}`).join(' ')} }\n${types.join('\n')}`,
  );
  expect(operations).toHaveLength(100);
  expect(Math.max(...operations.map(({ fixedBody }) => String(fixedBody?.['query']).length))).toBeLessThan(10_000);
});
