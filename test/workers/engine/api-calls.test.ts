import { afterAll, describe, expect } from 'vitest';
import type { ApiCall } from '#src/automation/node-api/api-call.ts';
import type { ConfigField } from '#src/automation/node-api/manifest.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { addCallPackage } from '#test/automation/connectors/calls/call-package.ts';
import { type Receiver, startReceiver } from '#test/automation/core-nodes/receiver.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, untilRun } from '#test/setup/engine.ts';

const canary = 'canary/secret+4711';

let api: TestApp;
let shop: Receiver;
/** Requests as they arrived: method, URL, headers and body. */
const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
/** Statuses of the next answers; 200 when there are no more. */
let statuses: number[] = [];
/** Access tokens that were issued. */
let tokens = 0;

const parameter = (name: string, place: 'path' | 'query') =>
  ({ field: name, name, in: place, style: place === 'path' ? 'simple' : 'form', explode: false }) as const;

const lines: ConfigField = {
  key: 'body',
  type: 'object',
  fields: [
    {
      key: 'lines',
      type: 'list',
      items: { key: 'line', type: 'object', fields: [{ key: 'sku', type: 'string', required: true }] },
    },
  ],
};

const document: ConfigField = {
  key: 'body',
  type: 'object',
  fields: [
    { key: 'identifier', type: 'string' },
    { key: 'no', type: 'number' },
    {
      key: 'line',
      type: 'object',
      fields: [
        { key: 'quantity', type: 'number' },
        { key: 'sku', type: 'string' },
      ],
    },
  ],
};

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  shop = await startReceiver((request, body, response) => {
    const { method = '', url = '', headers } = request;
    if (url === '/token') {
      tokens += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ access_token: `access-canary-${tokens}`, token_type: 'bearer', expires_in: 3_600 }),
      );
      return;
    }
    seen.push({ method, url, headers, body: String(body) });
    const status = statuses.shift() ?? 200;
    if (url.startsWith('/never')) return;
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ id: 7, sent: headers, url }));
  });
  const { host } = new URL(shop.url);
  api.egressAllow.add(host);
  const create: ApiCall = {
    method: 'POST',
    base_url: shop.url,
    path: '/orders',
    parameters: [],
    body: { field: 'body', media_type: 'application/json', as: 'json' },
    answers: [],
  };
  await addCallPackage(api, {
    namespace: 'shop',
    nodes: [
      {
        name: 'get-order',
        config: [
          { key: 'id', type: 'string', required: true },
          { key: 'tags', type: 'list' },
          { key: 'status', type: 'string', default: 'open' },
          { key: 'credential', type: 'credentials-ref', credential_types: ['shop:keys', 'core:oauth2'] },
        ],
        branches: ['found', 'missing'],
        call: {
          method: 'GET',
          base_url: shop.url,
          path: '/orders/{id}',
          parameters: [parameter('id', 'path'), parameter('status', 'query'), parameter('tags', 'query')],
          credential: 'credential',
          answers: [
            { status: '200', branch: 'found' },
            { status: '404', branch: 'missing' },
          ],
        },
      },
      {
        name: 'get-typed',
        branches: ['success'],
        call: { ...create, method: 'GET', path: '/typed', answers: [{ status: '2XX', branch: 'success' }] },
        output_schemas: {
          success: {
            type: 'object',
            properties: {
              body: {
                type: 'object',
                required: ['url', 'total'],
                properties: { id: { type: 'string' }, url: { type: 'string' }, total: { type: 'number' } },
              },
            },
          },
        },
      },
      { name: 'create-order', config: [{ key: 'body', type: 'json' }], call: create },
      { name: 'create-lines', config: [lines], call: create },
      {
        name: 'create-xml',
        config: [document],
        call: { ...create, body: { field: 'body', media_type: 'text/xml', as: 'xml', root: 'Order' } },
      },
      { name: 'hang', call: { ...create, path: '/never' } },
      { name: 'hang-safely', call: { ...create, method: 'GET', path: '/never' } },
    ],
    types: [
      {
        name: 'keys',
        auth_kind: 'secret',
        fields: [
          { key: 'user', type: 'string' },
          { key: 'token', type: 'secret' },
        ],
        sends: [
          { as: 'header', name: 'X-Key', field: 'token', prefix: 'Key ' },
          { as: 'basic', username: 'user', password: 'token' },
          { as: 'query', name: 'key', field: 'token' },
        ],
      },
    ],
  });
  await startEngine({ allow: host });
});
afterAll(() => shop.close());
test.beforeEach(() => {
  seen.length = 0;
  statuses = [];
});

const differs = (what: string): string => `The answer differs from its description at ${what}.`;

