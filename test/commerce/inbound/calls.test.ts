import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect } from 'vitest';
import { sweepInbound } from '#src/commerce/inbound/inbound-sweep.service.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { readyWorkflow } from '#test/setup/engine.ts';
import { computeHmac, makeEndpoint, platformHeaders, secret, send, sendSigned } from './senders.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const body = '{"number":"1001","note":"Größe L"}';
const unknown = 'A'.repeat(32);

async function readRefusals(id: number): Promise<Record<string, number>> {
  const { body: log } = await callPlatform(api, 'GET', `/webhooks/inbound-endpoints/${id}/refusals`);
  const items = log['items'] as unknown as { reason: string; count: number }[];
  return Object.fromEntries(items.map(({ reason, count }) => [reason, count]));
}

async function findRuns(handle: string): Promise<{ id: number; payload: Record<string, unknown> }[]> {
  return api.database.tenantQuery('acme-shop', {
    text: `SELECT r.id, p.payload FROM runs r JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id
      WHERE r.trigger_handle = $1 ORDER BY r.id`,
    values: [handle],
  });
}

async function findEvents(topic: string): Promise<{ data: unknown; metadata: unknown }[]> {
  const { rows } = await api.database.system.query<{ data: unknown; metadata: unknown }>(
    'SELECT data, metadata FROM outbox_events WHERE topic = $1 ORDER BY id',
    [topic],
  );
  return rows;
}

