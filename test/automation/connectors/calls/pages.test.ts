import { expect, test } from 'vitest';
import type { CallPaging } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const all = Array.from({ length: 7 }, (_, index) => ({ id: index + 1, sort: [index + 1, 'x'] }));
const from = (start: number, size = 3) => all.slice(start, start + size);
const field = (name: string) => ({ field: name, name, in: 'query', style: 'form', explode: true }) as const;
const body = { field: 'body', media_type: 'application/json', as: 'json' } as const;

const read = (paging: CallPaging, config: object = {}, call: object = {}) =>
  calls.send({ paging, ...call }, { all_pages: true, ...config });

type Said = { [name: string]: unknown };

/** A form of paging, with a server for it that answers according to the query, or to the body of a POST. */
const forms: [
  CallPaging,
  (query: URLSearchParams, body: Said) => { body: unknown; headers?: Record<string, string> },
][] = [
  [
    { by: 'next_link', items: ['value'], link: ['@odata.nextLink'] },
    (query) => {
      const next = Number(query.get('$skip') ?? 0) + 3;
      return {
        body: { value: from(next - 3), ...(next < 7 && { '@odata.nextLink': `${calls.url}/items?$skip=${next}` }) },
      };
    },
  ],
  [
    { by: 'next_link', items: ['d', 'results'], link: ['d', '__next'] },
    (query) => {
      const next = Number(query.get('$skip') ?? 0) + 3;
      return { body: { d: { results: from(next - 3), ...(next < 7 && { __next: `/items?$skip=${next}` }) } } };
    },
  ],
  [
    { by: 'next_link' },
    (query) => {
      const next = Number(query.get('at') ?? 0) + 3;
      return { body: from(next - 3), ...(next < 7 && { headers: { link: `</items?at=${next}>; rel="next"` } }) };
    },
  ],
  [
    { by: 'cursor', items: ['data'], cursor: ['meta', 'next'], param: 'after' },
    (query) => {
      const next = Number(query.get('after') ?? 0) + 3;
      return { body: { data: from(next - 3), meta: { next: next < 7 ? String(next) : null } } };
    },
  ],
  [
    { by: 'cursor', items: ['data'], cursor: ['next'], param: 'variables.after', in: 'body' },
    (_query, sent) => {
      const next = Number((sent['variables'] as Said | undefined)?.['after'] ?? 0) + 3;
      return { body: { data: from(next - 3), next: next < 7 ? next : null } };
    },
  ],
  [
    { by: 'offset', items: ['data'], param: 'skip', total: ['total'] },
    (query) => ({ body: { data: from(Number(query.get('skip'))), total: 7 } }),
  ],
  [{ by: 'page', param: 'page', start: 1 }, (query) => ({ body: from((Number(query.get('page')) - 1) * 3) })],
  [
    { by: 'page', items: ['data'], param: 'page', in: 'body', total: ['total'] },
    (_query, sent) => ({ body: { data: from((Number(sent['page']) - 1) * 3), total: 7 } }),
  ],
  [
    { by: 'search_after', items: ['data'], key: ['id'], param: 'starting_after', has_more: ['has_more'] },
    (query) => {
      const start = Number(query.get('starting_after') ?? 0);
      return { body: { data: from(start), has_more: start + 3 < 7 } };
    },
  ],
  [
    { by: 'search_after', items: ['hits'], key: ['sort'], param: 'search_after', in: 'body' },
    (_query, sent) => ({ body: { hits: from((sent['search_after'] as number[] | undefined)?.[0] ?? 0) } }),
  ],
];

test.each(forms)('all pages are read by %j', async (paging, answer) => {
  calls.answerWith((request, url) =>
    answer(url.searchParams, request.body.byteLength > 0 ? (JSON.parse(String(request.body)) as Said) : {}),
  );
  const isPost = 'in' in paging && paging.in === 'body';
  const { outputs, branch } = await read(paging, { body: { limit: 3 } }, isPost ? { method: 'POST', body } : {});
  expect(outputs).toMatchObject({ status: 200, body: all, complete: true });
  expect(branch).toBe('default');
  if (isPost) expect(JSON.parse(calls.last().text)).toMatchObject({ limit: 3 });
});

