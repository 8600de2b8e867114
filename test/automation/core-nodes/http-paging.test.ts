import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Egress } from '#src/infra/egress/egress.ts';
import { run } from './context.ts';
import { egressToReceivers, type Receiver, startReceiver } from './receiver.ts';

let server: Receiver;
let other: Receiver;
let egress: Egress;
const seen: { url: string; authorization: string | undefined; key: string | undefined; body: string }[] = [];
let elsewhere = 0;
let answer: (url: URL, body: string, response: ServerResponse) => unknown = () => ({});

beforeAll(async () => {
  server = await startReceiver((request, raw, response) => {
    const { authorization, 'idempotency-key': key } = request.headers;
    const body = String(raw);
    seen.push({ url: request.url ?? '', authorization, key: key as string | undefined, body });
    response.setHeader('content-type', 'application/json');
    const given = answer(new URL(request.url ?? '/', server.url), body, response);
    response.end(JSON.stringify(given));
  });
  other = await startReceiver((_request, _body, response) => {
    elsewhere += 1;
    response.end('[]');
  });
  egress = egressToReceivers(server, other);
});
afterEach(() => {
  seen.length = 0;
  elsewhere = 0;
});
afterAll(async () => {
  await egress.close();
  await Promise.all([server.close(), other.close()]);
});

const credentials = { open: async () => ({ type: 'core:bearer', field: async () => 'token-canary' }) };
const read = async (paging: object, more: object = {}) =>
  (
    await run(
      'core:http-request',
      { url: `${server.url}/orders`, credential: 1, paging, ...more },
      { ports: { http: egress, credentials } },
    )
  ).outputs;

const all = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }));
const from = (start: number, size = 3) => all.slice(start, start + size);
const whole = { status: 200, body: all, complete: true };

test('one page a turn is read from the position that the turn before returned', async () => {
  answer = (url) => ({ rows: from(Number(url.searchParams.get('offset'))), total: all.length });
  const paging = { by: 'offset', items: 'rows', total: 'total' };
  const turns: unknown[] = [];
  for (let position: unknown = 'first'; position !== null;) {
    const outputs = await read({ ...paging, position });
    turns.push(outputs['body']);
    position = outputs['next'];
  }
  expect(turns).toEqual([from(0), from(3), from(6)]);
  expect(seen.map(({ url }) => url)).toEqual(['/orders?offset=0', '/orders?offset=3', '/orders?offset=6']);
});

test('a position that no turn returned is refused', async () => {
  await expect(read({ by: 'offset', position: 'last' })).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining('must be "first", or the output `next` of the page before'),
  });
  expect(seen).toEqual([]);
});

describe('the pages of a list follow', () => {
  test('a link in the response, whose member name may contain a dot', async () => {
    answer = (url) => {
      const start = Number(url.searchParams.get('$skip') ?? 0);
      const next = start + 3 < all.length ? { '@odata.nextLink': `${server.url}/orders?$skip=${start + 3}` } : {};
      return { value: from(start), ...next };
    };
    expect(await read({ by: 'next_link', items: 'value', link: '@odata.nextLink' })).toMatchObject({
      ...whole,
      pages: 3,
    });
    expect(seen.map(({ authorization }) => authorization)).toEqual(Array(3).fill('Bearer token-canary'));
  });

  test('the Link header, relative to the page', async () => {
    answer = (url, _body, response) => {
      const page = Number(url.searchParams.get('page') ?? 1);
      response.setHeader(
        'link',
        `</orders?page=1>; rel="first", <?page=${page + 1}>; title="a, b"; rel="${page < 3 ? 'next' : 'last'}"`,
      );
      return from((page - 1) * 3);
    };
    expect(await read({ by: 'next_link' })).toMatchObject(whole);
    expect(seen.map(({ url }) => url)).toEqual(['/orders', '/orders?page=2', '/orders?page=3']);
  });

  test('a cursor in the query', async () => {
    answer = (url) => {
      const start = Number(url.searchParams.get('after') ?? 0);
      return { data: { items: from(start) }, meta: { next: start + 3 < all.length ? String(start + 3) : null } };
    };
    const paging = { by: 'cursor', items: 'data.items', cursor: 'meta.next', param: 'after' };
    expect(await read(paging, { query: { limit: 3 } })).toMatchObject(whole);
    expect(seen.map(({ url }) => url)).toEqual([
      '/orders?limit=3',
      '/orders?limit=3&after=3',
      '/orders?limit=3&after=6',
    ]);
  });

  test('a cursor in the body, as in GraphQL', async () => {
    answer = (_url, body) => {
      const { variables } = JSON.parse(body) as { variables: { after?: number; first: number } };
      const start = variables.after ?? 0;
      const pageInfo = { hasNextPage: start + 3 < all.length, endCursor: start + 3 };
      return { data: { orders: { nodes: from(start), pageInfo } } };
    };
    const paging = {
      by: 'cursor',
      items: 'data.orders.nodes',
      cursor: 'data.orders.pageInfo.endCursor',
      has_more: 'data.orders.pageInfo.hasNextPage',
      param: 'variables.after',
      in: 'body',
    };
    expect(await read(paging, { method: 'POST', body: { variables: { first: 3 } } })).toMatchObject(whole);
    expect(seen.at(-1)?.body).toBe('{"variables":{"first":3,"after":6}}');
    // Each page needs a key of its own: a server repeats its response to a repeated key.
    expect(new Set(seen.map(({ key }) => key)).size).toBe(3);
  });

  test('an offset, whatever the server’s page size', async () => {
    answer = (url) => from(Number(url.searchParams.get('offset')));
    expect(await read({ by: 'offset' }, { query: { limit: 500 } })).toMatchObject({ ...whole, pages: 4 });
    expect(seen.map(({ url }) => url.split('offset=')[1])).toEqual(['0', '3', '6', '7']);
    answer = (url) => ({ total: 7, rows: from(Number(url.searchParams.get('skip'))) });
    expect(await read({ by: 'offset', param: 'skip', items: 'rows', total: 'total' })).toMatchObject({
      ...whole,
      pages: 3,
    });
  });

  test('a page number, in the query or in the body', async () => {
    answer = (url) => ({ pages: 3, rows: from((Number(url.searchParams.get('page')) - 1) * 3) });
    expect(await read({ by: 'page', items: 'rows', pages: 'pages' })).toMatchObject({ ...whole, pages: 3 });
    answer = (_url, body) => ({ data: from(((JSON.parse(body) as { page: number }).page - 1) * 3), total: '7' });
    const search = { by: 'page', items: 'data', total: 'total', in: 'body' };
    expect(await read(search, { method: 'POST', body: { limit: 3 } })).toMatchObject(whole);
    answer = (url) => from(Number(url.searchParams.get('p')) * 3);
    expect(await read({ by: 'page', param: 'p', start: 0 })).toMatchObject({ ...whole, pages: 4 });
  });

  test('an empty list is a list', async () => {
    answer = () => ({ rows: [] });
    expect(await read({ by: 'page', items: 'rows' })).toMatchObject({ body: [], pages: 1, complete: true });
    answer = () => ({ rows: null });
    expect(await read({ by: 'page', items: 'rows' })).toMatchObject({ body: [], pages: 1, complete: true });
  });
});