describe('a call', () => {
  test('is refused with 404, 410 or 401, in this order', async () => {
    const made = await makeEndpoint(api);
    await callPlatform(api, 'POST', `/webhooks/inbound-endpoints/${made.id}/disable`);
    expect(await send(api, unknown, {})).toEqual({ status: 404, body: { message: 'Not found.', code: 'NOT_FOUND' } });
    expect(await send(api, made.endpoint_id, {})).toMatchObject({ status: 410, body: { code: 'GONE' } });
    await callPlatform(api, 'POST', `/webhooks/inbound-endpoints/${made.id}/enable`);
    expect(await send(api, made.endpoint_id, {})).toEqual({
      status: 401,
      body: { message: 'Unauthenticated.', code: 'UNAUTHENTICATED' },
    });
    for (const id of ['x', `${made.endpoint_id}x`, String(made.id), '%00', "'--"]) {
      expect((await send(api, id, { headers: platformHeaders(body) })).status).toBe(404);
    }
  });

  test('of another method is answered 405', async () => {
    const response = await api.app.inject({ method: 'GET', url: `/in/${unknown}` });
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'POST']);
  });

  test('publishes an event of its topic, with the endpoint in its metadata', async () => {
    const made = await makeEndpoint(api, { topic: 'erp.order.sent' });
    const answer = await send(api, made.endpoint_id, { body, headers: platformHeaders(body, { id: 'e-1' }) });
    expect(answer).toEqual({ status: 202, body: { event_id: 'e-1', duplicate: false } });
    expect(await findEvents('erp.order.sent')).toEqual([
      { data: JSON.parse(body), metadata: { source: 'inbound', endpoint_id: made.endpoint_id } },
    ]);
  });

  test('publishes no event of this server’s own topics, even if its endpoint was bound to one before', async () => {
    const made = await makeEndpoint(api, { topic: 'erp.before' });
    await api.database.tenantQuery('acme-shop', {
      text: `UPDATE inbound_endpoints SET topic = 'order.created' WHERE id = $1`,
      values: [made.id],
    });
    expect((await send(api, made.endpoint_id, { body })).status).toBe(401);
    expect(await sendSigned(api, made.endpoint_id, 'forged')).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT' },
    });
    expect(await findEvents('order.created')).toEqual([]);
  });

  test('that is not JSON publishes an event with its text', async () => {
    const made = await makeEndpoint(api, { topic: 'erp.text.sent' });
    for (const [id, text] of [
      ['t-1', 'plain'],
      ['t-2', '{"cut'],
      ['t-3', '<a/>'],
    ] as const) {
      expect((await sendSigned(api, made.endpoint_id, id, text)).status).toBe(202);
    }
    expect((await findEvents('erp.text.sent')).map(({ data }) => data)).toEqual(['plain', '{"cut', '<a/>']);
  });

  test('fires its trigger with body, query, headers and method, without credentials and the headers of its verifier', async () => {
    const { handle } = await readyWorkflow(api, { nodes: [] });
    const made = await makeEndpoint(api, { topic: null, trigger_handle: handle });
    const headers = {
      ...platformHeaders(body, { id: 'f-1' }),
      authorization: 'Bearer x',
      cookie: 'a=b',
      'x-shop': 'blue',
    };
    expect((await send(api, made.endpoint_id, { body, headers, query: '?dry[]=1&dry[]=2' })).status).toBe(202);
    const [run, ...more] = await findRuns(handle);
    expect(more).toEqual([]);
    expect(run?.payload).toMatchObject({ body: JSON.parse(body), query: { dry: ['1', '2'] }, method: 'POST' });
    const passed = run?.payload['headers'] as Record<string, string>;
    expect(passed).toMatchObject({ 'x-shop': 'blue', 'content-type': 'application/json' });
    for (const name of ['authorization', 'cookie', ...Object.keys(platformHeaders(body))]) {
      expect(passed).not.toHaveProperty(name);
    }
    const { body: log } = await callPlatform(api, 'GET', `/webhooks/inbound-endpoints/${made.id}/calls`);
    expect(log['items']).toEqual([
      { event_id: 'f-1', run_id: run?.id, dead_letter_id: null, received_at: expect.any(String) },
    ]);
  });

  test('whose workflow cannot run is kept as a dead letter', async () => {
    const { handle, workflowId } = await readyWorkflow(api, { nodes: [] });
    await api.database.withTenant('acme-shop', (tx) =>
      tx.query('UPDATE workflows SET active = false WHERE id = $1', [workflowId]),
    );
    const made = await makeEndpoint(api, { topic: null, trigger_handle: handle });
    expect((await sendSigned(api, made.endpoint_id, 'd-1')).status).toBe(202);
    const { body: log } = await callPlatform(api, 'GET', `/webhooks/inbound-endpoints/${made.id}/calls`);
    expect(log['items']).toMatchObject([{ run_id: null, dead_letter_id: expect.any(Number) }]);
  });

  test('with an inactive trigger is not stored, so that its sender can repeat it', async () => {
    const { handle } = await readyWorkflow(api, { nodes: [] });
    const made = await makeEndpoint(api, { topic: null, trigger_handle: handle });
    const setActive = (active: boolean) =>
      api.database.withTenant('acme-shop', (tx) =>
        tx.query('UPDATE triggers SET active = $2 WHERE handle = $1', [handle, active]),
      );
    await setActive(false);
    expect(await sendSigned(api, made.endpoint_id, 'i-1')).toMatchObject({
      status: 503,
      body: { code: 'UNAVAILABLE' },
    });
    expect(await readRefusals(made.id)).toEqual({ no_trigger: 1 });
    await setActive(true);
    expect((await sendSigned(api, made.endpoint_id, 'i-1')).body).toEqual({ event_id: 'i-1', duplicate: false });
    expect(await findRuns(handle)).toHaveLength(1);
  });

  test('with a known event id has no effect, even when both arrive concurrently in two processes', async ({
    startBeside,
  }) => {
    const beside = await startBeside();
    const { handle } = await readyWorkflow(api, { nodes: [] });
    const made = await makeEndpoint(api, { topic: null, trigger_handle: handle });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => sendSigned(nth % 2 === 0 ? api : beside, made.endpoint_id, 'r-1')),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 202));
    expect(answers.filter((answer) => answer.body['duplicate'] === false)).toHaveLength(1);
    expect(await findRuns(handle)).toHaveLength(1);
  });

  test('with an id that only another endpoint knows, or that is over thirty days old, is new', async () => {
    const [one, other] = [await makeEndpoint(api), await makeEndpoint(api)];
    expect((await sendSigned(api, one.endpoint_id, 'k-1')).body).toMatchObject({ duplicate: false });
    expect((await sendSigned(api, other.endpoint_id, 'k-1')).body).toMatchObject({ duplicate: false });
    const age = (interval: string) =>
      api.database.withTenant('acme-shop', (tx) =>
        tx.query(`UPDATE inbound_calls SET received_at = now() - $2::interval WHERE endpoint_id = $1`, [
          one.id,
          interval,
        ]),
      );
    await age('29 days 23 hours');
    expect((await sendSigned(api, one.endpoint_id, 'k-1')).body).toMatchObject({ duplicate: true });
    await age('30 days 1 minute');
    expect((await sendSigned(api, one.endpoint_id, 'k-1')).body).toMatchObject({ duplicate: false });
    await age('30 days 1 minute');
    expect(await sweepInbound(api.deps)).toBe(false);
    const { body: log } = await callPlatform(api, 'GET', `/webhooks/inbound-endpoints/${one.id}/calls`);
    expect(log['total']).toBe(0);
  });

  test('without an event id is never a repeat', async () => {
    const config = { secret, header: 'X-Sig', algorithm: 'sha256', encoding: 'hex' };
    const made = await makeEndpoint(api, { verifier: 'hmac', config });
    const headers = { 'x-sig': computeHmac(body, 'hex') };
    const answers = [
      await send(api, made.endpoint_id, { body, headers }),
      await send(api, made.endpoint_id, { body, headers }),
    ];
    expect(answers.map((answer) => answer.body['duplicate'])).toEqual([false, false]);
    expect(answers[0]?.body['event_id']).not.toBe(answers[1]?.body['event_id']);
  });

  test('with content that cannot be stored is refused, with the reason', async () => {
    const made = await makeEndpoint(api);
    expect((await sendSigned(api, made.endpoint_id, 'n-1', '{"a":"\\u0000"}')).status).toBe(422);
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect((await sendSigned(api, made.endpoint_id, 'n-2', deep)).status).toBe(422);
    const long = 'x'.repeat(256);
    expect(await sendSigned(api, made.endpoint_id, long)).toMatchObject({
      status: 422,
      body: { errors: { event_id: [expect.any(String)] } },
    });
    expect(await readRefusals(made.id)).toEqual({ not_storable: 2, event_id_too_long: 1 });
  });
});

