import { describe, expect } from 'vitest';
import { computeHmac, platformHeaders, secret, standardHeaders } from '#test/commerce/inbound/senders.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { readyWorkflow } from '#test/setup/engine.ts';

let api: TestApp;
test.beforeAll(async ({ api: started }) => {
  api = started;
  await putSecret('ERP_HOOK', secret);
});

const body = '{"number":"1001","note":"Größe L"}';
const platform = { verifier: 'platform_v0', secret_ref: 'ERP_HOOK' };

const putSecret = (key: string, value: string) => call(api, 'PUT', `/secrets/${key}`, { body: { value } });

/** A webhook trigger of acme-shop with this verifier. */
async function makeHook(verify: object): Promise<{ handle: string; workflowId: number; path: string }> {
  const { workflowId } = await readyWorkflow(api, { nodes: [] });
  const made = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
    body: { type: 'webhook', name: 'ERP', config: { verify } },
  });
  expect(made.status).toBe(201);
  return {
    handle: String(made.body['handle']),
    workflowId,
    path: `/workflows/${workflowId}/triggers/${made.body['id']}`,
  };
}

/** Calls a webhook without a token; the query names the tenant. */
async function send(
  handle: string,
  headers: Record<string, string>,
  { tenant = 'acme-shop', payload = body }: { tenant?: string; payload?: string } = {},
) {
  const response = await api.app.inject({
    method: 'POST',
    url: `/api/v1/webhooks/${handle}?tenant=${tenant}`,
    headers: { 'content-type': 'application/json', ...headers },
    payload,
  });
  return { status: response.statusCode, body: response.json<Record<string, unknown>>() };
}

