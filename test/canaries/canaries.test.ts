import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { afterAll, describe, expect } from 'vitest';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call, everyRoute, fillPath, type RestAnswer } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, node, untilRun } from '#test/setup/engine.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

// A unique value in every field that takes a secret; afterwards it may be found only where it was sent.
const canary = (name: string): string => `canary-${name}-${'0123456789abcdef'.repeat(2)}`;
const canaries = {
  secret: canary('secret'),
  bearer: canary('bearer'),
  password: canary('password'),
  apiKey: canary('api-key'),
  clientSecret: canary('client-secret'),
  packaged: canary('packaged'),
  refused: canary('refused'),
  tested: canary('tested'),
};
/** The value itself, and its encoded forms. */
const spellings = Object.entries(canaries).flatMap(([name, value]) => [
  { name, text: value },
  { name: `${name}, base64`, text: Buffer.from(value).toString('base64').slice(0, -4) },
  { name: `${name}, as basic authentication`, text: Buffer.from(`user:${value}`).toString('base64').slice(0, -4) },
]);
const found = (text: string): string[] => spellings.filter((each) => text.includes(each.text)).map(({ name }) => name);

const leaky = `
export const execute = async ({ config, credentials, log, http }) => {
  const token = await credentials.get('credential', 'token');
  log.info('using ' + token);
  const { body } = await http.request({ url: config.url, headers: { authorization: 'Bearer ' + token } });
  if (config.fail) throw Object.assign(new Error('refused ' + token), { code: 'REFUSED' });
  return { outputs: { token, body } };
};`;
const leakyType = {
  slug: 'leaky:token',
  version: '1.0.0',
  name: 'Token',
  auth_kind: 'secret',
  fields: [{ key: 'token', type: 'secret', required: true }],
};

let api: TestApp;
let echo: Server;
let url: string;
let owner: pg.Client;
const received: string[] = [];
const answers: { path: string; answer: RestAnswer }[] = [];

async function rest(method: string, path: string, options: Parameters<typeof call>[3] = {}): Promise<RestAnswer> {
  const answer = await call(api, method, path, options);
  answers.push({ path: `${method} ${path}`, answer });
  return answer;
}

test.beforeAll(async ({ api: started, startEngine }) => {
  // Responds with the complete request, like careless servers do, and with 500 if the path says so.
  echo = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = JSON.stringify({
        headers: request.headers,
        url: request.url,
        body: Buffer.concat(chunks).toString(),
      });
      received.push(text);
      response.statusCode = request.url?.startsWith('/broken') ? 500 : 200;
      response.setHeader('content-type', 'application/json');
      response.end(text);
    });
  });
  await new Promise<void>((listening) => echo.listen(0, '127.0.0.1', listening));
  const address = `127.0.0.1:${(echo.address() as AddressInfo).port}`;
  url = `http://${address}`;
  api = started;
  api.egressAllow.add(address);
  await startEngine({ allow: address });
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  echo.close();
  echo.closeAllConnections();
});

const readId = ({ body }: RestAnswer): number => Number(body['id']);

async function makeCredential(slug: string, config: object): Promise<number> {
  const made = await rest('POST', '/credentials', { body: { credential_type_slug: slug, name: slug, config } });
  expect(made.text).toMatch(/"id":\d+/);
  return readId(made);
}

/** Makes a workflow, builds it, and runs it to its end. */
async function run(name: string, nodes: object[], edges: object[] = []): Promise<{ status: string; runId: number }> {
  const blob = { version: 'v1', nodes, edges };
  const made = await rest('POST', '/workflows', { body: { name, blob } });
  expect({ name, status: made.status, text: made.status === 201 ? '' : made.text }).toEqual({
    name,
    status: 201,
    text: '',
  });
  const workflowId = readId(made);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
  await rest('POST', `/workflows/${workflowId}/triggers`, { body: { type: 'manual', name: 'By hand' } });
  const started = await rest('POST', `/workflows/${workflowId}/runs`, { body: {} });
  expect({ name, status: started.status }).toEqual({ name, status: 202 });
  const { status } = await untilRun(api, readId(started));
  await rest('GET', `/workflows/${workflowId}/runs/${readId(started)}`);
  return { status, runId: readId(started) };
}