describe('a body of 100 MB', () => {
  test('is refused with 413 without being read, and with 404 if there is no such endpoint', async () => {
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = api.app.server.address() as AddressInfo;
    const made = await makeEndpoint(api);
    for (const [id, status] of [
      [made.endpoint_id, 413],
      [unknown, 404],
    ] as const) {
      for (const [name, value] of [
        ['content-length', '100000000'],
        ['transfer-encoding', 'chunked'],
      ] as const) {
        const { answered, sent } = await pour(port, `/in/${id}`, { [name]: value });
        expect(answered).toBe(status);
        expect(sent).toBeLessThan(50_000_000);
      }
    }
    expect(await readRefusals(made.id)).toEqual({ too_large: 2 });
  });
});

test('an aborted call stores nothing and is not counted as refused', async () => {
  const made = await makeEndpoint(api);
  if (!api.app.server.listening) await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const headers = { ...platformHeaders(body), 'content-length': '1000' };
  const call = request({ port, path: `/in/${made.endpoint_id}`, method: 'POST', headers });
  const broken = once(call, 'error');
  call.write(body);
  await expect.poll(() => api.services.commerce.inbound.endpoints.known(made.endpoint_id)).toBeDefined();
  call.destroy(new Error('broken off'));
  await broken;
  expect(await sendSigned(api, made.endpoint_id, 'after-it')).toMatchObject({ status: 202 });
  await api.services.commerce.inbound.refusals.drain();
  expect(await readRefusals(made.id)).toEqual({});
});

