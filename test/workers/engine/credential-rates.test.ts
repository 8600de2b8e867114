import { afterAll, beforeEach, describe, expect } from 'vitest';
import { registerNodePackage } from '#src/automation/packages/node-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { type Receiver, startReceiver } from '#test/automation/core-nodes/receiver.ts';
import { packageArchive } from '#test/automation/packages/package-archive.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readRun, type RunState, untilRun } from '#test/setup/engine.ts';
import type { Engine } from '#workers/engine/engine.ts';

const tenantId = 'acme-shop';

let api: TestApp;
let engine: Engine;
let shop: Receiver;
/** The paths of the requests that arrived. */
let seen: string[] = [];
/** What the next requests are answered; afterwards all are answered 200. */
let answers: [status: number, headers?: Record<string, string>][] = [];

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  shop = await startReceiver((request, _body, response) => {
    seen.push(request.url ?? '');
    const [status, headers] = answers.shift() ?? [200];
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end('[{"id":7}]');
  });
  const { host } = new URL(shop.url);
  api.egressAllow.add(host);
  await registerNodePackage(api.deps, {
    orgId: 'acme',
    archive: packageArchive({
      name: 'limited-nodes',
      namespace: 'limited',
      nodes: [
        {
          name: 'get',
          version: '1.0.0',
          manifest: { config: [{ key: 'credential', type: 'credentials-ref', credential_types: ['core:bearer'] }] },
          code: `export const execute = async ({ credentials, http }) => {
            const token = await credentials.get('credential', 'token');
            const { status } = await http.request({ url: '${shop.url}/sandboxed', headers: { authorization: token } });
            if (status !== 200) throw new Error('answered ' + status);
            return { outputs: { status } };
          };`,
        },
      ],
    }),
  });
  engine = await startEngine({ allow: host });
});
afterAll(() => shop.close());
beforeEach(() => {
  seen = [];
  answers = [];
});

let counter = 0;
async function addCredential(limit?: { requests: number; per: string }): Promise<number> {
  counter += 1;
  const body = { credential_type_slug: 'core:bearer', name: `Limited ${counter}`, config: { token: 'canary-4711' } };
  const id = Number((await call(api, 'POST', '/credentials', { body })).body['id']);
  if (limit)
    await api.database.withTenant(tenantId, (tx) =>
      tx.credential.update({
        where: { tenantId_id: { tenantId, id: BigInt(id) } },
        data: { rateRequests: limit.requests, ratePeriod: limit.per, rateBurst: 1 },
      }),
    );
  return id;
}

async function fireStep(step: object): Promise<number> {
  counter += 1;
  const blob = { version: 'v1', nodes: [step], edges: [] };
  const made = await call(api, 'POST', '/workflows', { body: { name: `Limited ${counter}`, blob } });
  const workflowId = Number(made.body['id']);
  await buildWorkflow(api.deps, { tenantId, workflowId });
  const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'x' },
  });
  return fireRun(api, { tenantId, handle: String(trigger.body['handle']) });
}

const get = (credential: number, more: object = {}) =>
  node('get', 'http-request', { url: `${shop.url}/items`, credential, ...more });

const isWaiting = ({ status, steps }: RunState): boolean => status === 'waiting' && steps.at(-1)?.status === 'waiting';

const setRate = (credential: number, change: string) =>
  api.database.system.query(`UPDATE credential_rates SET ${change} WHERE credential_id = $1`, [credential]);
/** Lets the time pass for which a credential is closed. */
const open = (credential: number) => setRate(credential, `closed_until = now() - interval '1 ms'`);
/** Puts the next turn so far away that no run gets one. */
const block = (credential: number) =>
  api.database.system.query(
    `INSERT INTO credential_rates (tenant_id, credential_id, closed_until) VALUES ($1, $2, now() + interval '1 hour')`,
    [tenantId, credential],
  );

const outline = ({ steps }: RunState) =>
  steps.map(({ attempt, status, error }) => [attempt, status, error?.code ?? null]);