test.each(forms)('one page a turn is read by %j', async (paging, answer) => {
  calls.answerWith((request, url) =>
    answer(url.searchParams, request.body.byteLength > 0 ? (JSON.parse(String(request.body)) as Said) : {}),
  );
  const isPost = 'in' in paging && paging.in === 'body';
  const turns: unknown[] = [];
  for (let position: unknown = 'first'; position !== null;) {
    const call = { paging, ...(isPost && { method: 'POST', body }) };
    const { outputs } = await calls.send(call, { page_position: position, body: { limit: 3 } });
    turns.push(outputs['body']);
    // A run stores the position as JSON between two turns.
    position = JSON.parse(JSON.stringify(outputs['next']));
  }
  expect(turns.filter((turn) => (turn as unknown[]).length > 0)).toEqual([from(0), from(3), from(6)]);
});

const pages = (_request: unknown, url: URL) => ({ body: from((Number(url.searchParams.get('page')) - 1) * 3) });
const byPage: CallPaging = { by: 'page', param: 'page' };
const answers = [
  { status: '200', branch: 'found' },
  { status: '404', branch: 'missing' },
];

test('one request reads one page unless the config asks for all', async () => {
  calls.answerWith(() => ({ body: from(0) }));
  for (const wanted of [undefined, false, 'true']) {
    expect(await calls.send({ paging: byPage }, { all_pages: wanted })).toMatchObject({ outputs: { body: from(0) } });
  }
  expect(calls.seen).toHaveLength(3);
});

test.each([
  [{ max_items: 4 }, 4, false],
  [{ max_pages: 2 }, 6, false],
  [{ max_items: 7 }, 7, true],
])('with %j as many as fit are read', async (limits, count, complete) => {
  calls.answerWith(pages);
  expect(await read(byPage, limits)).toMatchObject({ outputs: { body: all.slice(0, count), complete } });
});

test.each([{ max_items: 0 }, { max_items: 'many' }, { max_pages: 1_001 }])('%j is refused', async (limits) => {
  await expect(read(byPage, limits)).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
  expect(calls.seen).toEqual([]);
});

test('a list that never ends fails the step', async () => {
  calls.answerWith((_request, url) => ({ body: [url.searchParams.get('page')] }));
  await expect(read(byPage)).rejects.toMatchObject({
    code: 'PAGING_LIMIT',
    message: expect.stringContaining('set max_items or max_pages'),
  });
  expect(calls.seen).toHaveLength(100);
});

test('pages that repeat themselves fail the step', async () => {
  calls.answerWith(() => ({ body: from(0) }));
  await expect(read(byPage)).rejects.toMatchObject({ code: 'PAGING_LOOP' });
});

const turn = (paging: CallPaging, position: unknown, config: object = {}) =>
  calls.send({ paging }, { page_position: position, ...config });
const readNext = async (paging: CallPaging, position: unknown) => (await turn(paging, position)).outputs['next'];

test('a page that comes twice in two turns fails the step', async () => {
  calls.answerWith(() => ({ body: from(0) }));
  await expect(turn(byPage, await readNext(byPage, 'first'))).rejects.toMatchObject({ code: 'PAGING_LOOP' });
});

test('cursors that form a loop fail a later turn', async () => {
  const byCursor: CallPaging = { by: 'cursor', items: ['data'], cursor: ['next'], param: 'after' };
  const following: Record<string, string> = { first: 'a', a: 'b', b: 'c', c: 'a' };
  calls.answerWith((_request, url) => {
    const at = url.searchParams.get('after') ?? 'first';
    return { body: { data: [at], next: following[at] } };
  });
  const follow = async () => {
    let position: unknown = 'first';
    for (let count = 0; count < 12; count += 1) position = await readNext(byCursor, position);
  };
  await expect(follow()).rejects.toMatchObject({ code: 'PAGING_LOOP' });
});

test('a list of more than 10,000 pages fails a turn', async () => {
  calls.answerWith(pages);
  const next = (await readNext(byPage, 'first')) as object;
  await expect(turn(byPage, { ...next, pages: 9_999 })).rejects.toMatchObject({ code: 'PAGING_LIMIT' });
});

