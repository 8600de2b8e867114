import { expect, test } from 'vitest';
import { readDescription } from '#src/automation/connectors/descriptions/read-description.ts';
import { makePackage } from '#src/automation/connectors/packages/make-package.ts';
import { checkFieldValues } from '#src/automation/node-api/field-values.rules.ts';
import { type ReadWrite, readBatch, writeBatchAnswer } from './batch-service.ts';
import { type Given, startCalls } from './sent-calls.ts';

const calls = await startCalls();

const metadata = (version: string): string => `<?xml version="1.0"?>
<edmx:Edmx Version="${version}" xmlns:edmx="x"><edmx:DataServices><Schema Namespace="Shop">
  <EntityType Name="Order"><Key><PropertyRef Name="Id"/></Key><Property Name="Id" Type="Edm.String" Nullable="false"/></EntityType>
  <EntityContainer Name="C"><EntitySet Name="Orders" EntityType="Shop.Order"/></EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>`;

const makeNodes = async (version: string) =>
  makePackage(await readDescription(Buffer.from(metadata(version))), { all: true }, 'shop').nodes;
const versions = { '2.0': await makeNodes('1.0'), '4.0': await makeNodes('4.0') };

async function send(body: unknown, { version = '4.0', edges = [] as string[] } = {}) {
  const node = versions[version as '2.0' | '4.0'].find(({ slug }) => slug === 'shop:change-set');
  if (!node?.call) throw new Error('There is no node for change sets.');
  return calls.send({ ...node.call, base_url: `${calls.url}/odata` }, { body }, { edges });
}

/** A service that keeps its orders, and does all writes of a change set or none. */
function serveOrders(orders: Map<string, unknown>) {
  const seen: ReadWrite[] = [];
  calls.answerWith(({ method, url, headers, body }): Given => {
    if (method === 'GET') return { status: 200, headers: { 'x-csrf-token': 'tok-1', 'set-cookie': 'SESSION=1' } };
    if (headers['x-csrf-token'] !== 'tok-1') return { status: 403, headers: { 'x-csrf-token': 'Required' } };
    expect(url).toBe('/odata/$batch');
    const writes = readBatch(String(body), String(headers['content-type']));
    seen.push(...writes);
    const changed = new Map(orders);
    const answers = [];
    for (const { id, method: verb, path, body: order } of writes) {
      const key =
        /^Orders\('(.+)'\)$/.exec(decodeURIComponent(path))?.[1] ?? (order as { Id?: string } | null)?.Id ?? '';
      if (verb === 'POST' && changed.has(key)) {
        const error = { error: { code: 'X', message: { lang: 'en', value: `Order ${key} is there already.` } } };
        return writeBatchAnswer({ status: 409, body: error });
      }
      if (verb === 'DELETE') changed.delete(key);
      else changed.set(key, order);
      answers.push({ id, status: verb === 'POST' ? 201 : 204, ...(verb === 'POST' && { body: { d: order } }) });
    }
    orders.clear();
    for (const [key, order] of changed) orders.set(key, order);
    return writeBatchAnswer(answers.toReversed());
  });
  return seen;
}

test('the form has a list of writes, with the methods of the version', () => {
  for (const [version, method] of [
    ['2.0', 'MERGE'],
    ['4.0', 'PATCH'],
  ] as const) {
    const node = versions[version].find(({ slug }) => slug === 'shop:change-set');
    const fields = node?.config ?? [];
    const write = (verb: string) =>
      checkFieldValues(fields, { credential: 1, body: [{ method: verb, path: 'Orders' }] });
    expect(write(method)).toEqual([]);
    expect(write('GET')).toHaveLength(1);
    expect(node?.call).toMatchObject({ method: 'POST', path: '/$batch', body: { as: 'change_set' } });
  }
});

test.each(['2.0', '4.0'])(
  'all writes of a change set of version %s are done, and answered in their order',
  async (version) => {
    const orders = new Map<string, unknown>([['B', {}]]);
    const seen = serveOrders(orders);
    const { outputs, branch } = await send(
      [
        { method: 'POST', path: '/Orders', body: { Id: 'Ä', Text: 'a\r\n--b' } },
        { method: 'PUT', path: "Orders('Ä')", headers: { 'If-Match': '*' }, body: { Id: 'Ä', Total: 2 } },
        { method: 'DELETE', path: "Orders('B')" },
      ],
      { version },
    );
    expect(branch).toBe('success');
    expect(outputs['body']).toMatchObject([
      { status: 201, body: { d: { Id: 'Ä', Text: 'a\r\n--b' } } },
      { status: 204, body: null },
      { status: 204, body: null },
    ]);
    expect([...orders]).toEqual([['Ä', { Id: 'Ä', Total: 2 }]]);
    expect(seen.map(({ id, method, path }) => `${id} ${method} ${path}`)).toEqual([
      '1 POST Orders',
      "2 PUT Orders('%C3%84')",
      "3 DELETE Orders('B')",
    ]);
    expect(seen[1]?.headers).toMatchObject({ 'if-match': '*', 'content-type': 'application/json' });
    // The first request lacks SAP's token, the second one fetches it.
    expect(calls.seen.map(({ method }) => method)).toEqual(['POST', 'GET', 'POST']);
    expect(calls.last().headers).toMatchObject({ accept: 'multipart/mixed', cookie: 'SESSION=1' });
  },
);

