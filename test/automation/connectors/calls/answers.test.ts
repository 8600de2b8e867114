import { describe, expect, test } from 'vitest';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import { startCalls } from './sent-calls.ts';

const calls = await startCalls();

const answers = [
  { status: '200', branch: 'found' },
  { status: '202', branch: 'accepted' },
  { status: '404', branch: 'missing' },
  { status: '4XX', branch: 'refused' },
  { status: 'default', branch: 'other' },
];
const all = ['found', 'accepted', 'missing', 'refused', 'other', 'default'];

function send(status: number, call: Partial<ApiCall> = {}, edges = all, said: object = {}) {
  calls.answerWith(() => ({ status, ...said }));
  return calls.send({ answers, ...call }, {}, { edges });
}

describe('the branch for an answer', () => {
  test.each([
    [200, 'found'],
    [202, 'accepted'],
    // The description does not name this status, and its `default` describes errors.
    [201, 'found'],
    [304, 'found'],
    [404, 'missing'],
    [409, 'refused'],
  ])('%d goes on along %s', async (status, branch) => {
    expect(await send(status)).toMatchObject({ branch, outputs: { status } });
  });

  test.each([
    [[], 200, 'default'],
    [[{ status: '2XX', branch: 'done' }], 201, 'done'],
    [[{ status: '2xx', branch: 'done' }], 201, 'done'],
    [[{ status: 'default', branch: 'done' }], 204, 'done'],
    [[{ status: '302', branch: 'moved' }], 302, 'moved'],
    [[{ status: '404', branch: 'missing' }], 200, 'default'],
  ])('with the answers %j, %d goes on along %s', async (described, status, branch) => {
    expect(await send(status, { method: 'POST', answers: described })).toMatchObject({ branch });
  });

  test('the answer becomes the output, even if it is an error', async () => {
    const outcome = await send(404, {}, all, { headers: { 'x-a': 'b' }, body: { code: 7 } });
    expect(outcome.outputs).toEqual({
      status: 404,
      headers: expect.objectContaining({ 'x-a': 'b' }),
      body: { code: 7 },
    });
  });
});

describe('an error fails the step', () => {
  test.each([
    ['that no edge handles', 404, answers, ['found']],
    ['that the description leaves out', 404, [{ status: '200', branch: 'found' }], all],
    ['that the workflow would take for a success', 404, [{ status: 'default', branch: 'found' }], ['found']],
    [
      'that shares its branch with a success',
      404,
      [
        { status: '202', branch: 'a' },
        { status: '200', branch: 'b' },
        { status: '4XX', branch: 'a' },
      ],
      ['a'],
    ],
  ])('%s', async (_case, status, described, edges) => {
    await expect(send(status, { answers: described }, edges, { body: { a: 1 } })).rejects.toMatchObject({
      code: 'HTTP_STATUS',
      message: `GET /items at ${new URL(calls.url).host} answered ${status}.`,
      retryable: false,
      details: { status, body: { a: 1 } },
    });
  });

  test.each([408, 425, 429, 500, 502, 503, 504, 599])('%d always, and may be tried again', async (status) => {
    const described = [{ status: String(status), branch: 'refused' }];
    await expect(send(status, { answers: described })).rejects.toMatchObject({ code: 'HTTP_STATUS', retryable: true });
  });

  test.each([
    ['GET', 503, undefined, true],
    ['HEAD', 503, undefined, true],
    ['PUT', 503, undefined, true],
    ['DELETE', 503, undefined, true],
    ['OPTIONS', 503, undefined, true],
    ['POST', 503, undefined, false],
    ['PATCH', 503, undefined, false],
    ['POST', 408, undefined, false],
    ['POST', 503, 'Idempotency-Key', true],
    // The server says that it has not acted.
    ['POST', 429, undefined, true],
    ['POST', 425, undefined, true],
  ])('%s with %d and the idempotency header %s is retryable: %s', async (method, status, header, retryable) => {
    const call = { method, ...(header !== undefined && { idempotency_header: header }) };
    await expect(send(status, call)).rejects.toMatchObject({ code: 'HTTP_STATUS', retryable });
    expect(calls.last().headers['idempotency-key']).toBe(header && 'run-1/step/1');
  });

  test.each([
    ['application/problem+json', { title: 'No stock', detail: 'SKU-1 is sold out.' }, ': No stock: SKU-1 is sold out.'],
    ['application/problem+json; charset=utf-8', { title: 'No stock' }, ': No stock'],
    ['application/problem+json', { title: 7, detail: '' }, '.'],
    ['application/problem+json', ['x'], '.'],
    ['application/json', { title: 'No stock' }, '.'],
    ['application/problem+json', { detail: 'x'.repeat(9_999) }, `: ${'x'.repeat(500)}`],
  ])('with the words of %s %j', async (type, body, words) => {
    await expect(send(422, {}, [], { type, body })).rejects.toMatchObject({
      message: `GET /items at ${new URL(calls.url).host} answered 422${words}`,
    });
  });
});

test('an error names the path of the description, and no value in it', async () => {
  calls.answerWith(() => ({ status: 404 }));
  const parameters = [{ field: 'id', name: 'id', in: 'path', style: 'simple', explode: false } as const];
  await expect(calls.send({ answers, path: '/orders/{id}', parameters }, { id: 'A-1' })).rejects.toMatchObject({
    message: `GET /orders/{id} at ${new URL(calls.url).host} answered 404.`,
  });
});

test('an idempotency key that the config gives is kept', async () => {
  const parameters = [
    { field: 'key', name: 'Idempotency-Key', in: 'header', style: 'simple', explode: false } as const,
  ];
  await calls.send({ method: 'POST', idempotency_header: 'idempotency-key', parameters }, { key: 'mine' });
  expect(calls.last().headers['idempotency-key']).toBe('mine');
});

test.each([
  ['GET', undefined, true],
  ['POST', undefined, false],
  ['POST', 'Idempotency-Key', true],
])('%s with the idempotency header %s that is cut off is retryable: %s', async (method, header, retryable) => {
  calls.answerWith(() => 'cut');
  const sending = calls.send({ method, ...(header !== undefined && { idempotency_header: header }) });
  await expect(sending).rejects.toMatchObject({ code: 'HTTP_DISCONNECTED', retryable });
});

test('a request that was never sent may be tried again', async () => {
  const sending = calls.send({ method: 'POST', base_url: 'https://nowhere.invalid' });
  await expect(sending).rejects.toMatchObject({ code: 'HTTP_DNS', retryable: true });
});

test('redirects of harmless requests are followed, and those of other requests are answers', async () => {
  calls.answerWith((_request, url) =>
    url.pathname === '/items' ? { status: 302, headers: { location: '/there' } } : { body: { at: url.pathname } },
  );
  expect(await calls.send({})).toMatchObject({ outputs: { status: 200, body: { at: '/there' } } });
  expect(await calls.send({ method: 'POST' })).toMatchObject({ outputs: { status: 302 }, branch: 'default' });
});

test('a step that is stopped cancels its request', async () => {
  const stop = new AbortController();
  calls.answerWith(() => {
    stop.abort();
    return { body: 'x'.repeat(1024 * 1024) };
  });
  await expect(calls.send({}, {}, { signal: stop.signal })).rejects.toMatchObject({ code: 'HTTP_ABORTED' });
});