const later = { pages: 1, items: 3, page: 'x', mark: 'x', steps: 0, power: 1 };

test.each<[paging: CallPaging, position: unknown, config: object, code: string]>([
  [{ by: 'next_link' }, { ...later, url: 'https://evil.example/items' }, {}, 'PAGING_ORIGIN'],
  [{ by: 'next_link' }, { ...later, value: 3 }, {}, 'PAGING_POSITION'],
  [byPage, { ...later, url: '/items?page=2' }, {}, 'PAGING_POSITION'],
  [byPage, 'second', {}, 'INVALID_CONFIG'],
  [byPage, { page: 2 }, {}, 'INVALID_CONFIG'],
  [byPage, 'first', { all_pages: true }, 'INVALID_CONFIG'],
  [byPage, 'first', { max_items: 5 }, 'INVALID_CONFIG'],
])('with %j the position %j is refused', async (paging, position, config, code) => {
  await expect(turn(paging, position, config)).rejects.toMatchObject({ code });
  expect(calls.seen).toEqual([]);
});

test('an error answer to any turn continues along its branch', async () => {
  calls.answerWith(pages);
  const next = await readNext(byPage, 'first');
  calls.answerWith(() => ({ status: 404, body: { code: 7 } }));
  const outcome = await calls.send({ paging: byPage, answers }, { page_position: next }, { edges: ['missing'] });
  expect(outcome).toMatchObject({ branch: 'missing', outputs: { status: 404, body: { code: 7 } } });
});

test('a link to another host is not followed', async () => {
  calls.answerWith(() => ({ body: [1], headers: { link: '<https://evil.example/>; rel="next"' } }));
  await expect(read({ by: 'next_link' })).rejects.toMatchObject({ code: 'PAGING_ORIGIN' });
});

test('reading begins at the place that the config gives', async () => {
  calls.answerWith(pages);
  expect(await read(byPage, { page: 2 }, { parameters: [field('page')] })).toMatchObject({
    outputs: { body: all.slice(3) },
  });
});

test('each page carries the credential, and an idempotency key of its own', async () => {
  calls.answerWith((_request, url) => {
    const at = Number(url.searchParams.get('at') ?? 0);
    return { body: { data: from(at), ...(at < 6 && { next: `/items?at=${at + 3}` }) } };
  });
  await calls.send(
    {
      method: 'POST',
      credential: 'credential',
      idempotency_header: 'Idempotency-Key',
      paging: { by: 'next_link', items: ['data'], link: ['next'] },
    },
    { credential: 7, all_pages: true },
    { credential: { sends: [{ as: 'query', name: 'key', field: 'token' }], fields: { token: 's' } } },
  );
  expect(calls.seen.map(({ url }) => url)).toEqual(['/items?key=s', '/items?at=3&key=s', '/items?at=6&key=s']);
  const keys = calls.seen.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual(['run-1/step/1', 'run-1/step/1-2', 'run-1/step/1-3']);
});

test('an error answer to the first page continues along its branch', async () => {
  calls.answerWith(() => ({ status: 404, body: { code: 7 } }));
  const outcome = await calls.send({ paging: byPage, answers }, { all_pages: true }, { edges: ['missing'] });
  expect(outcome).toMatchObject({ branch: 'missing', outputs: { status: 404, body: { code: 7 } } });
});

test.each([404, 302])('%d in place of a later page fails the step', async (status) => {
  calls.answerWith((_request, url) => (url.searchParams.get('page') === '1' ? { body: from(0) } : { status }));
  const sending = calls.send({ paging: byPage, answers }, { all_pages: true }, { edges: ['missing'] });
  await expect(sending).rejects.toMatchObject({ name: 'NodeError' });
});

test('a field of the API with the name of a platform option belongs to the API', async () => {
  calls.answerWith(pages);
  await calls.send(
    { paging: byPage, parameters: [field('all_pages'), field('base_url')] },
    { all_pages: true, base_url: 'x' },
  );
  expect(calls.seen.map(({ url }) => url)).toEqual(['/items?all_pages=true&base_url=x']);
});
