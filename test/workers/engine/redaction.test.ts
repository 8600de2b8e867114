import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { resumeRun, retryRun } from '#src/automation/runs/runs.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

const token = 'tok_Lq7Wn3Zk9Xv2';
const upper = token.toUpperCase();
const service = JSON.stringify({ type: 'service_account', private_key: 'PRIVATEKEYqx7', email: 'svc@example.com' });

let api: TestApp;
let server: Server;
let url: string;
/** The last content sent to the server, which any GET returns. */
let kept = '';
/** The status of any answer to a GET. */
let failWith: number | undefined;

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part));
    request.on('end', () => {
      if (request.method === 'POST') kept = body;
      const asked = Number(new URL(request.url ?? '', url).searchParams.get('status') ?? 200);
      const status = request.method === 'GET' ? (failWith ?? asked) : asked;
      response.writeHead(status, { 'content-type': 'text/plain' }).end(kept);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `http://${host}/`;
  await registerNodePackage(api.deps, { orgId: 'acme', archive });
  await startEngine({ allow: host });
  for (const [key, value] of Object.entries({ TOK: token, SVC: service, PW: `a"b<c>&'d'/é;42` }))
    expect((await call(api, 'PUT', `/secrets/${key}`, { body: { value } })).status).toBeLessThan(300);
});
afterAll(async () => {
  server.close();
});

const archive = packageArchive({
  name: 'deep-nodes',
  namespace: 'deep',
  nodes: [
    {
      name: 'nest',
      version: '1.0.0',
      manifest: { config: [{ key: 'levels', type: 'number' }] },
      code: `export const execute = ({ config }) => {
        let value = 1;
        for (let level = 0; level < config.levels; level += 1) value = [value];
        return { outputs: { value } };
      };`,
    },
  ],
});

type Blob = Parameters<typeof readyWorkflow>[1];

async function ran(nodes: object[], edges: object[] = [], more: Partial<Blob> = {}) {
  const workflow = await readyWorkflow(api, { nodes, edges, ...more });
  return untilRun(api, await fireRun(api, workflow));
}
const findOutputs = ({ steps }: Awaited<ReturnType<typeof ran>>, path: string) =>
  steps.find((step) => step.path === path)?.outputs;
const forEach = (items: unknown, ...nodes: object[]) => node('each', 'for-each', { items, body: { nodes, edges: [] } });
const execute = (slug: string, config: object) =>
  call(api, 'POST', `/nodes/${slug}/latest/execute:test`, { body: { config } });