let counter = 0;
async function credential(body: object): Promise<number> {
  counter += 1;
  const made = await call(api, 'POST', '/credentials', { body: { name: `Credential ${counter}`, ...body } });
  expect(made.status).toBe(201);
  return Number(made.body['id']);
}
const keys = () => credential({ credential_type_slug: 'shop:keys', config: { user: 'me', token: canary } });

const shopNode = (id: string, name: string, config: object, more: object = {}) => ({
  id,
  node: `shop:${name}`,
  version: '1.0.0',
  config,
  ...more,
});

/** Makes a workflow, builds it as the product does, and runs it. */
async function run(nodes: object[], edges: object[] = [], payload: unknown = {}) {
  counter += 1;
  const blob = { version: 'v1', nodes, edges };
  const made = await call(api, 'POST', '/workflows', { body: { name: `Workflow ${counter}`, blob } });
  expect(made.text).toContain('"id"');
  const workflowId = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
  const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'x' },
  });
  const runId = await fireRun(api, { tenantId: 'acme-shop', handle: String(trigger.body['handle']) }, payload);
  const detail = async () => (await call(api, 'GET', `/workflows/${workflowId}/runs/${runId}`)).text;
  return { ...(await untilRun(api, runId)), detail };
}

describe('a node that describes its call', () => {
  test('is run by the worker and continues along the branch of its answer', async () => {
    const done = await run(
      [
        shopNode('get', 'get-order', { id: '{{ trigger.payload.id }}', tags: '{{ trigger.payload.tag }}' }),
        node('then', 'set', { values: { id: '{{ nodes.get.outputs.body.id }}' } }),
      ],
      [{ from: { node: 'get', branch: 'found' }, to: 'then' }],
      { id: 'A/7', tag: 'new' },
    );
    expect(done.error).toBeNull();
    // A default, and one value where a list belongs.
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /orders/A%2F7?status=open&tags=new']);
    expect(done.steps).toMatchObject([
      { path: 'get', branch: 'found', outputs: { status: 200, body: { id: 7 } } },
      { path: 'then', status: 'succeeded' },
    ]);
  });

  test('sends a list within its body even if an expression yields one item', async () => {
    const config = { body: { lines: '{{ trigger.payload.line }}', note: null } };
    const done = await run([shopNode('create', 'create-lines', config)], [], { line: { sku: 'A' } });
    expect(done.error).toBeNull();
    expect(seen.map(({ body }) => body)).toEqual(['{"note":null,"lines":[{"sku":"A"}]}']);
  });

  test('sends an XML document in the order of its fields, which stored configs lose', async () => {
    const config = { body: { identifier: 'A', line: { quantity: 2, sku: 'B' }, no: 1 } };
    const done = await run([shopNode('create', 'create-xml', config)]);
    expect(done.error).toBeNull();
    expect(seen.map(({ body }) => body.split('\n')[1])).toEqual([
      '<Order><identifier>A</identifier><no>1</no><line><quantity>2</quantity><sku>B</sku></line></Order>',
    ]);
  });

  test('sends nothing if a member of its body is missing', async () => {
    const config = { body: { lines: '{{ trigger.payload.line }}' } };
    const done = await run([shopNode('create', 'create-lines', config)], [], { line: {} });
    expect(done.steps[0]?.error).toMatchObject({ code: 'INVALID_CONFIG', message: expect.stringContaining('sku') });
    expect(seen).toEqual([]);
  });

  test('never shows the secrets that it sends, or values derived from them', async () => {
    const done = await run([shopNode('get', 'get-order', { id: 'A', credential: await keys() })]);
    expect(done.error).toBeNull();
    expect(seen[0]).toMatchObject({
      url: `/orders/A?status=open&key=${encodeURIComponent(canary)}`,
      headers: { 'x-key': `Key ${canary}`, authorization: `Basic ${btoa(`me:${canary}`)}` },
    });
    const said = JSON.stringify(done) + (await done.detail()) + api.logLines.join('');
    for (const secret of [canary, encodeURIComponent(canary), btoa(`me:${canary}`)]) expect(said).not.toContain(secret);
    expect(done.steps[0]?.outputs).toMatchObject({ body: { url: '/orders/A?status=open&key=[redacted]' } });
  });

  test('records its request with the step', async () => {
    const done = await run([shopNode('get', 'get-order', { id: 'A' })]);
    const { rows } = await api.database.system.query<{ calls: object[] }>(
      `SELECT calls FROM steps WHERE path = 'get' ORDER BY started_at DESC LIMIT 1`,
    );
    expect(done.error).toBeNull();
    expect(rows[0]?.calls).toMatchObject([{ method: 'GET', url: `${shop.url}/orders/A`, status: 200, error: null }]);
  });

  test('warns in the log of the step where the answer differs from its description', async () => {
    const done = await run([shopNode('get', 'get-typed', {}), shopNode('other', 'get-order', { id: 'A' })]);
    expect(done.error).toBeNull();
    const rows = await api.database.tenantQuery<{ step_path: string; level: string; message: string }>('acme-shop', {
      text: `SELECT step_path, level, message FROM run_log_lines WHERE tenant_id = $1 AND message LIKE 'The answer%' ORDER BY id`,
      values: ['acme-shop'],
    });
    expect(rows).toEqual([
      { step_path: 'get', level: 'warn', message: differs('body.id: expected string, found number') },
      { step_path: 'get', level: 'warn', message: differs('body.total: missing') },
    ]);
  });

  test('renews the access token of an OAuth credential after a 401', async () => {
    const config = {
      grant_type: 'client_credentials',
      token_url: `${shop.url}/token`,
      client_id: 'client',
      client_secret: 'secret-of-client',
    };
    const id = await credential({ credential_type_slug: 'core:oauth2', config });
    statuses = [401];
    const done = await run([shopNode('get', 'get-order', { id: 'A', credential: id })]);
    expect(done.error).toBeNull();
    const sent = seen.map(({ headers }) => headers['authorization']);
    expect(sent).toEqual(['Bearer access-canary-1', 'Bearer access-canary-2']);
    expect(JSON.stringify(done)).not.toContain('access-canary');
  });
});

