import { expect, test } from 'vitest';
import type { ApiParameter } from '#src/automation/connectors/descriptions/api-description.ts';
import { findPaging } from '#src/automation/connectors/packages/find-paging.rules.ts';
import type { CallPaging } from '#src/automation/node-api/api-call.ts';
import type { JsonSchema } from '#src/automation/node-api/manifest.ts';

const parameter = (name: string, schema: JsonSchema = { type: 'string' }): ApiParameter => ({
  name,
  in: 'query',
  required: false,
  description: '',
  schema,
  style: 'form',
  explode: true,
  allowReserved: false,
  deprecated: false,
});

const integer = { type: 'integer' };
const text = { type: 'string' };
const list = { type: 'array', items: { type: 'object' } };
const object = (properties: Record<string, JsonSchema>): JsonSchema => ({ type: 'object', properties });

const find = (
  names: (string | ApiParameter)[],
  schema: JsonSchema,
  more: { method?: string; path?: string; headers?: string[]; body?: JsonSchema; query?: string } = {},
) =>
  findPaging(
    {
      method: more.method ?? 'GET',
      path: more.path ?? '/orders',
      ...(more.body && {
        body: {
          required: true,
          description: '',
          content: [{ mediaType: 'application/json', schema: more.body, encoding: {} }],
        },
      }),
      ...(more.query !== undefined && { fixedBody: { query: more.query } }),
      parameters: names.map((name) => (typeof name === 'string' ? parameter(name) : name)),
      answers: [
        {
          status: '200',
          description: '',
          content: [{ mediaType: 'application/json', schema, encoding: {} }],
          headers: more.headers ?? [],
        },
      ],
    },
    {},
  );

const styles: [what: string, names: (string | ApiParameter)[], schema: JsonSchema, paging: CallPaging | undefined][] = [
  ['pages of a bare list', ['page', 'pageSize'], list, { by: 'page', param: 'page' }],
  [
    'pages with their number',
    ['page'],
    object({ data: list, meta: object({ last_page: integer, total: integer }) }),
    { by: 'page', items: ['data'], param: 'page', total: ['meta', 'total'], pages: ['meta', 'last_page'] },
  ],
  [
    'pages that are counted from 0',
    [parameter('pageNumber', { type: 'integer', default: 0 })],
    object({ content: list, totalPages: integer }),
    { by: 'page', items: ['content'], param: 'pageNumber', start: 0, pages: ['totalPages'] },
  ],
  [
    'an index of pages',
    ['pageIndex'],
    object({ items: list }),
    { by: 'page', items: ['items'], param: 'pageIndex', start: 0 },
  ],
  [
    'a page in brackets',
    ['page[number]', 'page[size]'],
    object({ data: list, included: list }),
    { by: 'page', items: ['data'], param: 'page[number]' },
  ],
  [
    'an offset',
    ['limit', 'offset'],
    object({ orders: list, total_count: integer, has_more: { type: 'boolean' } }),
    { by: 'offset', items: ['orders'], param: 'offset', total: ['total_count'], has_more: ['has_more'] },
  ],
  [
    'OData without links',
    ['$top', '$skip'],
    object({ value: list }),
    { by: 'offset', items: ['value'], param: '$skip' },
  ],
  [
    'OData',
    ['$top', '$skip'],
    object({ value: list, '@odata.nextLink': text }),
    { by: 'next_link', items: ['value'], link: ['@odata.nextLink'] },
  ],
  [
    'a cursor',
    ['cursor'],
    object({ results: list, paging: object({ next_cursor: text }) }),
    { by: 'cursor', items: ['results'], cursor: ['paging', 'next_cursor'], param: 'cursor' },
  ],
  [
    'a cursor that is called next',
    ['after'],
    object({ results: list, next: text }),
    { by: 'cursor', items: ['results'], cursor: ['next'], param: 'after' },
  ],
  [
    'a link that is called next',
    ['page'],
    object({ results: list, next: { type: ['string', 'null'], format: 'uri' } }),
    { by: 'next_link', items: ['results'], link: ['next'] },
  ],
  [
    'OData 2',
    ['$top', '$skip'],
    object({ d: object({ results: list, __next: text }) }),
    { by: 'next_link', items: ['d', 'results'], link: ['d', '__next'] },
  ],
  [
    'links of HAL',
    ['page'],
    object({ _embedded: object({ orders: list }), _links: object({ next: object({ href: text }) }) }),
    { by: 'next_link', items: ['_embedded', 'orders'], link: ['_links', 'next', 'href'] },
  ],
  [
    'two shapes of one list',
    ['page', 'cursor'],
    {
      anyOf: [
        object({ data: list, links: object({ next: text }) }),
        object({ data: list, meta: object({ total: integer }) }),
      ],
    },
    { by: 'next_link', items: ['data'], link: ['links', 'next'] },
  ],
  [
    'the last item',
    ['starting_after'],
    object({ data: list, has_more: { type: 'boolean' } }),
    { by: 'search_after', items: ['data'], key: ['id'], param: 'starting_after', has_more: ['has_more'] },
  ],
  ['one object', ['page'], object({ id: text, included: list, errors: list }), undefined],
  ['a list that is not paged', ['color'], object({ data: list }), undefined],
];

test.each(styles)('%s: the paging is found', (_what, names, schema, paging) => {
  expect(find(names, schema)).toEqual(paging);
});

test('a list whose answer names the header Link follows it', () => {
  expect(find([], list, { headers: ['link'] })).toEqual({ by: 'next_link' });
});

test('a search is paged like a reading, and nothing else that is sent is', () => {
  const schema = object({ items: list });
  expect(find(['page'], schema, { method: 'POST', path: '/orders/search' })).toMatchObject({ by: 'page' });
  expect(find(['page'], schema, { method: 'POST', path: '/orders' })).toBeUndefined();
  expect(find(['page'], schema, { method: 'DELETE', path: '/orders/search' })).toBeUndefined();
});

test('a search asks for pages in its body, and trusts no total that must be asked for', () => {
  const post = { method: 'POST', path: '/search/order' };
  const answer = object({ data: list, total: integer });
  const page = { by: 'page', items: ['data'], param: 'page', in: 'body' };
  expect(find([], answer, { ...post, body: object({ page: integer, limit: integer }) })).toEqual({
    ...page,
    total: ['total'],
  });
  const linked = object({ data: list, links: object({ next: text }) });
  expect(find([], linked, { ...post, body: object({ page: integer }) })).toEqual(page);
  const counted = object({ page: integer, 'total-count-mode': text });
  expect(find([], answer, { ...post, body: counted })).toEqual(page);
});

test('a query of GraphQL is paged by the cursor of its connection, and a mutation is not', () => {
  const connection = object({ nodes: list, pageInfo: object({ hasNextPage: { type: 'boolean' }, endCursor: text }) });
  const answer = object({ data: object({ orders: connection }), errors: list });
  const body = object({ variables: object({ first: integer, after: text }) });
  expect(find([], answer, { method: 'POST', path: '', body, query: 'query($after: String) { orders }' })).toEqual({
    by: 'cursor',
    items: ['data', 'orders', 'nodes'],
    cursor: ['data', 'orders', 'pageInfo', 'endCursor'],
    param: 'variables.after',
    in: 'body',
    has_more: ['data', 'orders', 'pageInfo', 'hasNextPage'],
  });
  expect(find([], answer, { method: 'POST', path: '', body, query: 'mutation { orders }' })).toBeUndefined();
});