describe('a value derived from a secret', () => {
  test('is redacted in an expression on the item of a loop', async () => {
    const values = {
      upper: '{{ $uppercase(item) }}',
      start: '{{ $substring(item, 0, 12) }}',
      kept: '{{ "no " & index }}',
    };
    const ended = await ran([forEach(['{{ secrets.TOK }}', 'harmless'], node('made', 'set', { values }))]);
    expect(ended.steps.map(({ path, outputs }) => [path, outputs])).toEqual([
      ['each', { results: [expect.anything(), expect.anything()] }],
      ['each/0/made', { upper: '[redacted]', start: '[redacted]', kept: 'no 0' }],
      ['each/1/made', { upper: 'HARMLESS', start: 'harmless', kept: 'no 1' }],
    ]);
    expect(JSON.stringify(ended)).not.toContain(upper);
  });

  test('is redacted even if it was derived indirectly', async () => {
    const inner = node('made', 'set', { values: { all: '{{ "<" & item & ">" }}' } });
    const ended = await ran([forEach('{{ $split(secrets.TOK, "_") }}', inner)]);
    expect(findOutputs(ended, 'each/1/made')).toEqual({ all: '[redacted]' });
  });

  test('is redacted in the error of a condition', async () => {
    const config = { items: ['{{ secrets.TOK }}'], condition: '$error("No " & $uppercase(item))' };
    const ended = await ran([node('some', 'filter', config)]);
    expect(ended.steps[0]?.error).toMatchObject({ message: expect.stringContaining('No [redacted]') });
    expect(await execute('core:filter', config)).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining('No [redacted]') } },
    });
  });

  test('is kept out of the state store and off plain http', async () => {
    const set = { namespace: 'own', key: 'k', value: '{{ $uppercase(item) }}' };
    const send = { method: 'POST', url: 'http://shop.invalid/', body: '{{ $uppercase(item) }}', timeout_ms: 2_000 };
    for (const [inner, code] of [
      [node('keep', 'state-set', set), 'SECRET_IN_STATE'],
      [node('send', 'http-request', send), 'HTTP_REFUSED_PROTOCOL'],
      [node('send', 'http-request', { url: 'http://{{ item }}.shop.invalid/?q=1#a' }), 'HTTP_REFUSED_PROTOCOL'],
      [
        node('send', 'http-request', { url: 'http://{{ item }}.shop.invalid', query: { q: 1 } }),
        'HTTP_REFUSED_PROTOCOL',
      ],
    ] as const) {
      const ended = await ran([forEach(['{{ secrets.TOK }}'], inner)], [], {
        state: { namespaces: { own: 'read_write' } },
      });
      expect(ended.steps[1]?.error).toMatchObject({ code });
    }
  });

  test.for<[name: string, node: string, config: object, clean: unknown, hidden: string[]]>([
    [
      'the members of JSON',
      'parse',
      { format: 'json', text: '{{ secrets.SVC }}' },
      { '[redacted]': '[redacted]' },
      ['PRIVATEKEY', 'service_account', 'svc@example'],
    ],
    [
      'a member among others',
      'parse',
      {
        format: 'json',
        text: '{"user":"bob","pw":"{{ secrets.TOK }}","half":"{{ $substring(secrets.TOK, 2, 8) }}","n":4711}',
      },
      { user: 'bob', pw: '[redacted]', half: '[redacted]', n: 4711 },
      [],
    ],
    [
      'the cells of CSV',
      'parse',
      {
        format: 'csv',
        text: 'bob_{{ secrets.TOK }}_harmless',
        options: { delimiter: '_', header: false },
      },
      [['bob', '[redacted]', '[redacted]', 'harmless']],
      ['Lq7Wn3'],
    ],
    [
      'rendered JSON',
      'render',
      { format: 'json', data: { pw: '{{ secrets.PW }}', user: 'bob', inner: '{{ "x" & secrets.PW }}' } },
      '{"pw":"[redacted]","user":"bob","inner":"[redacted]"}',
      [],
    ],
    [
      'rendered CSV',
      'render',
      { format: 'csv', data: [{ user: 'bob', pw: '{{ secrets.PW }}' }] },
      expect.stringMatching(/\[redacted\]/),
      ['a""b', '<c>'],
    ],
    [
      'rendered XML',
      'render',
      { format: 'xml', data: { a: { pw: '{{ secrets.PW }}', user: 'bob' } } },
      expect.stringContaining('<pw>[redacted]</pw><user>bob</user>'),
      ['&lt;c', "'d'"],
    ],
  ])('is redacted in %s, in a run and in a test of the node', async ([, slug, config, clean, hidden]) => {
    const ended = await ran([node('a', slug, config)]);
    const tested = await execute(`core:${slug}`, config);
    const key = slug === 'parse' ? 'data' : 'text';
    expect(findOutputs(ended, 'a')).toEqual({ [key]: clean });
    expect(tested).toMatchObject({ status: 200, body: { outputs: { [key]: clean } } });
    for (const text of hidden) expect(JSON.stringify(ended) + tested.text).not.toContain(text);
  });

  test.for([
    ['json', '{{ secrets.TOK }}'],
    ['json', '{"a": {{ secrets.TOK }}}'],
    ['csv', 'a,b\n"{{ secrets.TOK }}"zz,x'],
    ['xml', '<a><{{ secrets.TOK }}></a>'],
  ])('is redacted in what is wrong with %s %s', async ([format, text]) => {
    const config = { format, text };
    const ended = await ran([node('a', 'parse', config)]);
    expect(ended.steps[0]?.error).toMatchObject({ code: 'UNREADABLE' });
    const tested = await execute('core:parse', config);
    for (let at = 0; at + 4 <= token.length; at += 1)
      expect(JSON.stringify(ended) + tested.text).not.toContain(token.slice(at, at + 4));
  });

  test('fails the step if there are too many to remember', async () => {
    const many =
      '{{ $append([1..1100].($string($) & "z" & $substring($$.secrets.TOK, 4, 1)), [$uppercase(secrets.TOK)]) }}';
    const ended = await ran([node('a', 'set', { values: { many } })]);
    expect(ended.steps[0]?.error).toMatchObject({ code: 'EXPRESSION_FAILED' });
    expect(JSON.stringify(ended)).not.toContain(upper);
  });
});