describe('an error', () => {
  const get = shopNode('get', 'get-order', { id: 'A' });
  test('continues along its branch if the workflow has an edge there', async () => {
    statuses = [404];
    const done = await run(
      [get, node('then', 'set', { values: {} })],
      [{ from: { node: 'get', branch: 'missing' }, to: 'then' }],
    );
    expect(done.status).toBe('succeeded');
    expect(done.steps).toMatchObject([
      { path: 'get', branch: 'missing', outputs: { status: 404, body: { id: 7 } } },
      { path: 'then', status: 'succeeded' },
    ]);
  });

  test('fails the step otherwise, with the answer', async () => {
    statuses = [404];
    const done = await run([get]);
    expect(done.status).toBe('failed');
    expect(done.steps[0]?.error).toMatchObject({ code: 'HTTP_STATUS', details: { status: 404, body: { id: 7 } } });
  });

  const retry = { limit: 2, backoff: 'fixed', delay_ms: 1 };
  test.each([
    ['get-order', { id: 'A' }, [503, 503], 3, 'succeeded'],
    ['create-order', { body: { a: 1 } }, [503], 1, 'failed'],
    ['create-order', { body: { a: 1 } }, [429], 2, 'succeeded'],
  ] as const)('of %s %j with %j is met by %d attempts', async (name, config, answered, attempts, status) => {
    statuses = [...answered];
    const done = await run([shopNode('call', name, config, { retry })]);
    expect(seen).toHaveLength(attempts);
    expect(done.status).toBe(status);
  });

  test.each([
    ['hang-safely', 2],
    ['hang', 1],
  ])('of %s that does not answer in time is met by %d attempts', async (name, attempts) => {
    const done = await run([shopNode('call', name, {}, { retry: { ...retry, limit: 1 }, timeout_ms: 200 })]);
    expect(done.steps.map(({ error }) => error?.code)).toEqual(Array(attempts).fill('TIMEOUT'));
    expect(seen).toHaveLength(attempts);
  });

  test('for a required value that an expression leaves out is reported before anything is sent', async () => {
    const done = await run([shopNode('get', 'get-order', { id: '{{ trigger.payload.none }}' })]);
    expect(done.steps[0]?.error).toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('config.id'),
    });
    expect(seen).toEqual([]);
  });
});

describe('a test of such a node', () => {
  const execute = (name: string, config: object) =>
    call(api, 'POST', `/nodes/shop:${name}/latest/execute:test`, { body: { config } });

  test('sends its request with the defaults of its fields, and hides secrets', async () => {
    const { status, text, body } = await execute('get-order', { id: 'A', credential: await keys() });
    expect([status, body]).toMatchObject([200, { branch: 'found', outputs: { status: 200 } }]);
    expect(seen[0]?.url).toBe(`/orders/A?status=open&key=${encodeURIComponent(canary)}`);
    expect(text).not.toContain(canary);
    expect(text).not.toContain(encodeURIComponent(canary));
  });

  test.each([
    [404, { id: 'A' }, 'HTTP_STATUS'],
    [200, { id: '{{ null }}' }, 'INVALID_CONFIG'],
  ])('reports that %d with %j fails it with %s', async (answered, config, code) => {
    statuses = [answered];
    const { status, text } = await execute('get-order', config);
    expect(status).toBe(422);
    expect(text).toContain(code);
  });

  test('checks the config before it sends the request', async () => {
    const { status, text } = await execute('get-order', {});
    expect(status).toBe(422);
    expect(text).toContain('config.id');
    expect(seen).toEqual([]);
  });
});