/** Everything the database holds, but for what is sealed. */
async function everyRow(): Promise<string> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname IN ('public', 'pgboss')`,
  );
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await owner.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t LIMIT 20000`);
    texts.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return texts.join('\n');
}

describe('a secret in every field that takes one', () => {
  test('reaches its receivers, and appears nowhere else', startsProcesses, async () => {
    const archive = packageArchive({
      name: 'leaky-nodes',
      namespace: 'leaky',
      nodes: [
        {
          name: 'call',
          version: '1.0.0',
          code: leaky,
          manifest: {
            config: [
              { key: 'url', type: 'url' },
              { key: 'fail', type: 'boolean' },
              { key: 'credential', type: 'credentials-ref', credential_types: ['leaky:token'] },
            ],
          },
        },
      ],
      more: {
        'causeway.json': JSON.stringify({
          namespace: 'leaky',
          label: 'Leaky',
          nodes: ['nodes/call-0.node.json'],
          credential_types: ['leaky.credential.json'],
        }),
        'leaky.credential.json': JSON.stringify(leakyType),
      },
    });
    const uploaded = await rest('POST', '/admin/orgs/acme/node-packages', {
      as: { roles: ['operator'], tenant: null },
      body: archive,
      headers: { 'content-type': 'application/gzip' },
    });
    expect(uploaded.body).toMatchObject({ build: { status: 'ready' } });

    expect(await rest('PUT', '/secrets/CANARY', { body: { value: canaries.secret } })).toMatchObject({ status: 201 });
    const testUrl = { test_url: `${url}/broken?key=1` };
    const ids = {
      bearer: await makeCredential('core:bearer', { token: canaries.bearer, ...testUrl }),
      basic: await makeCredential('core:basic', { username: 'user', password: canaries.password, ...testUrl }),
      apiKey: await makeCredential('core:api-key', { header: 'x-api-key', value: canaries.apiKey, ...testUrl }),
      oauth: await makeCredential('core:oauth2', {
        authorize_url: `${url}/authorize`,
        token_url: `${url}/token`,
        client_id: 'causeway',
        client_secret: canaries.clientSecret,
      }),
      packaged: await makeCredential('leaky:token', { token: canaries.packaged }),
    };

    // Tests of credentials, saved and not, that fail and say why.
    for (const id of Object.values(ids)) await rest('POST', `/credentials/${id}/test`);
    const unsaved = { credential_type_slug: 'core:bearer', config: { token: canaries.tested, ...testUrl } };
    expect(await rest('POST', '/credentials/test', { body: unsaved })).toMatchObject({
      status: 200,
      body: { ok: false },
    });
    await rest('POST', `/credentials/${ids.oauth}/oauth/authorize-url`);

    // Requests that are refused while they carry one.
    const bad = { credential_type_slug: 'core:bearer', name: 'x'.repeat(192), config: { token: canaries.refused } };
    expect(await rest('POST', '/credentials', { body: bad })).toMatchObject({ status: 422 });
    await rest('POST', '/credentials', { body: { ...bad, name: 'y', config: { token: [canaries.refused] } } });
    await rest('PUT', '/secrets/lower', { body: { value: canaries.refused } });
    await rest('PUT', '/secrets/CANARY2', { body: { value: { nested: canaries.refused } } });
    await rest('PATCH', `/credentials/${ids.bearer}`, { body: { config: { token: 5, test_url: canaries.refused } } });

    // Runs that use them, answer them, log them and fail with them.
    const ask = (id: string, path: string, credential: number, more: object = {}) =>
      node(id, 'http-request', { method: 'POST', url: `${url}${path}`, credential, body: { from: id } }, more);
    expect(
      await run('Calls', [ask('a', '/', ids.bearer), ask('b', '/', ids.basic), ask('c', '/', ids.apiKey)]),
    ).toMatchObject({ status: 'succeeded' });
    for (const [name, id] of [
      ['bearer', ids.bearer],
      ['basic', ids.basic],
      ['api key', ids.apiKey],
    ] as const) {
      expect(await run(`Fails with ${name}`, [ask('a', '/broken', id)])).toMatchObject({ status: 'failed' });
    }
    const child = await run('Child', [node('echo', 'set', { values: { seen: '{{ trigger.payload }}' } })]);
    expect(child.status).toBe('succeeded');
    const { rows } = await owner.query<{ workflow_id: string }>('SELECT workflow_id FROM runs WHERE id = $1', [
      child.runId,
    ]);
    const told = '{{ secrets.CANARY }}';
    const speaking = await run(
      'Speaks',
      [
        node('set', 'set', {
          values: { plain: told, within: `a ${told} b`, upper: '{{ $base64encode(secrets.CANARY) }}' },
        }),
        node('emit', 'emit-event', { topic: 'canary.sung', data: { told } }),
        node('child', 'sub-workflow', { workflow_id: Number(rows[0]?.workflow_id), payload: { told } }),
        node('send', 'http-request', {
          method: 'POST',
          url: `${url}/?key=${told}`,
          headers: { 'x-secret': told },
          body: told,
        }),
        node('say', 'respond', { value: { told } }),
        node('end', 'fail', { message: `because of ${told}` }),
      ],
      chain('set', 'emit', 'child', 'send', 'say', 'end'),
    );
    expect(speaking.status).toBe('failed');
    const packaged = (id: string, config: object) => ({ id, node: 'leaky:call', version: '1.0.0', config });
    const config = { url: `${url}/`, credential: ids.packaged };
    expect(await run('Package', [packaged('call', config)])).toMatchObject({ status: 'succeeded' });
    expect(await run('Package that throws', [packaged('call', { ...config, fail: true })])).toMatchObject({
      status: 'failed',
    });
    const tested = await rest('POST', '/nodes/core:set/1.0.0/execute:test', { body: { config: { values: { told } } } });
    expect(tested.status).toBe(200);

    // It was sent, so the canaries are alive.
    const sent = received.join('\n');
    for (const name of ['secret', 'bearer', 'apiKey', 'packaged'] as const) expect(sent).toContain(canaries[name]);
    expect(sent).toContain(Buffer.from(`user:${canaries.password}`).toString('base64'));
    expect(sent).toContain(canaries.tested);

    // Whatever can be read, by an administrator and by an operator.
    for (const { method, row } of everyRoute.filter(
      (route) => route.method === 'GET' && !route.row.path.startsWith('/webhooks'),
    )) {
      const as = row.access.scope === 'operator' ? { roles: ['operator'], tenant: null } : {};
      await rest(method, fillPath(row, { id: ids.bearer, key: 'CANARY', ns: 'none' }), { as });
    }

    const leaks = [
      ...answers.flatMap(({ path, answer }) =>
        found(answer.text + JSON.stringify(answer.headers)).map((name) => `${path}: ${name}`),
      ),
      ...api.logLines.flatMap((line) => found(line).map((name) => `log: ${name} in ${line.slice(0, 300)}`)),
      ...(await everyRow()).split('\n').flatMap((row) => found(row).map((name) => `${name} in ${row.slice(0, 300)}`)),
    ];
    expect(leaks).toEqual([]);
  });

  test('would be found if it appeared', async () => {
    await owner.query(`INSERT INTO outbox_events (tenant_id, topic, data) VALUES ('acme-shop', 'canary.left', $1)`, [
      JSON.stringify({ a: canaries.bearer }),
    ]);
    expect(found(await everyRow())).toContain('bearer');
  });
});