describe('a resumed run knows the secrets that it used before', () => {
  const password = 'canary-basic-4711';

  async function suspended(...last: object[]) {
    const made = await call(api, 'POST', '/credentials', {
      body: { credential_type_slug: 'core:basic', name: `Basic ${last.length}`, config: { username: 'u', password } },
    });
    const credential = Number(made.body['id']);
    const values = { upper: '{{ $uppercase(item) }}' };
    const ids = ['call', 'each', 'read', ...last.map((each) => (each as { id: string }).id)];
    return readyWorkflow(api, {
      nodes: [
        node('call', 'http-request', { method: 'POST', url, credential, body: '{{ secrets.TOK }}' }),
        forEach(['{{ secrets.TOK }}'], node('made', 'set', { values })),
        node('read', 'parse', { format: 'json', text: '{{ secrets.SVC }}' }),
        ...last,
      ],
      edges: chain(...ids),
    });
  }
  const actor = systemActor('acme', 'acme-shop');
  const leaked = [token, upper, 'PRIVATEKEYqx7', password];
  const clean = leaked.map(() => '[redacted]').join(' ');

  test('after a wait', async () => {
    const workflow = await suspended(node('wait', 'wait', { resume: true }), node('get', 'http-request', { url }));
    const id = await fireRun(api, workflow);
    const waiting = await untilRun(api, id, 'waiting');
    kept = leaked.join(' ');
    await resumeRun(api.deps, actor, BigInt(id), {
      token: waiting.steps.find(({ path }) => path === 'wait')?.resume_token,
      data: {},
    });
    const ended = await untilRun(api, id);
    expect(findOutputs(ended, 'get')).toMatchObject({ body: clean });
    for (const text of leaked) expect(JSON.stringify(ended)).not.toContain(text);
  });

  test('after a retry', async () => {
    failWith = 500;
    const id = await fireRun(api, await suspended(node('get', 'http-request', { url })));
    expect(await untilRun(api, id)).toMatchObject({ status: 'failed', error: expect.stringContaining('answered 500') });
    failWith = undefined;
    kept = leaked.join(' ');
    await retryRun(api.deps, actor, BigInt(id));
    const ended = await untilRun(api, id);
    expect(ended.steps.find(({ path, status }) => path === 'get' && status === 'succeeded')?.outputs).toMatchObject({
      body: clean,
    });
  });
});

test('no truncated response or message contains half a secret', async () => {
  const body = `${'x'.repeat(1_990)}{{ secrets.TOK }}${'y'.repeat(100)}`;
  const sent = await ran([node('a', 'http-request', { method: 'POST', url: `${url}?status=500`, body })]);
  expect(sent.steps[0]?.error).toMatchObject({ details: { body: `${'x'.repeat(1_990)}[redacted]…` } });
  const failed = await ran([node('a', 'fail', { message: body })]);
  expect(JSON.stringify([sent, failed])).not.toContain('tok_');
  expect((await execute('core:fail', { message: body })).text).not.toContain('tok_');
  const emitted = await execute('core:emit-event', { topic: 'a.b', data: body.slice(20) });
  expect(emitted.status).toBe(200);
  expect(emitted.text).not.toContain('tok_');
});

test.for([[{}], [{ secret: '{{ secrets.TOK }}' }]])(
  'a result that nests too deeply fails the step and the test of its node, with %j',
  async ([more = {}]) => {
    const blob = {
      version: 'v1',
      nodes: [{ id: 'a', node: 'deep:nest', version: '1.0.0', config: { levels: 20_000, ...more } }],
      edges: [],
    };
    const made = await call(api, 'POST', '/workflows', { body: { name: `Deep ${Object.keys(more).length}`, blob } });
    const workflowId = Number(made.body['id']);
    await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
    const body = { type: 'webhook', name: 'x' };
    const { body: trigger } = await call(api, 'POST', `/workflows/${workflowId}/triggers`, { body });
    const ended = await untilRun(api, await fireRun(api, { tenantId: 'acme-shop', handle: String(trigger['handle']) }));
    expect(ended.steps[0]?.error).toMatchObject({
      code: 'INVALID_RESULT',
      message: expect.stringContaining('128 levels'),
    });
    const tested = await execute('deep:nest', { levels: 20_000, ...more });
    expect(tested).toMatchObject({ status: 422, body: { error: { code: 'INVALID_RESULT' } } });
    expect(await execute('deep:nest', { levels: 100, ...more })).toMatchObject({ status: 200 });
  },
);
