import { afterAll, beforeEach, describe, expect } from 'vitest';
import { readCredential } from '#src/automation/credentials/credentials.store.ts';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { fireRun, node, untilRun } from '#test/setup/engine.ts';
import { type OAuthWorld, startOAuthWorld } from './connect.ts';
import { type PlainProvider, startPlainProvider } from './plain-provider.ts';

let world: OAuthWorld;
let plain: PlainProvider;
test.beforeAll(async ({ api, startEngine }) => {
  world = await startOAuthWorld(api);
  plain = await startPlainProvider();
  api.egressAllow.add(plain.host);
  await registerNodePackage(api.deps, { orgId: 'acme', archive: calling });
  await startEngine({ allow: `${world.provider.host},${plain.host}` });
});
afterAll(async () => {
  await plain.close();
  await world.close();
});

const tenantId = 'acme-shop';

/** Calls the API as packages do: with a header of its own, at the place that the token answer named. */
const calling = packageArchive({
  name: 'caller-nodes',
  namespace: 'caller',
  nodes: [
    {
      name: 'call',
      version: '1.0.0',
      manifest: { config: [{ key: 'credential', type: 'credentials-ref', credential_types: ['core:oauth2'] }] },
      code: `export const execute = async ({ credentials, http, log }) => {
        const get = (field) => credentials.get('credential', field);
        const at = await get('instance_url');
        const headers = { authorization: 'Bearer ' + await get('access_token') };
        const { status, body } = await http.request({ url: at + '/orders', headers });
        log.info('session', await get('session_key'));
        return { outputs: { status, body, at, session: await get('session_key') } };
      };`,
    },
  ],
});

let made = 0;
/** Makes a workflow of one node, and answers how to run it. */
async function createWorkflow(given: object) {
  const { api } = world;
  made += 1;
  const blob = { version: 'v1', nodes: [given], edges: [] };
  const { body } = await call(api, 'POST', '/workflows', { body: { name: `Workflow ${made}`, blob } });
  const workflowId = Number(body['id']);
  await buildWorkflow(api.deps, { tenantId, workflowId });
  const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'x' },
  });
  const handle = String(trigger.body['handle']);
  const start = () => fireRun(api, { tenantId, handle });
  return {
    workflowId,
    start,
    run: async () => {
      const runId = await start();
      await untilRun(api, runId);
      return (await call(api, 'GET', `/workflows/${workflowId}/runs/${runId}`)).body as unknown as {
        status: string;
        steps: { outputs: unknown; error: { code: string; message: string } | null }[];
      };
    },
  };
}

test('a node signs its requests with a fresh token, which concurrent runs refresh once and never reveal', async () => {
  const { api, provider } = world;
  const id = await world.connect();
  const config = { url: `${provider.issuer}/me`, credential: id };
  const { workflowId, start } = await createWorkflow(node('ask', 'http-request', config));

  await world.endAccessToken(id);
  const before = provider.tokenRequests;
  const letIn = provider.hold();
  const fired = await Promise.all(Array.from({ length: 20 }, start));
  while (provider.tokenRequests === before) await new Promise((resolve) => setTimeout(resolve, 10));
  setTimeout(letIn, 500);
  const runs = await Promise.all(fired.map((runId) => untilRun(api, runId)));
  expect(runs.map(({ status }) => status)).toEqual(fired.map(() => 'succeeded'));
  expect(provider.tokenRequests - before).toBe(1);

  const { body } = await call(api, 'GET', `/workflows/${workflowId}/runs/${fired[0]}`);
  expect(body).toMatchObject({ result: { ask: { status: 200, body: { sub: 'ada' } } } });
  const { access_token: token } = (await readCredential(api.deps, tenantId, BigInt(id)))?.grant ?? {};
  expect(token).toEqual(expect.any(String));
  expect([JSON.stringify(body), ...api.logLines].join('\n')).not.toContain(token);
});

test('a session that ends early is renewed once for all runs that get its 401', async () => {
  const { api, provider } = world;
  const id = await world.connect();
  const { workflowId, start } = await createWorkflow(
    node('ask', 'http-request', { url: `${provider.issuer}/me`, credential: id }),
  );
  const { access_token: token } = (await readCredential(api.deps, tenantId, BigInt(id)))?.grant ?? {};
  await provider.endSession(String(token));
  const before = provider.tokenRequests;
  const fired = await Promise.all(Array.from({ length: 20 }, start));
  const runs = await Promise.all(fired.map((runId) => untilRun(api, runId)));
  expect(runs.map(({ status }) => status)).toEqual(fired.map(() => 'succeeded'));
  expect(provider.tokenRequests - before).toBe(1);
  const { body } = await call(api, 'GET', `/workflows/${workflowId}/runs/${fired[0]}`);
  expect(body).toMatchObject({ result: { ask: { status: 200, body: { sub: 'ada' } } } });
});