describe('a step with a limited credential', () => {
  test.each(['core:http-request', 'limited:get'])(
    '%s waits without a slot until its turn, and goes on',
    async (slug) => {
      const credential = await addCredential({ requests: 10, per: 'second' });
      await block(credential);
      const step =
        slug === 'limited:get' ? { id: 'get', node: slug, version: '1.0.0', config: { credential } } : get(credential);
      const runId = await fireStep(step);
      const waiting = await untilRun(api, runId, isWaiting);
      expect(waiting.steps).toMatchObject([
        { attempt: 1, waiting_for: `rate_limit:${credential}`, wake_at: expect.any(String) },
      ]);
      expect(engine.stats().active).toBe(0);
      expect(seen).toEqual([]);
      await open(credential);
      expect(outline(await untilRun(api, runId, 'succeeded'))).toEqual([[1, 'succeeded', null]]);
      expect(seen).toHaveLength(1);
    },
  );

  test('fails as before if its credential is deleted while it waits', async () => {
    const credential = await addCredential({ requests: 1, per: 'hour' });
    await block(credential);
    const runId = await fireStep(get(credential));
    await untilRun(api, runId, isWaiting);
    await call(api, 'DELETE', `/credentials/${credential}`);
    expect(outline(await untilRun(api, runId, 'failed'))).toEqual([[1, 'failed', 'CREDENTIAL_NOT_FOUND']]);
  });

  test('is cancelled with its run while it waits, and its turn goes to another', async () => {
    const credential = await addCredential({ requests: 1, per: 'hour' });
    await block(credential);
    const [cancelled, other] = [await fireStep(get(credential)), await fireStep(get(credential))];
    for (const runId of [cancelled, other]) await untilRun(api, runId, isWaiting);
    expect((await call(api, 'POST', `/runs/${cancelled}/cancel`)).status).toBe(202);
    expect((await readRun(api, cancelled)).status).toBe('cancelled');
    await open(credential);
    await untilRun(api, other, 'succeeded');
    expect(seen).toHaveLength(1);
  });
});

describe('an API that refuses a request because of its limit', () => {
  test.each(['core:http-request', 'limited:get'])(
    'receives that request of %s again after the time that it named, and no other request before',
    async (slug) => {
      const credential = await addCredential();
      answers = [[429, { 'retry-after': '3600' }]];
      const isSandboxed = slug === 'limited:get';
      const retry = { limit: 1, delay_ms: 0 };
      const first = await fireStep(
        isSandboxed ? { id: 'get', node: slug, version: '1.0.0', config: { credential }, retry } : get(credential),
      );
      expect(outline(await untilRun(api, first, isWaiting))).toEqual([
        [1, 'failed', isSandboxed ? 'NODE_THREW' : 'RATE_LIMITED'],
        [2, 'waiting', null],
      ]);
      const second = await fireStep(get(credential));
      await untilRun(api, second, isWaiting);
      expect(seen).toHaveLength(1);
      await open(credential);
      for (const runId of [first, second]) await untilRun(api, runId, 'succeeded');
      expect(seen).toHaveLength(3);
    },
  );

  test('refuses a step 20 times; then it fails', async () => {
    const credential = await addCredential({ requests: 1_000, per: 'second' });
    answers = Array.from({ length: 50 }, () => [429]);
    const runId = await fireStep(get(credential));
    for (let refusals = 1; refusals < 20; refusals += 1) {
      await untilRun(api, runId, (run) => isWaiting(run) && run.steps.length === refusals + 1);
      expect(engine.stats().active).toBe(0);
      await open(credential);
    }
    const { steps, error } = await untilRun(api, runId, 'failed');
    expect(error).toContain('rate limit');
    expect(steps).toHaveLength(20);
    // The first pause of a second is waited for in place.
    expect(seen).toHaveLength(21);
  });

  test('is not asked again if nothing is known of its limit, or if the workflow handles the status itself', async () => {
    answers = [[429], [429, { 'retry-after': '3600' }]];
    const failed = await untilRun(api, await fireStep(get(await addCredential())));
    expect(outline(failed)).toEqual([[1, 'failed', 'HTTP_STATUS']]);
    const handled = await untilRun(api, await fireStep(get(await addCredential(), { fail_on_status: false })));
    expect(handled.steps).toMatchObject([{ status: 'succeeded', outputs: { status: 429 } }]);
  });

  test('receives requests for later pages again from the same attempt, so that the first pages are read once', async () => {
    answers = [
      [200, { link: `<${shop.url}/items?page=2>; rel="next"` }],
      [429, { 'retry-after': '0.5' }],
    ];
    const done = await untilRun(api, await fireStep(get(await addCredential(), { paging: { by: 'next_link' } })));
    expect(done.steps).toMatchObject([{ attempt: 1, outputs: { body: [{ id: 7 }, { id: 7 }], pages: 2 } }]);
    expect(seen).toEqual(['/items', '/items?page=2', '/items?page=2']);
  });
});

test('an answer that says that the limit is used up closes the credential for the steps of all workers', async ({
  startEngine,
}) => {
  await startEngine({ allow: new URL(shop.url).host });
  const credential = await addCredential();
  answers = [[200, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '600' }]];
  await untilRun(api, await fireStep(get(credential)), 'succeeded');
  const waiting = [await fireStep(get(credential)), await fireStep(get(credential))];
  for (const runId of waiting) await untilRun(api, runId, isWaiting);
  expect(seen).toHaveLength(1);
  await open(credential);
  for (const runId of waiting) await untilRun(api, runId, 'succeeded');
});