describe('a link to the next page', () => {
  test.each([
    ['another host', () => `${other.url}/orders`],
    ['a private address', () => 'http://169.254.169.254/latest'],
    ['another scheme', () => 'ftp://127.0.0.1/x'],
    ['a place with a user', () => `http://me@${new URL(other.url).host}/`],
  ])('to %s is not followed, so that no credential leaves', async (_what, link) => {
    answer = () => ({ rows: from(0), next: link() });
    await expect(read({ by: 'next_link', items: 'rows', link: 'next' })).rejects.toMatchObject({
      code: 'PAGING_ORIGIN',
      retryable: false,
    });
    expect([seen.length, elsewhere]).toEqual([1, 0]);
  });
});

describe('an endless list is limited', () => {
  test.each([
    ['pages', { max_pages: 3 }, { pages: 3, body: expect.objectContaining({ length: 9 }) }],
    ['items', { max_items: 4 }, { pages: 2, body: expect.objectContaining({ length: 4 }) }],
    ['bytes', { max_bytes: 100 }, { complete: false }],
  ])('in %s', async (what, bounds, partly) => {
    let id = 0;
    answer = () => ({ rows: Array.from({ length: 3 }, () => ({ id: (id += 1) })), next: `/orders?at=${id}` });
    const paging = { by: 'next_link', items: 'rows', link: 'next', ...bounds };
    await expect(read(paging)).rejects.toMatchObject({
      code: 'PAGING_LIMIT',
      message: expect.stringMatching(new RegExp(`more than \\d+ ${what}.*paging\\.max_${what}`)),
    });
    expect(seen.length).toBeLessThan(12);
    expect(await read({ ...paging, on_limit: 'stop' })).toMatchObject({ ...partly, complete: false });
  });

  test('and a server that ignores the parameter is detected', async () => {
    answer = () => from(0);
    for (const paging of [{ by: 'page' }, { by: 'offset' }]) {
      await expect(read(paging)).rejects.toMatchObject({ code: 'PAGING_LOOP' });
    }
    answer = () => ({ rows: [], next: 'same' });
    const cursor = { by: 'cursor', items: 'rows', cursor: 'next', param: 'c' };
    await expect(read(cursor)).rejects.toMatchObject({ code: 'PAGING_LOOP' });
    expect(seen).toHaveLength(6);
  });
});

describe('a response that is not a page fails the step', () => {
  test.each([
    [{ error: 'x' }, 'rows', 'there is no "rows". It is an object with "error".'],
    [{ data: { error: 'x' } }, 'data.rows', 'there is no "rows"'],
    [{ rows: { a: 1 } }, 'rows', 'an object with "a" at paging.items "rows"'],
    [{ rows: [] }, undefined, `name the list's place in paging.items`],
    ['text', 'rows', 'there is no "rows". It is string.'],
    [null, 'rows', 'there is no "rows". It is null.'],
    [[1], 'rows', 'there is no "rows". It is a list.'],
  ])('%j at %s', async (body, items, message) => {
    answer = () => body;
    await expect(read({ by: 'page', items })).rejects.toMatchObject({
      code: 'PAGING_ITEMS',
      message: expect.stringContaining(message),
    });
  });

  test('and so does an error on a later page', async () => {
    answer = (url, _body, response) => {
      if (url.searchParams.get('page') === '2') response.statusCode = 503;
      return from(0);
    };
    await expect(read({ by: 'page' })).rejects.toMatchObject({ code: 'HTTP_STATUS', retryable: true });
  });

  test.each([
    [{ by: 'number' }, {}],
    [{ by: 'page', max_pages: 1_001 }, {}],
    [{ by: 'page', item: 'x' }, {}],
    [{ by: 'cursor', cursor: 'a' }, {}],
    [{ by: 'page' }, { method: 'DELETE' }],
    [{ by: 'page' }, { fail_on_status: false }],
    [
      { by: 'page', in: 'body' },
      { method: 'POST', body: 'text' },
    ],
  ])('and a config that cannot be followed: %j %j', async (paging, more) => {
    await expect(read(paging, more)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  });
});