/** Sends a body until it is answered; resolves with the status and the bytes that went out. */
function pour(port: number, path: string, headers: Record<string, string>) {
  return new Promise<{ answered: number; sent: number }>((resolve, reject) => {
    let sent = 0;
    let done = false;
    const chunk = Buffer.alloc(65_536);
    const out = request({ port, path, method: 'POST', headers }, (response) => {
      done = true;
      resolve({ answered: response.statusCode ?? 0, sent });
      out.destroy();
    });
    out.on('error', (error) => done || reject(error));
    const more = () => {
      if (done || sent >= 100_000_000) return;
      sent += chunk.length;
      if (out.write(chunk)) setImmediate(more);
      else out.once('drain', more);
    };
    more();
  });
}

describe('a refused call', () => {
  test.each<[string, (text: string) => Record<string, string>, string]>([
    ['no signature', (text) => ({ ...platformHeaders(text), 'x-platform-signature': '' }), 'signature_missing'],
    ['a cut signature', (text) => change(text, (signature) => signature.slice(0, -1)), 'signature_wrong'],
    ['a version in capitals', (text) => change(text, (signature) => signature.replace('v0', 'V0')), 'signature_wrong'],
    [
      'ten wrong signatures',
      (text) => platformHeaders(text, { secrets: Array.from({ length: 10 }, (_, n) => `other-${n}`) }),
      'signature_wrong',
    ],
    [
      'a body that was written again',
      (text) => platformHeaders(JSON.stringify(JSON.parse(text), null, 1)),
      'signature_wrong',
    ],
    ['a call of five minutes ago', (text) => platformHeaders(text, { offset: -302 }), 'timestamp_off'],
    ['a call of five minutes ahead', (text) => platformHeaders(text, { offset: 302 }), 'timestamp_off'],
    ['no time', (text) => ({ ...platformHeaders(text), 'x-platform-timestamp': '' }), 'timestamp_missing'],
  ])('counts %s by its reason', async (_what, makeHeaders, reason) => {
    const made = await makeEndpoint(api);
    expect((await send(api, made.endpoint_id, { body, headers: makeHeaders(body) })).status).toBe(401);
    expect(await readRefusals(made.id)).toEqual({ [reason]: 1 });
  });

  const change = (text: string, by: (signature: string) => string) => {
    const headers = platformHeaders(text);
    return { ...headers, 'x-platform-signature': by(headers['x-platform-signature'] as string) };
  };

  test('adds to one row for each hour and reason, however many there are', async () => {
    const made = await makeEndpoint(api);
    await Promise.all(
      Array.from({ length: 300 }, () =>
        send(api, made.endpoint_id, { body, headers: { 'user-agent': 'a'.repeat(1_000) } }),
      ),
    );
    const { body: log } = await callPlatform(api, 'GET', `/webhooks/inbound-endpoints/${made.id}/refusals`);
    const items = log['items'] as unknown as { count: number; sample: { user_agent: string } }[];
    expect(items.length).toBeLessThanOrEqual(2);
    expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(300);
    expect(items[0]?.sample.user_agent).toBe('a'.repeat(200));
  });

  test('never shows the credentials that the caller sent', async () => {
    const made = await makeEndpoint(api, { verifier: 'api_key', config: { header: 'X-Key', value: secret } });
    await send(api, made.endpoint_id, { headers: { 'x-key': 'a-guess-at-the-key' } });
    const { text } = await callPlatform(api, 'GET', `/webhooks/inbound-endpoints/${made.id}/refusals`);
    expect(text).toContain('credentials_wrong');
    expect(text + api.logLines.join()).not.toMatch(/a-guess-at-the-key|the-secret-of-the-erp/);
  });
});