const double = [
  { method: 'POST', path: 'Orders', body: { Id: 'A' } },
  { method: 'POST', path: 'Orders', body: { Id: 'B' } },
];

test('a write that fails undoes the others, and fails the step with the reason of the service', async () => {
  const orders = new Map<string, unknown>([['B', {}]]);
  serveOrders(orders);
  await expect(send(double)).rejects.toMatchObject({
    code: 'CHANGE_SET_FAILED',
    message: expect.stringContaining('one was answered 409: Order B is there already.'),
    retryable: false,
  });
  expect([...orders.keys()]).toEqual(['B']);
});

test('a change set that failed continues along the branch of errors', async () => {
  serveOrders(new Map([['B', {}]]));
  const { outputs, branch } = await send(double, { edges: ['other'] });
  expect(branch).toBe('other');
  expect(outputs['body']).toMatchObject([{ status: 409, body: { error: { code: 'X' } } }]);
});

test.each([
  [{ type: 'multipart/mixed; boundary=b', body: '' }, 'UNREADABLE'],
  [{ type: 'multipart/mixed; boundary=b', body: `--b\n${'\n'.repeat(200_000)}x` }, 'UNREADABLE'],
  [{ type: 'multipart/mixed', body: '--b\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n--b--' }, 'UNREADABLE'],
  [{ body: { d: [] } }, 'UNREADABLE'],
  [{ status: 400, body: { error: { message: 'No.' } } }, 'HTTP_STATUS'],
  [{ status: 302, headers: { location: 'https://sign-in.example/' }, body: '' }, undefined],
])('the answer %j is no success of a change set', async (answer, code) => {
  calls.answerWith(() => answer);
  const sent = send(double);
  if (code === undefined) expect((await sent).outputs['status']).toBe(302);
  else await expect(sent).rejects.toMatchObject({ code });
});

test.each([1, 3])(
  'an answer of %i successes to two writes fails the step, which does not know what was done',
  async (count) => {
    calls.answerWith(() =>
      writeBatchAnswer(Array.from({ length: count }, (_, at) => ({ id: String(at + 1), status: 204 }))),
    );
    await expect(send(double, { edges: ['other'] })).rejects.toMatchObject({
      code: 'UNREADABLE',
      message: expect.stringContaining(`${count} of 2 writes`),
      retryable: false,
    });
  },
);

test('the headers of an answer to a write are read up to 64 KiB', async () => {
  const head = Array.from({ length: 100_000 }, (_, at) => `a${at}:`).join('\n');
  const part = `--b\nContent-Type: application/http\n\nHTTP/1.1 200 OK\n${head}\n`;
  calls.answerWith(() => ({ type: 'multipart/mixed; boundary=b', body: `${part}--b--` }));
  const [answer] = (await send([double[0]])).outputs['body'] as { headers: object }[];
  expect(Object.keys(answer?.headers ?? {}).length).toBeLessThan(15_000);
});

test('an answer with bare line feeds and without Content-IDs is read', async () => {
  const http = 'Content-Type: application/http\n\nHTTP/1.1 204 No Content\nDataServiceVersion: 2.0\n\n\n';
  calls.answerWith(() => ({
    status: 202,
    type: 'multipart/mixed; boundary="b"',
    body: `--b\nContent-Type: multipart/mixed; boundary=c\n\n--c\n${http}\n--c\n${http}\n--c--\n\n--b--\n`,
  }));
  expect((await send(double)).outputs['body']).toMatchObject([{ status: 204 }, { status: 204 }]);
});

const post = { method: 'POST', path: 'Orders', body: {} };

test.each<[what: string, body: unknown, place: string]>([
  ['no writes', [], 'config.body'],
  ['an object', post, 'config.body'],
  ['a reading', [{ method: 'GET', path: 'Orders' }], 'config.body.0.method'],
  ['more than 500 writes', Array.from({ length: 501 }, () => post), 'config.body'],
  ['more than 8 MiB', [{ ...post, body: 'x'.repeat(9_000_000) }], 'config.body'],
  ['an empty path', [{ ...post, path: '/' }], 'config.body.0.path'],
  ['another host', [post, { ...post, path: 'https://evil.example/' }], 'config.body.1.path'],
  ['another host without a scheme', [{ ...post, path: '//evil.example/' }], 'config.body.0.path'],
  ['another service', [{ ...post, path: '../other/Orders' }], 'config.body.0.path'],
  ['another service in disguise', [{ ...post, path: 'Orders/%2E%2e/other' }], 'config.body.0.path'],
  ['another service behind encoded slashes', [{ ...post, path: 'Orders%2f..%5C..%2Fother' }], 'config.body.0.path'],
  ['a header of the envelope', [{ ...post, headers: { 'Content-ID': '7' } }], 'config.body.0.headers'],
  ['a header with a line break', [{ ...post, headers: { 'If-Match': '*\r\nX: 1' } }], 'config.body.0.headers'],
])('%s is refused before a request is sent', async (_what, body, place) => {
  await expect(send(body)).rejects.toMatchObject({
    code: 'INVALID_CONFIG',
    message: expect.stringContaining(`${place}: `),
  });
  expect(calls.seen).toEqual([]);
});

test('a path cannot end the line of its request', async () => {
  const seen = serveOrders(new Map());
  await send([{ ...post, path: 'Orders HTTP/1.1\r\nX: 1' }]);
  expect(seen[0]?.path).toBe('Orders%20HTTP/1.1%0D%0AX:%201');
});