describe('a provider that does not name the lifetime of its tokens', () => {
  beforeEach(() => {
    plain.asked.length = 0;
    plain.calls.length = 0;
    plain.isClosed = false;
    plain.says = { refresh_token: 'plain-refresh-canary' };
  });

  async function connected(): Promise<number> {
    const id = await world.create(plain.config);
    const state = new URL(await world.authorizeUrl(id)).searchParams.get('state');
    expect(await world.callback(`code=any&state=${state}`)).toMatchObject({ status: 200 });
    return id;
  }
  const grants = () => plain.asked.map(({ grant_type: grant }) => grant);

  test('is asked for another token whenever the API answers 401', async () => {
    const id = await connected();
    const { run } = await createWorkflow(
      node('send', 'http-request', { method: 'POST', url: `${plain.url}/orders`, body: { a: 1 }, credential: id }),
    );
    expect(await run()).toMatchObject({ status: 'succeeded' });
    for (const renewals of [1, 2]) {
      plain.endSessions();
      expect(await run()).toMatchObject({ status: 'succeeded', steps: [{ outputs: { status: 200 } }] });
      expect(grants()).toEqual(['authorization_code', ...Array.from({ length: renewals }, () => 'refresh_token')]);
    }
    // The repeated request is the same.
    const [, rejected, repeated] = plain.calls;
    expect(repeated).toEqual({ ...rejected, token: 'plain-access-canary-2' });
  });

  test('is asked once if the API refuses every token, and the 401 is then the response', async () => {
    const id = await connected();
    const { run } = await createWorkflow(node('send', 'http-request', { url: `${plain.url}/orders`, credential: id }));
    plain.isClosed = true;
    for (let runs = 0; runs < 3; runs += 1) {
      expect(await run()).toMatchObject({ status: 'failed', steps: [{ error: { code: 'HTTP_STATUS' } }] });
    }
    expect(grants()).toEqual(['authorization_code', 'refresh_token']);
    expect(plain.calls).toHaveLength(4);
  });

  test('and gives no refresh token leaves the 401 as the response', async () => {
    plain.says = {};
    const id = await connected();
    const { run } = await createWorkflow(node('send', 'http-request', { url: `${plain.url}/orders`, credential: id }));
    plain.endSessions();
    expect(await run()).toMatchObject({ status: 'failed', steps: [{ error: { code: 'HTTP_STATUS' } }] });
    expect(await world.status(id)).toBe('active');
  });

  test('serves nodes of packages and the test of a credential', async () => {
    plain.says = { ...plain.says, instance_url: plain.url, session_key: 'plain-session-canary' };
    const id = await connected();
    await call(world.api, 'PATCH', `/credentials/${id}`, {
      body: { config: { ...plain.config, test_url: plain.url } },
    });
    const { run } = await createWorkflow({
      id: 'call',
      node: 'caller:call',
      version: '1.0.0',
      config: { credential: id },
    });
    plain.endSessions();
    const done = await run();
    expect(done).toMatchObject({
      status: 'succeeded',
      steps: [{ outputs: { status: 200, at: plain.url, session: '[redacted]' } }],
    });
    plain.endSessions();
    expect(await call(world.api, 'POST', `/credentials/${id}/test`)).toMatchObject({ body: { ok: true } });
    expect(grants()).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
    expect(JSON.stringify(done) + world.api.logLines.join('\n')).not.toMatch(/plain-[a-z-]+-canary/);
  });

  test('may name the host of its API in its token response', async () => {
    plain.says = { ...plain.says, instance_url: plain.url };
    const id = await connected();
    const at = (host_from: string) =>
      createWorkflow(
        node('send', 'http-request', { url: 'https://login.example.com/orders?a=1', host_from, credential: id }),
      );
    expect(await (await at('instance_url')).run()).toMatchObject({ status: 'succeeded' });
    expect(plain.calls.at(-1)).toMatchObject({ url: '/orders?a=1', token: expect.stringMatching(/canary-\d+$/) });
    const { steps } = await (await at('base_url')).run();
    expect(steps[0]?.error).toMatchObject({ code: 'CREDENTIAL_INCOMPLETE' });
  });
});