const findPayloads = (handle: string): Promise<{ payload: { body: unknown; headers: object } }[]> =>
  api.database.tenantQuery('acme-shop', {
    text: `SELECT p.payload FROM runs r JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id
      WHERE r.trigger_handle = $1 ORDER BY r.id`,
    values: [handle],
  });

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
const hmac = { header: 'X-Sig', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=', id_header: 'X-Event' };

test.for<[string, object, Record<string, string>, Record<string, string>]>([
  ['platform_v0', {}, platformHeaders(body, { id: 'v-1' }), platformHeaders(`${body} `, { id: 'v-1' })],
  [
    'standard_webhooks',
    {},
    standardHeaders(body, { id: 'v-1' }),
    { ...standardHeaders(body, { id: 'v-1' }), 'webhook-id': 'v-2' },
  ],
  [
    'hmac',
    hmac,
    { 'x-sig': `sha256=${computeHmac(body, 'hex')}`, 'x-event': 'v-1' },
    { 'x-sig': computeHmac(body, 'hex') },
  ],
  [
    'basic',
    { username: 'erp', id_header: 'X-Event' },
    { authorization: basic('erp', secret), 'x-event': 'v-1' },
    { authorization: basic('erp', 'guess') },
  ],
  [
    'api_key',
    { header: 'Authorization', id_path: 'number' },
    { authorization: secret },
    { authorization: `Bearer ${secret}` },
  ],
])(
  '%s fires the trigger once for each event, without a token, and nothing else does',
  async ([verifier, config, good, bad]) => {
    const { handle } = await makeHook({ verifier, config, secret_ref: 'ERP_HOOK' });
    const first = await send(handle, good);
    expect(first).toEqual({ status: 202, body: { run_id: expect.any(Number), status: 'queued' } });
    expect(await send(handle, good)).toEqual(first);
    for (const headers of [bad, {}]) {
      expect(await send(handle, headers)).toEqual({ status: 401, body: { message: 'Unauthenticated.' } });
    }
    const payloads = await findPayloads(handle);
    expect(payloads).toMatchObject([{ payload: { body: JSON.parse(body), query: { tenant: 'acme-shop' } } }]);
    const shown = Object.keys(payloads[0]?.payload.headers ?? {});
    expect(shown).toContain('content-type');
    for (const name of [...Object.keys(good), 'authorization'].filter((each) => each !== 'x-event'))
      expect(shown).not.toContain(name);
  },
);

describe('a signed call', () => {
  const changed = (by: (signature: string) => string) => () => {
    const headers = platformHeaders(body);
    return { ...headers, 'x-platform-signature': by(headers['x-platform-signature'] as string) };
  };
  // Made when it is sent: its time is told from then.
  test.for<[string, () => Record<string, string>]>([
    ['a cut signature', changed((signature) => signature.slice(0, -1))],
    ['a version in capitals', changed((signature) => signature.replace('v0', 'V0'))],
    ['a time of five minutes ago', () => platformHeaders(body, { offset: -400 })],
    ['a time five minutes ahead', () => platformHeaders(body, { offset: 400 })],
    [
      'the signature of a body that was written again',
      () => platformHeaders(JSON.stringify(JSON.parse(body), null, 1)),
    ],
  ])('with %s is refused', async ([, makeHeaders]) => {
    const { handle } = await makeHook(platform);
    expect((await send(handle, makeHeaders())).status).toBe(401);
    expect(await findPayloads(handle)).toEqual([]);
  });

  test('is refused before its body is parsed', async () => {
    const { handle } = await makeHook(platform);
    expect((await send(handle, platformHeaders(body), { payload: '{"cut' })).status).toBe(401);
    expect((await send(handle, platformHeaders('{"cut'), { payload: '{"cut' })).status).toBe(400);
  });

  test('reaches no trigger of another tenant, and does not reveal whether it exists', async () => {
    const { handle } = await makeHook(platform);
    for (const tenant of ['globex-shop', 'nobody', '', 'x'.repeat(100)])
      expect(await send(handle, platformHeaders(body), { tenant })).toEqual({
        status: 401,
        body: { message: 'Unauthenticated.', hint: expect.any(String) },
      });
    expect(await findPayloads(handle)).toEqual([]);
  });

  test('may name the tenant in a header instead, which takes precedence over the query', async () => {
    const { handle } = await makeHook(platform);
    const headers = { ...platformHeaders(body), 'x-tenant-id': 'acme-shop' };
    expect((await send(handle, headers, { tenant: 'globex-shop' })).status).toBe(202);
  });

  test('without an event id is never a repeat', async () => {
    const { handle } = await makeHook({ verifier: 'api_key', config: { header: 'X-Key' }, secret_ref: 'ERP_HOOK' });
    const answers = [await send(handle, { 'x-key': secret }), await send(handle, { 'x-key': secret })];
    expect(new Set(answers.map((answer) => answer.body['run_id'])).size).toBe(2);
  });

  test('is accepted with either of two secrets while one is being replaced', async () => {
    await putSecret('ERP_HOOK_NEXT', 'the-next-secret-of-the-erp');
    const { handle, path } = await makeHook({ ...platform, secret_ref: ['ERP_HOOK_NEXT', 'ERP_HOOK'] });
    const signed = (id: string, by: string) => send(handle, platformHeaders(body, { id, secrets: [by] }));
    expect((await signed('o-1', secret)).status).toBe(202);
    expect((await signed('o-2', 'the-next-secret-of-the-erp')).status).toBe(202);
    await call(api, 'PATCH', path, { body: { config: { verify: { ...platform, secret_ref: 'ERP_HOOK_NEXT' } } } });
    expect((await signed('o-3', secret)).status).toBe(401);
  });

  test('gets a retryable refusal while the secret is missing', async () => {
    await putSecret('GONE_HOOK', secret);
    const { handle } = await makeHook({ ...platform, secret_ref: 'GONE_HOOK' });
    await call(api, 'DELETE', '/secrets/GONE_HOOK');
    expect((await send(handle, platformHeaders(body))).status).toBe(503);
    await putSecret('GONE_HOOK', secret);
    expect((await send(handle, platformHeaders(body))).status).toBe(202);
  });
});

test('a token also fires a trigger with a verifier, and a trigger without a verifier requires one', async () => {
  const { handle, path } = await makeHook(platform);
  expect((await call(api, 'POST', `/webhooks/${handle}`, { body: {} })).status).toBe(202);
  await call(api, 'PATCH', path, { body: { config: {} } });
  expect((await send(handle, platformHeaders(body))).status).toBe(401);
  expect((await call(api, 'POST', `/webhooks/${handle}`, { body: {} })).status).toBe(202);
});

describe('config.verify', () => {
  test.for<[string, object, string]>([
    ['a secret that the tenant lacks', { secret_ref: 'NO_SUCH' }, 'config.verify.secret_ref'],
    ['no secret', {}, 'config.verify.secret_ref'],
    ['the secret itself', { secret_ref: 'ERP_HOOK', config: { secret } }, 'config.verify.config.secret'],
    ['a verifier that is unknown', { ...platform, verifier: 'rot13' }, 'config.verify.verifier'],
    ['a config that does not fit', { ...platform, verifier: 'hmac' }, 'config.verify.config.header'],
  ])('is refused with %s', async ([, verify, field]) => {
    const { workflowId } = await readyWorkflow(api, { nodes: [] });
    const { status, body: refusal } = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
      body: { type: 'webhook', name: 'ERP', config: { verify } },
    });
    expect([status, Object.keys(refusal['errors'] ?? {})]).toEqual([422, expect.arrayContaining([field])]);
  });

  test('is shown and audited without a secret', async () => {
    const { path } = await makeHook({ ...platform, config: { tolerance_seconds: 60 } });
    const { text, body: shown } = await call(api, 'GET', path);
    expect(shown['config']).toEqual({
      respond: 'immediate',
      verify: { ...platform, config: { tolerance_seconds: 60 } },
    });
    const { text: audited } = await call(api, 'GET', '/audit-logs');
    expect(text + audited + api.logLines.join()).not.toContain(secret);
  });
});

test('an idempotency key of fireWebhook returns the run that it first started', async () => {
  const { handle } = await makeHook(platform);
  const fire = () =>
    api.graphql<{ fireWebhook: { runId: number } }>(
      `mutation { fireWebhook(input: { handle: "${handle}", payload: 1, idempotencyKey: "once" }) {
        ... on FireWebhookPayload { runId deadLetter { id } }
      } }`,
    );
  const { data, errors } = await fire();
  expect(errors).toBeUndefined();
  expect(data.fireWebhook.runId).toEqual(expect.any(Number));
  expect((await fire()).data).toEqual(data);
});
