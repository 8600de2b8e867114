import { buildSchema, graphqlSync } from 'graphql';
import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import { startCalls } from './sent-calls.ts';

const sdl = `
type Query {
  order(id: ID!): Order
  orders(first: Int, after: String): OrderConnection!
  ping: Boolean
}
type Mutation { cancelOrder(id: ID!): Order deleteShop: Boolean }
interface Party { name: String }
type Company implements Party { name: String vat: String }
type Order { id: ID! total: Int customer: Party lines: [Line!]! }
type Line { sku: String! product: Product }
type Product { name: String maker: Company }
type OrderConnection { nodes: [Order!]! pageInfo: PageInfo! }
type PageInfo { hasNextPage: Boolean! endCursor: String }
`;

const calls = await startCalls();
const schema = buildSchema(sdl);
const company = { __typename: 'Company', name: 'ACME', vat: 'DE1' };
const orders = [1, 2, 3].map((id) => ({
  id: String(id),
  total: id * 10,
  customer: company,
  lines: [{ sku: 'A', product: { name: 'Ball', maker: company } }],
}));
const { nodes } = makePackage(await readDescription(Buffer.from(sdl)), { all: true }, 'shop');

/** Calls the node of a root field on a GraphQL server of the schema. */
async function read(name: string, config: object) {
  const node = nodes.find(({ slug }) => slug === `shop:${name}`);
  if (!node?.call) throw new Error(`There is no node ${name}.`);
  calls.answerWith(({ body }) => {
    const { query = '', variables } = JSON.parse(String(body)) as {
      query?: string;
      variables?: Record<string, unknown>;
    };
    const rootValue = {
      order: ({ id }: { id: string }) => orders.find((order) => order.id === id),
      orders: ({ after }: { after?: string }) => {
        const at = Number(after ?? 0);
        return { nodes: orders.slice(at, at + 1), pageInfo: { hasNextPage: at + 1 < 3, endCursor: String(at + 1) } };
      },
    };
    return { body: graphqlSync({ schema, source: query, variableValues: variables, rootValue }) };
  });
  const warnings: string[] = [];
  const values = { ...config, credential: 7 };
  const { outputs } = await calls.send({ ...node.call, base_url: calls.url }, values, {
    warnings,
    schemas: node.output_schemas,
    credential: { sends: [{ as: 'bearer', field: 'token' }], fields: { token: 'token-value' } },
  });
  return { body: outputs['body'], warnings };
}

const one = { body: { variables: { id: '2' } } };

test('the form begins with the selection that is made from the schema', async () => {
  const node = nodes.find(({ slug }) => slug === 'shop:order');
  const field = node?.config?.find(({ key }) => key === 'selection');
  expect(field).toMatchObject({ type: 'text', default: '{ id total customer { name } lines { sku } }' });
  const { body, warnings } = await read('order', { ...one, selection: field?.default });
  expect(body).toEqual({ data: { order: { id: '2', total: 20, customer: { name: 'ACME' }, lines: [{ sku: 'A' }] } } });
  expect(warnings).toEqual([]);
  expect(await read('order', one)).toEqual({ body, warnings });
  expect(nodes.find(({ slug }) => slug === 'shop:ping')?.config?.map(({ key }) => key)).toEqual(['credential']);
});

test.each([
  ['fewer members', '{ total }', { total: 20 }],
  ['deeper members', '{ lines { product { maker { vat } } } }', { lines: [{ product: { maker: { vat: 'DE1' } } }] }],
  ['members under other names', '{ total: id  id: total }', { total: '2', id: 20 }],
  ['members of a type', '{ customer { ... on Company { vat } } }', { customer: { vat: 'DE1' } }],
  ['several lines, a comment and a directive', '{\n  id # the number\n  total @skip(if: true)\n}', { id: '2' }],
])('%s can be selected, and are no warning', async (_what, selection, order) => {
  expect(await read('order', { ...one, selection })).toEqual({ body: { data: { order } }, warnings: [] });
});

test('an answer that differs in a selected member is still a warning', async () => {
  const node = nodes.find(({ slug }) => slug === 'shop:order');
  calls.answerWith(() => ({ body: { data: { order: { id: 7, total: '20' } } } }));
  const warnings: string[] = [];
  await calls.send(
    { ...node?.call, base_url: calls.url },
    { ...one, selection: '{ id }' },
    {
      warnings,
      schemas: node?.output_schemas,
    },
  );
  expect(warnings).toEqual([
    'The answer differs from its description at body.data.order.id: expected string, found number.',
  ]);
});

test.each([
  ['nothing but braces', '{ }'],
  ['text without braces', 'id total'],
  ['a list', ['id']],
  ['an open brace', '{ id '],
  ['two selection sets', '{ id } { total }'],
  ['another field of the root', '{ id } ping'],
  ['another operation', '{ id } } mutation { deleteShop'],
  ['another operation and its rest', '{ id } } mutation M { cancelOrder(id: 1) { id }'],
  ['arguments of the root field', '(id: "3") { id }'],
  ['an alias of the root field', ': ping { id }'],
  ['a directive of the root field', '@skip(if: true) { id }'],
  ['a named fragment', '{ lines { ...Line } }'],
  ['a comment after its end', '{ id } # rest'],
  ['braces nested too deep', `${'{ a '.repeat(4_000)}${'}'.repeat(4_000)}`],
  ['too much text', `{ ${'id '.repeat(8_000)}}`],
])('%s is refused before a request is sent', async (_what, selection) => {
  await expect(read('order', { ...one, selection })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining('config.selection: '),
  });
  expect(calls.seen).toEqual([]);
});

test('all pages are read with a selection that has their cursor', async () => {
  const selection = '{ nodes { id } pageInfo { endCursor hasNextPage } }';
  const { body, warnings } = await read('orders', { all_pages: true, selection });
  expect(body).toEqual([{ id: '1' }, { id: '2' }, { id: '3' }]);
  expect(warnings).toEqual([]);
});

test.each([
  ['{ nodes { id } pageInfo { hasNextPage } }', 'must select pageInfo.endCursor'],
  ['{ nodes { id } pageInfo { at: endCursor } }', 'must select pageInfo.endCursor'],
  ['{ list: nodes { id } pageInfo { endCursor } }', 'must select nodes'],
])('%s is refused for pages, which it lacks', async (selection, message) => {
  await expect(read('orders', { all_pages: true, selection })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining(message),
  });
  expect(calls.seen).toEqual([]);
});
