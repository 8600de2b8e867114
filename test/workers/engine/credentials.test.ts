import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { packNodePackage } from '@causeway/node-kit/pack';
import { afterAll, describe, expect } from 'vitest';
import { type Erp, startErp } from '#examples/erp-nodes/erp/server.ts';
import { sealGrant } from '#src/automation/credentials/credentials.store.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, untilRun } from '#test/setup/engine.ts';

const canary = 'canary-secret-4711';
const erpFolder = fileURLToPath(new URL('../../../examples/erp-nodes/', import.meta.url));

let api: TestApp;
let erp: Erp;
/** Echoes the headers it was sent. */
let echo: Server;
let echoUrl: string;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  erp = await startErp({ token: canary });
  echo = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ sent: request.headers }));
  });
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  const { port } = echo.address() as AddressInfo;
  echoUrl = `http://127.0.0.1:${port}/echo`;
  api.egressAllow.add(`127.0.0.1:${port}`);
  await registerNodePackage(api.deps, { orgId: 'acme', archive: await packNodePackage(erpFolder) });
  await registerNodePackage(api.deps, { orgId: 'acme', archive: snooping });
  await startEngine({ allow: `127.0.0.1:${port},${new URL(erp.url).host}` });
});
afterAll(async () => {
  echo.close();
  await erp.close();
});

/** Asks for whatever its config says, and answers or throws what it got. */
const snooping = packageArchive({
  name: 'snoop-nodes',
  namespace: 'snoop',
  nodes: [
    {
      name: 'ask',
      version: '1.0.0',
      manifest: {
        config: [
          { key: 'credential', type: 'credentials-ref', credential_types: ['core:bearer', 'core:oauth2'] },
          { key: 'reference', type: 'expression' },
          { key: 'field', type: 'string' },
        ],
      },
      code: `export const execute = async ({ config, credentials, log }) => {
        const value = await credentials.get(String(config.reference), config.field);
        log.info('got', value);
        return { outputs: { value, parts: [...String(value)].reverse().join('') } };
      };`,
    },
  ],
});

let counter = 0;
async function credential(more: object = {}, tenant = 'acme-shop'): Promise<number> {
  counter += 1;
  const body = {
    credential_type_slug: 'core:bearer',
    name: `Credential ${counter}`,
    config: { token: canary },
    ...more,
  };
  const made = await call(api, 'POST', '/credentials', { body, as: { tenant } });
  expect(made.status).toBe(201);
  return Number(made.body['id']);
}

/** Makes a workflow of one node, builds and runs it. */
async function run(nodes: object[], payload: unknown = {}) {
  const { workflowId, handle } = await build(nodes);
  const runId = await fireRun(api, { tenantId: 'acme-shop', handle }, payload);
  return { workflowId, runId, ...(await untilRun(api, runId)) };
}

/** A workflow of these nodes, built as far as it can be, with a webhook. */
async function build(nodes: object[]): Promise<{ workflowId: number; handle: string }> {
  counter += 1;
  const made = await call(api, 'POST', '/workflows', {
    body: { name: `Workflow ${counter}`, blob: { version: 'v1', nodes, edges: [] } },
  });
  expect(made.status).toBe(201);
  const workflowId = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
  const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'x' },
  });
  return { workflowId, handle: String(trigger.body['handle']) };
}

const request = (config: object) => node('send', 'http-request', { url: echoUrl, ...config });
const ask = (config: object) => ({ id: 'ask', node: 'snoop:ask', version: '1.0.0', config });

