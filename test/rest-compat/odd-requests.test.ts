import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished } from 'vitest';
import { answerMalformedRequest } from '#rest/http/malformed-request.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { makeWorkflow } from '#test/setup/runs.ts';
import { call } from './rest.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const invalid = 'The given data was invalid.';

describe('a path', () => {
  test.each([
    '/workflows/%ff',
    '/state/ns/entries/%ED%A0%80',
    '/nodes/%zz/versions',
    '/%',
    `/workflows/${'9'.repeat(7_000)}`,
  ])('that no router can read leads nowhere: %#', async (path) => {
    const answer = await call(api, 'GET', path);
    expect(answer).toMatchObject({ status: 404, text: '{"message":"Not found."}' });
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  });

  test.each(['{', 'x'.repeat(2 ** 21)])('that leads nowhere does so whatever the body: %#', async (body) => {
    for (const path of ['/nowhere', '/v1/admin/nowhere']) {
      const answer = await call(api, 'POST', path, { body, as: { bearer: null } });
      expect(answer).toMatchObject({ status: 404, text: '{"message":"Not found."}' });
    }
    const elsewhere = await call(api, 'POST', '/v1/nowhere', { body, as: { bearer: null } });
    expect(elsewhere).toMatchObject({ status: 404, body: { message: 'Not found.', code: 'NOT_FOUND' } });
  });

  test.each(['%00', '%EF%BF%BF', 'x'.repeat(500)])('of a node that cannot be leads nowhere: %s', async (odd) => {
    for (const path of [`/nodes/${odd}/versions`, `/nodes/${odd}/1.0.0`, `/nodes/core:set/${odd}`]) {
      expect(await call(api, 'GET', path)).toMatchObject({ status: 404, text: '{"message":"Not found."}' });
      expect(await call(api, 'POST', `${path}/execute:test`, { body: {} })).toMatchObject({ status: 404 });
    }
    const as = { roles: ['operator'] };
    expect(await call(api, 'DELETE', `/nodes/core:set/${odd}`, { as })).toMatchObject({ status: 404 });
  });
});

