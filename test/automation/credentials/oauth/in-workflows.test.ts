import { afterAll, expect } from 'vitest';
import { readCredential } from '#src/automation/credentials/credentials.store.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import { fireRun, node, untilRun } from '#test/setup/engine.ts';
import { type OAuthWorld, startOAuthWorld } from './connect.ts';

let world: OAuthWorld;
test.beforeAll(async ({ api, startEngine }) => {
  world = await startOAuthWorld(api);
  await startEngine({ allow: world.provider.host });
});
afterAll(() => world.close());

const tenantId = 'acme-shop';

test('a node signs its requests with a fresh token, which concurrent runs refresh once and never reveal', async () => {
  const { api, provider } = world;
  const id = await world.connect();
  const config = { url: `${provider.issuer}/me`, credential: id };
  const blob = { version: 'v1', nodes: [node('ask', 'http-request', config)], edges: [] };
  const made = await call(api, 'POST', '/workflows', { body: { name: 'Who am I', blob } });
  const workflowId = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId, workflowId });
  const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'x' },
  });
  const handle = String(trigger.body['handle']);

  await world.endAccessToken(id);
  const before = provider.tokenRequests;
  const letIn = provider.hold();
  const fired = await Promise.all(Array.from({ length: 20 }, () => fireRun(api, { tenantId, handle })));
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