describe('core:http-request', () => {
  test.each([
    ['core:bearer', { token: canary }, 'authorization'],
    ['core:basic', { username: 'user', password: canary }, 'authorization'],
    ['core:api-key', { header: 'X-Key', value: canary }, 'x-key'],
  ])('sends a stored credential of type %s, and its run tells nobody what it sent', async (type, config, header) => {
    const id = await credential({ credential_type_slug: type, config });
    const done = await run([request({ credential: id })]);
    expect(done.error).toBeNull();
    const outputs = done.steps[0]?.outputs as { body: { sent: Record<string, string> } } | undefined;
    expect(outputs?.body.sent[header]).toMatch(/^(Bearer |Basic )?\[redacted\]$/);
    const detail = await call(api, 'GET', `/workflows/${done.workflowId}/runs/${done.runId}`);
    for (const secret of [canary, btoa(`user:${canary}`)]) {
      expect(JSON.stringify(done) + detail.text + api.logLines.join('')).not.toContain(secret);
    }
  });

  test('uses the credential that an expression names', async () => {
    const id = await credential();
    const done = await run([request({ credential: '{{ trigger.payload.which }}' })], { which: id });
    expect(done.error).toBeNull();
  });

  test('fails with advice if there is no such credential, or if it is another tenant’s', async () => {
    for (const id of [await credential({}, 'acme-outlet'), 999_999]) {
      const { workflowId } = await build([request({ credential: id })]);
      const { body } = await call(api, 'GET', `/workflows/${workflowId}`);
      expect(body['bundle']).toMatchObject({
        status: 'failed',
        error: expect.stringContaining(`There is no credential ${id}`),
      });
    }
    // An object that existed when the workflow was built may be missing when it runs.
    const gone = await credential();
    const { handle } = await build([request({ credential: gone })]);
    await call(api, 'DELETE', `/credentials/${gone}`);
    const { steps } = await untilRun(api, await fireRun(api, { tenantId: 'acme-shop', handle }, {}));
    expect(steps[0]?.error).toMatchObject({
      code: 'CREDENTIAL_NOT_FOUND',
      message: expect.stringContaining('Choose another'),
    });
  });

  test.each([
    ['pending', 'CREDENTIAL_PENDING', /Authorise it/],
    ['expired', 'CREDENTIAL_EXPIRED', /Reconnect it/],
    ['revoked', 'CREDENTIAL_REVOKED', /Reconnect it/],
  ] as const)('fails with what to do where the credential is %s', async (status, code, message) => {
    const id = await credential();
    await api.database.withTenant('acme-shop', (tx) =>
      tx.credential.update({ where: { tenantId_id: { tenantId: 'acme-shop', id: BigInt(id) } }, data: { status } }),
    );
    const { error } = (await run([request({ credential: id })])).steps[0] ?? {};
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
  });

  test('refuses a type that its field does not accept', async () => {
    const id = await credential({ credential_type_slug: 'erp:api', config: { base_url: erp.url, token: canary } });
    const { error } = (await run([request({ credential: id })])).steps[0] ?? {};
    expect(error).toMatchObject({ code: 'CREDENTIAL_UNUSABLE', message: expect.stringContaining('erp:api') });
  });

  test('says in the log, with an alarm, when a credential cannot be opened', async () => {
    const id = await credential();
    await api.database.withTenant(
      'acme-shop',
      (tx) =>
        tx.$executeRaw`UPDATE credentials SET config = set_byte(config, 20, 255 - get_byte(config, 20)) WHERE id = ${id}`,
    );
    const { error } = (await run([request({ credential: id })])).steps[0] ?? {};
    expect(error).toMatchObject({ code: 'CREDENTIAL_UNREADABLE' });
    expect(api.logLines.some((line) => line.includes('unreadable_ciphertext'))).toBe(true);
    expect((await call(api, 'POST', `/credentials/${id}/test`)).status).toBe(500);
  });
});

describe("a package's node", () => {
  test('reaches the ERP with a stored credential', async () => {
    const id = await credential({ credential_type_slug: 'erp:api', config: { base_url: erp.url, token: canary } });
    const config = {
      base_url: erp.url,
      credential: id,
      order: { number: '10001', positions: [{ sku: 'A', quantity: '1' }] },
    };
    const done = await run([{ id: 'create', node: 'erp:create-order', version: '^1.0.0', config }]);
    expect(done.steps[0]).toMatchObject({ status: 'succeeded', outputs: { erp_number: 'ERP-000001' } });
    const tested = await call(api, 'GET', `/workflows/${done.workflowId}/credentials`);
    expect(tested.body['data']).toEqual([
      { node_id: 'create', field: 'credential', credential_id: id, credential_type_slug: 'erp:api' },
    ]);
  });

  test('gets a field by the key of its config field or by the credential’s id, and its run stores none of it', async () => {
    const id = await credential();
    for (const reference of ['credential', String(id)]) {
      const done = await run([ask({ credential: id, reference, field: 'token' })]);
      expect(done.steps[0]).toMatchObject({ status: 'succeeded', outputs: { value: '[redacted]' } });
      expect(JSON.stringify(done)).not.toContain(canary);
      // The node got the secret itself.
      expect(done.steps[0]?.outputs).toMatchObject({ parts: canary.split('').toReversed().join('') });
    }
  });

  test.each([
    ['a credential that its config does not name', 'OTHER', 'CREDENTIAL_NOT_NAMED'],
    ['a config field that holds no credential', 'field', 'CREDENTIAL_NOT_NAMED'],
    ['nothing at all', 'nonsense', 'CREDENTIAL_NOT_NAMED'],
    ['a prototype', '__proto__', 'CREDENTIAL_NOT_NAMED'],
  ])('is refused %s', async (_name, reference, code) => {
    const other = await credential();
    const id = await credential();
    const asked = ask({ credential: id, reference: reference === 'OTHER' ? String(other) : reference, field: 'token' });
    expect((await run([asked])).steps[0]).toMatchObject({ status: 'failed', error: { code } });
  });

  test('gets nothing for a field that the credential does not have', async () => {
    const id = await credential();
    for (const field of ['none', '__proto__', 'constructor']) {
      const done = await run([ask({ credential: id, reference: 'credential', field })]);
      expect(done.steps[0]).toMatchObject({ status: 'succeeded', outputs: { value: null } });
    }
  });
});