describe('a malformed request', () => {
  const unreadable = [
    [
      'a URL that is too long',
      `GET /v1/orders?search=${'x'.repeat(40_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
      431,
      /32 KiB/,
    ],
    ['another protocol', 'HELO shop.example.com\r\n\r\n', 400, /not a valid HTTP request/],
  ] as const;

  test.each(unreadable)('is refused in the format of other refusals: %s', async (_what, text, status, message) => {
    if (!api.app.server.listening) await api.app.listen({ host: '127.0.0.1', port: 0 });
    const answered = await exchange((api.app.server.address() as AddressInfo).port, text);
    expect(answered).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answered).toMatch(/\r\nx-request-id: [\w-]{36}\r\n/);
    const body = JSON.parse(answered.slice(answered.indexOf('\r\n\r\n'))) as object;
    expect(body).toEqual({ message: expect.stringMatching(message), code: 'BAD_REQUEST' });
  });

  test('is not refused within a response that is being sent', async () => {
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-length': 10 }).write('half '),
    );
    server.on('clientError', (error, socket) => answerMalformedRequest(api.deps.log, error, socket as Socket));
    server.listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answered = await exchange(port, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n', 'HELO\r\n\r\n');
    expect(answered).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\nhalf $/);
  });
});

/** All that the server answers until it closes the connection. `then` is sent once it has begun. */
async function exchange(port: number, text: string, then?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8');
  // The rest of what it sends may be refused once it has been answered.
  socket.on('error', () => undefined).write(text);
  let answered = '';
  socket.on('data', (part: string) => {
    answered += part;
  });
  if (then !== undefined) {
    await once(socket, 'data');
    socket.write(then);
  }
  await once(socket, 'close');
  return answered;
}

describe('a query', () => {
  test.each([
    ['/runs?per_page=101', 'per_page', 'Use a whole number from 1 to 100.'],
    ['/runs?per_page=1.5', 'per_page', 'Use a whole number from 1 to 100.'],
    ['/workflows?page=0', 'page', 'Use a whole number from 1.'],
    ['/workflows?page=1e2', 'page', 'Use a whole number from 1.'],
    ['/workflows?page=0x10', 'page', 'Use a whole number from 1.'],
    ['/workflows?page=%201', 'page', 'Use a whole number from 1.'],
    ['/workflows?page[]=1', 'page', 'Use a whole number from 1.'],
    ['/workflows?page=99999999999999999999', 'page', 'Use a whole number from 1.'],
    ['/runs?per_page=99999999999999999999', 'per_page', 'Use a whole number from 1 to 100.'],
    ['/runs?workflow_id=', 'workflow_id', 'Use a whole number from 0.'],
    ['/runs?workflow_id=99999999999999999999', 'workflow_id', 'Use a whole number from 0.'],
    ['/audit-logs?limit=x', 'limit', 'Use a whole number from 1 to 100.'],
  ])('%s is told what it may say', async (path, field, message) => {
    expect(await call(api, 'GET', path)).toMatchObject({
      status: 422,
      body: { message: invalid, errors: { [field]: [message] } },
    });
  });

  test('searches workflows for the text itself', async () => {
    await makeWorkflow(api.deps, 'acme-shop', 'Half 50%');
    await makeWorkflow(api.deps, 'acme-shop', 'under_score');
    await makeWorkflow(api.deps, 'acme-shop', 'back\\slash');
    for (const [search, name] of [
      ['%', 'Half 50%'],
      ['_', 'under_score'],
      ['\\', 'back\\slash'],
    ] as const) {
      const { body } = await call(api, 'GET', `/workflows?search=${encodeURIComponent(search)}`);
      expect((body as unknown as { data: { name: string }[] }).data.map((row) => row.name)).toEqual([name]);
    }
  });
});

describe('a body', () => {
  test.each(['', 'json', ';', 'application/', 'application/json, text/plain'])(
    'is read whatever its type is called: %j',
    async (type) => {
      const headers = { 'content-type': type };
      const named = { name: `Of type "${type}"` };
      expect(await call(api, 'POST', '/workflows', { body: named, headers })).toMatchObject({
        status: 201,
        body: named,
      });
      expect(await call(api, 'DELETE', '/workflows/999999', { headers })).toMatchObject({ status: 404 });
    },
  );

  const latin1 = (text: string) => Buffer.from(text, 'latin1');

  test.each([
    ['application/json', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
    ['application/json; charset=iso-8859-1', latin1('{"name":"Café"}')],
    ['application/json; Charset="ISO-8859-1"', Buffer.from('{"name":"Cafe"}')],
    ['application/json; charset=utf-16le', Buffer.from('{"name":"Café"}', 'utf16le')],
  ])('of %s that is not UTF-8 is refused, and stores nothing', async (type, body) => {
    const headers = { 'content-type': type };
    expect(await call(api, 'POST', '/workflows', { body, headers })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('UTF-8') },
    });
    const { body: list } = await call(api, 'GET', '/workflows?search=Caf');
    expect(list).toMatchObject({ data: [] });
  });

  test.each([true, '1', [1], 1.5])('whose workflow_id is %j is refused', async (id) => {
    const body = { config: { values: {} }, workflow_id: id };
    expect(await call(api, 'POST', '/nodes/core:set/latest/execute:test', { body })).toMatchObject({
      status: 422,
      body: { errors: { workflow_id: [expect.any(String)] } },
    });
  });

  test.each([{ name: null }, { config: null }])(
    'that clears a required member of a credential is refused: %j',
    async (body) => {
      const made = await call(api, 'POST', '/credentials', {
        body: {
          credential_type_slug: 'core:bearer',
          name: `Odd ${JSON.stringify(body)}`,
          config: { token: 'a-token' },
        },
      });
      const { id } = made.body as unknown as { id: number };
      expect(await call(api, 'PATCH', `/credentials/${id}`, { body })).toMatchObject({ status: 422 });
    },
  );
});

test('a refusal for a missing token names the scheme', async () => {
  const answer = await call(api, 'GET', '/workflows', { as: { bearer: null } });
  expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
});

test('an invalid token is refused without the reason, which is logged under the request’s id', async () => {
  const bearer = await api.token({ roles: 'admin' as unknown as string[] });
  const challenge = 'Bearer error="invalid_token"';
  const answer = await call(api, 'GET', '/workflows', { as: { bearer } });
  expect(answer).toMatchObject({
    status: 401,
    body: { message: 'Unauthenticated.', hint: expect.stringContaining('The token is not accepted here.') },
    headers: { 'www-authenticate': challenge },
  });
  const asked = await api.app.inject({
    method: 'POST',
    url: '/graphql',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    payload: { query: '{ me { claims { sub } } }' },
  });
  expect([asked.statusCode, asked.headers['www-authenticate']]).toEqual([401, challenge]);
  for (const id of [answer.headers['x-request-id'], asked.headers['x-request-id']]) {
    const [line = '', ...more] = api.logLines.filter((each) => each.includes(String(id)));
    expect(more).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      msg: 'A token was refused.',
      reason: 'The claim roles must be a list.',
    });
    expect(line).not.toContain(bearer);
  }
});

test('a form in place of JSON is recognised in the error', async () => {
  const answer = await call(api, 'POST', '/workflows', {
    body: 'name=Orders',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(answer).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('It was sent as a form: send JSON, with the header Content-Type') },
  });
});