describe('a connected credential', () => {
  const token = 'canary-access-4711';

  async function connected(): Promise<number> {
    const config = {
      authorize_url: 'https://id.example.com/a',
      token_url: 'https://id.example.com/t',
      client_id: 'c',
      client_secret: canary,
      test_url: echoUrl,
    };
    const id = await credential({ credential_type_slug: 'core:oauth2', config });
    const key = { tenantId: 'acme-shop', id: BigInt(id) };
    await api.database.withTenant(key.tenantId, async (tx) => {
      const grant = await sealGrant(api.deps, tx, key, {
        access_token: token,
        refresh_token: null,
        token_type: 'bearer',
        scope: null,
        obtained_at: new Date().toISOString(),
        expires_at: null,
        refresh_expires_at: null,
      });
      await tx.credential.update({ where: { tenantId_id: key }, data: { ...grant, status: 'active' } });
    });
    return id;
  }

  test('is used with its access token, which is never shown', async () => {
    const id = await connected();
    const done = await run([request({ credential: id })]);
    expect(done.steps[0]?.outputs).toMatchObject({ body: { sent: { authorization: 'Bearer [redacted]' } } });
    expect(await call(api, 'POST', `/credentials/${id}/test`)).toMatchObject({ body: { ok: true } });
    expect(JSON.stringify(done) + api.logLines.join('')).not.toContain(token);
  });

  test('gives a node its access token and not its client', async () => {
    const id = await connected();
    for (const [field, value] of [
      ['access_token', '[redacted]'],
      ['client_secret', null],
      ['refresh_token', null],
    ]) {
      const done = await run([ask({ credential: id, reference: 'credential', field })]);
      expect(done.steps[0]).toMatchObject({ status: 'succeeded', outputs: { value } });
    }
  });
});

describe('a node that is tested', () => {
  const test1 = (slug: string, config: object, roles = ['admin'], tenant = 'acme-shop') =>
    call(api, 'POST', `/nodes/${slug}/1.0.0/execute:test`, { body: { config }, as: { roles, tenant } });

  test('uses the stored credential of an admin, and answers without its secrets', async () => {
    const id = await credential();
    const sent = await test1('core:http-request', { url: echoUrl, credential: id });
    expect(sent).toMatchObject({
      status: 200,
      body: { outputs: { body: { sent: { authorization: 'Bearer [redacted]' } } } },
    });
    const asked = await test1('snoop:ask', { credential: id, reference: 'credential', field: 'token' });
    expect(asked).toMatchObject({ status: 200, body: { outputs: { value: '[redacted]' } } });
    expect(sent.text + asked.text).not.toContain(canary);
  });

  test('sends a stored credential to no plain http host that is not allowed', async () => {
    const sent = await test1('core:http-request', { url: 'http://shop.invalid/', credential: await credential() });
    expect(sent).toMatchObject({ status: 422, body: { error: { code: 'HTTP_REFUSED_PROTOCOL' } } });
  });

  test('gives no credential to others, who could send it anywhere', async () => {
    const id = await credential();
    const error = { code: 'CREDENTIAL_FORBIDDEN', message: expect.any(String) };
    for (const [slug, config] of [
      ['core:http-request', { url: echoUrl, credential: id }],
      ['snoop:ask', { credential: id, reference: 'credential', field: 'token' }],
    ] as const) {
      expect(await test1(slug, config, ['user'])).toMatchObject({ status: 422, body: { error } });
      const elsewhere = await test1(slug, config, ['admin'], 'acme-outlet');
      expect(elsewhere).toMatchObject({ status: 422, body: { error: { code: 'CREDENTIAL_NOT_FOUND' } } });
    }
  });
});

describe("a package's credential type", () => {
  test('tests a config in the sandbox, without revealing its secrets', async () => {
    const body = { credential_type_slug: 'erp:api', config: { base_url: erp.url, token: canary } };
    api.egressAllow.add(new URL(erp.url).host);
    expect(await call(api, 'POST', '/credentials/test', { body })).toMatchObject({
      status: 200,
      body: { ok: true, message: 'The ERP accepts the token.' },
    });
    const wrong = { ...body, config: { base_url: erp.url, token: 'another-token' } };
    expect(await call(api, 'POST', '/credentials/test', { body: wrong })).toMatchObject({
      status: 200,
      body: { ok: false, message: expect.stringContaining('401') },
    });
  });
});
