import type { ServerResponse } from 'node:http';
import { describe, expect } from 'vitest';
import { verifyBody, verifyMessage } from '#src/infra/signing/webhook-signatures.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test as base } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type Destination, createHooks, startWorker } from './hooks.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

const test = base
  .extend('receiver', { scope: 'file' }, async ({ api }, { onCleanup }) => {
    const receiver = await startReceiver();
    api.egressAllow.add(receiver.address);
    onCleanup(() => receiver.close());
    return receiver;
  })
  .extend('worker', { scope: 'file' }, async ({ api, receiver }, { onCleanup }) => {
    const worker = await startWorker(api, { secretCheckMs: 100 });
    onCleanup(() => worker.stop());
    return { worker, receiver };
  });

let api: TestApp;
let receiver: Receiver;
let hooks: ReturnType<typeof createHooks>;
test.beforeAll(({ api: started, worker }) => {
  api = started;
  receiver = worker.receiver;
  hooks = createHooks(api);
});

let counter = 0;
/** A destination of a topic and a path of its own. */
async function destined(more: object = {}): Promise<Destination & { topic: string; path: string }> {
  counter += 1;
  const topic = `test.event-${counter}`;
  const path = `/hooks/${counter}`;
  const made = await hooks.create({ url: `${receiver.url}${path}`, topics: [topic], ...more });
  return { ...made, topic, path };
}

const answers = (byPath: Record<string, Receiver['answer']>): void => {
  const before = receiver.answer;
  receiver.answer = (arrived, response, request) => (byPath[arrived.path] ?? before)(arrived, response, request);
};

const isDone = (found: { status: string }[]): boolean =>
  found.length > 0 && found.every(({ status: at }) => at !== 'pending');
const post = (path: string, body: object = {}) => callPlatform(api, 'POST', path, { body });

describe('a delivery', () => {
  test('is the envelope of the event, with the received bytes signed by both schemes', async () => {
    const secret = `whsec_${Buffer.from('a secret of the ERP, shared').toString('base64')}`;
    const { id, topic, path } = await destined({ secret, headers: { 'X-Shop': 'acme' } });
    const eventId = await hooks.publish(topic, { number: 'SO-1', text: 'Grüße' });
    const [arrived] = await receiver.until(path, 1);
    expect(arrived?.event).toEqual({
      id: eventId,
      topic,
      tenant_id: 'acme-shop',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      data: { number: 'SO-1', text: 'Grüße' },
      metadata: {},
    });
    const { headers, body } = arrived as NonNullable<typeof arrived>;
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-shop': 'acme',
      'x-platform-id': eventId,
      'x-platform-topic': topic,
      'webhook-id': eventId,
      'webhook-timestamp': headers['x-platform-timestamp'],
    });
    const timestamp = String(headers['x-platform-timestamp']);
    expect(Math.abs(Number(timestamp) * 1_000 - Date.now())).toBeLessThan(60_000);
    expect(verifyBody(body, String(headers['x-platform-signature']), [secret])).toBe(true);
    expect(verifyMessage({ id: eventId, timestamp, body }, String(headers['webhook-signature']), [secret])).toBe(true);
    const [delivery] = await hooks.until(id, isDone);
    expect(delivery).toMatchObject({
      event_id: eventId,
      topic,
      status: 'delivered',
      next_attempt_at: null,
      attempts: [{ try: 1, status: 'delivered', http_code: 200, error: null, response: 'ok' }],
    });
    const one = await callPlatform(api, 'GET', `/webhooks/deliveries/${delivery?.id}`);
    expect(one.body['payload']).toBe(body.toString('utf8'));
  });

  test('to an unsigned destination has neither signature header', async () => {
    const { topic, path } = await destined();
    await hooks.publish(topic);
    const [arrived] = await receiver.until(path, 1);
    expect(arrived?.headers).not.toHaveProperty('x-platform-signature');
    expect(arrived?.headers).not.toHaveProperty('webhook-signature');
  });

  test('carries a signature with each secret during a rotation', async () => {
    const former = 'the former secret of the ERP';
    const { id, topic, path } = await destined({ secret: former });
    const { body } = await post(`/webhooks/destinations/${id}/rotate-secret`);
    await hooks.publish(topic);
    const [arrived] = await receiver.until(path, 1);
    const header = String(arrived?.headers['x-platform-signature']);
    expect(header.split(',')).toHaveLength(2);
    for (const secret of [former, String(body['secret'])])
      expect(verifyBody(arrived?.body as Buffer, header, [secret])).toBe(true);
    await api.database.withTenant('acme-shop', (tx) =>
      tx.webhookDestination.updateMany({ where: { id: BigInt(id) }, data: { previousSecretExpiresAt: new Date() } }),
    );
    await hooks.publish(topic);
    const [, later] = await receiver.until(path, 2);
    expect(String(later?.headers['x-platform-signature']).split(',')).toHaveLength(1);
  });

  test('is created only for destinations whose topics and filter match', async () => {
    const web = await destined({ filter: 'event.data.channel = "web"' });
    const all = await hooks.create({ url: `${receiver.url}/all`, topics: ['*'] });
    await hooks.publish(web.topic, { channel: 'app' });
    const sent = await hooks.publish(web.topic, { channel: 'web' });
    await hooks.publish('test.other', { channel: 'web' });
    await receiver.until('/all', 3);
    const found = await hooks.until(web.id, isDone);
    expect(found.map(({ event_id: id }) => id)).toEqual([sent]);
    await callPlatform(api, 'DELETE', `/webhooks/destinations/${all.id}`);
  });

  test('is held with the reason if the filter fails, until somebody recovers it', async () => {
    const { id, topic, path } = await destined({ filter: 'event.data.total > "a"' });
    await hooks.publish(topic, { total: 5 });
    const [held] = await hooks.until(id, isDone);
    expect(held).toMatchObject({ status: 'held', attempts: [], reason: expect.stringContaining('The filter failed') });
    expect((await hooks.read(id)).problem).toBe(held?.reason);
    await callPlatform(api, 'PATCH', `/webhooks/destinations/${id}`, { body: { filter: null } });
    expect((await hooks.read(id)).problem).toBeNull();
    expect((await post(`/webhooks/destinations/${id}/recover`, { since: '2026-01-01' })).body).toEqual({ queued: 1 });
    await receiver.until(path, 1);
  });

  test.for<[string, Receiver['answer'], object]>([
    ['answers 500', status(500), { http_code: 500 }],
    [
      'redirects',
      status(302, { location: 'https://example.com' }),
      { http_code: 302, error: expect.stringContaining('Redirects are not followed') },
    ],
    ['closes at once', (_arrived, response) => void response.socket?.destroy(), { http_code: null }],
    [
      'answers garbage',
      (_arrived, response) => void response.socket?.end('garbage\r\n\r\n'),
      { http_code: null, error: expect.stringContaining('valid HTTP') },
    ],
  ])('fails and is tried again where the receiver %s', async ([, answer, attempt]) => {
    const { id, topic, path } = await destined();
    answers({ [path]: answer });
    const eventId = await hooks.publish(topic);
    const [failed] = await hooks.until(id, (found) => found[0]?.attempts.length === 1);
    expect(failed).toMatchObject({ status: 'pending', attempts: [{ try: 1, status: 'failed', ...attempt }] });
    const wait = Date.parse(String(failed?.next_attempt_at)) - Date.now();
    expect(wait).toBeLessThanOrEqual(6_000);
    expect((await hooks.read(id)).failing_since).not.toBeNull();
    answers({ [path]: status(200) });
    await hooks.skipDelay(failed?.id as number);
    const [first, second] = await receiver.until(path, 2);
    expect([second?.event.id, second?.body.equals(first?.body as Buffer)]).toEqual([eventId, true]);
    expect((await hooks.until(id, isDone))[0]).toMatchObject({
      status: 'delivered',
      attempts: [{ try: 1 }, { try: 2 }],
    });
    expect((await hooks.read(id)).failing_since).toBeNull();
  });

  test('waits for as long as a 429 asks for', async () => {
    const { id, topic, path } = await destined();
    const at = new Date(Date.now() + 3_600_000);
    answers({ [path]: status(429, { 'retry-after': at.toUTCString() }) });
    await hooks.publish(topic);
    const [failed] = await hooks.until(id, (found) => found[0]?.attempts.length === 1);
    const wait = Date.parse(String(failed?.next_attempt_at)) - at.getTime();
    expect(Math.abs(wait)).toBeLessThan(60_000);
  });

  test('is given up after its tenth attempt, and recovered with a schedule of its own', async () => {
    const { id, topic, path } = await destined();
    answers({ [path]: status(500) });
    await hooks.publish(topic);
    await hooks.until(id, (found) => found[0]?.attempts.length === 1);
    const set = 'UPDATE webhook_deliveries SET tries = 9 WHERE destination_id = $1';
    await api.database.system.query(set, [id]);
    const [{ id: deliveryId } = { id: 0 }] = await hooks.deliveries(id);
    await hooks.skipDelay(deliveryId);
    const [failed] = await hooks.until(id, isDone);
    expect(failed).toMatchObject({ status: 'failed', next_attempt_at: null });
    const recover = `/webhooks/destinations/${id}/recover`;
    const { data } = await api.graphql<{ webhookDestination: { backlog: { unsentSince: string } } }>(
      'query ($id: ID!) { webhookDestination(id: $id) { backlog { unsentSince } } }',
      { id: String(id) },
    );
    const since = data.webhookDestination.backlog.unsentSince;
    expect(await post(recover, { since, dry_run: true })).toMatchObject({ status: 202, body: { queued: 1 } });
    expect(await post(recover, { since, topics: ['other.topic'] })).toMatchObject({ body: { queued: 0 } });
    expect(await post(recover, { since: '2100-01-01T00:00:00Z' })).toMatchObject({ body: { queued: 0 } });
    expect(await post(recover, { since })).toMatchObject({ status: 202, body: { queued: 1 } });
    const [again] = await hooks.until(id, (found) => found[0]?.attempts.at(-1)?.try === 11);
    expect(again).toMatchObject({ status: 'pending' });
  });

  test('is sent again on request, with the same id and bytes, even if it had arrived', async () => {
    const { id, topic, path } = await destined({ secret: 'a secret of sixteen or more' });
    await hooks.publish(topic, { once: 'more' });
    const [delivered] = await hooks.until(id, isDone);
    expect(await post(`/webhooks/deliveries/${delivered?.id}/resend`)).toMatchObject({
      status: 202,
      body: { id: delivered?.id, status: 'pending' },
    });
    const [first, second] = await receiver.until(path, 2);
    expect(second?.body).toEqual(first?.body);
    expect(second?.headers['x-platform-id']).toBe(first?.headers['x-platform-id']);
    answers({ [path]: status(500) });
    await hooks.until(id, isDone);
    await post(`/webhooks/deliveries/${delivered?.id}/resend`);
    await receiver.until(path, 3);
    expect((await hooks.until(id, isDone))[0]).toMatchObject({ status: 'failed', attempts: { length: 3 } });
  });

  test('to another tenant’s destination is not found', async () => {
    const { id, topic } = await destined();
    await hooks.publish(topic);
    const [delivery] = await hooks.until(id, isDone);
    const other = { key: await api.apiKey(['*'], 'acme-outlet'), tenant: 'acme-outlet' };
    const path = `/webhooks/deliveries/${delivery?.id}`;
    expect((await callPlatform(api, 'GET', path, other)).status).toBe(404);
    expect((await callPlatform(api, 'POST', `${path}/resend`, { ...other, body: {} })).status).toBe(404);
    const list = await callPlatform(api, 'GET', `/webhooks/deliveries?destination_id=${id}`, other);
    expect(list.body).toMatchObject({ items: [], total: 0 });
  });

  test('is listed by topic, status, event and time', async () => {
    const { id, topic } = await destined();
    const first = await hooks.publish(topic);
    const second = await hooks.publish(topic);
    await hooks.until(id, (found) => found.length === 2 && isDone(found));
    const of = async (query: string) =>
      (
        (await callPlatform(api, 'GET', `/webhooks/deliveries?${query}`)).body['items'] as unknown as {
          event_id: string;
        }[]
      ).map(({ event_id: event }) => event);
    expect(await of(`topic=${topic}`)).toEqual([second, first]);
    expect(await of(`topic=${topic}&order=created_at.asc`)).toEqual([first, second]);
    expect(await of(`event_id=${first}`)).toEqual([first]);
    expect(await of(`topic=${topic}&status=delivered`)).toEqual([second, first]);
    expect(await of(`topic=${topic}&status=held`)).toEqual([]);
    expect(await of(`topic=${topic}&since=2100-01-01`)).toEqual([]);
    expect((await callPlatform(api, 'GET', '/webhooks/deliveries?event_id=x')).status).toBe(422);
  });
});

describe('a destination', () => {
  test('is pinged whatever its topics and filter say', async () => {
    const { id, path } = await destined({ filter: 'false' });
    const { status: code, body } = await post(`/webhooks/destinations/${id}/ping`);
    expect([code, body['topic'], body['status']]).toEqual([202, 'webhook.ping', 'pending']);
    const [arrived] = await receiver.until(path, 1);
    expect(arrived?.event.topic).toBe('webhook.ping');
  });

  test('that answers 410 is disabled immediately, and holds that delivery and later ones', async () => {
    const { id, topic, path } = await destined();
    answers({ [path]: status(410) });
    await hooks.publish(topic);
    await hooks.until(id, isDone);
    for (;;) if ((await hooks.read(id)).status === 'disabled') break;
    expect(await hooks.read(id)).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    await hooks.publish(topic);
    const held = await hooks.until(id, (found) => found.length === 2 && isDone(found));
    expect(held.map(({ status: at }) => at)).toEqual(['held', 'held']);
    expect(await post(`/webhooks/deliveries/${held[0]?.id}/resend`)).toMatchObject({ status: 409 });
    expect(await post(`/webhooks/destinations/${id}/recover`, { since: '2026-01-01' })).toMatchObject({ status: 409 });
    answers({ [path]: status(200) });
    await post(`/webhooks/destinations/${id}/enable`);
    expect((await hooks.deliveries(id)).map(({ status: at }) => at)).toEqual(['held', 'held']);
    expect(await post(`/webhooks/destinations/${id}/recover`, { since: '2026-01-01' })).toMatchObject({
      status: 202,
      body: { queued: 2 },
    });
    await hooks.until(id, isDone);
    expect(receiver.arrived.filter((each) => each.path === path)).toHaveLength(3);
  });

  test('without its secret holds its deliveries with the reason; nothing is sent unsigned', async () => {
    const put = 'mutation { putSecret(input: { key: "SIGNS", value: "a secret of the ERP" }) { __typename } }';
    await api.graphql(put);
    const { id, topic, path } = await destined({ secret_ref: 'SIGNS' });
    await api.graphql('mutation { deleteSecret(input: { key: "SIGNS" }) { __typename } }');
    await hooks.publish(topic);
    await hooks.until(id, (found) => found.length === 1);
    for (;;) if ((await hooks.read(id)).problem !== null) break;
    expect((await hooks.read(id)).problem).toContain('The secret SIGNS');
    expect((await hooks.deliveries(id))[0]).toMatchObject({ status: 'pending', attempts: [] });
    await api.graphql(put);
    const [arrived] = await receiver.until(path, 1);
    expect(
      verifyBody(arrived?.body as Buffer, String(arrived?.headers['x-platform-signature']), ['a secret of the ERP']),
    ).toBe(true);
    for (;;) if ((await hooks.read(id)).problem === null) break;
  });

  test('with ordering gets events one at a time, and none after a failed one', async () => {
    const { id, topic, path } = await destined({ ordered: true });
    let atOnce = 0;
    let most = 0;
    let fails = true;
    answers({
      [path]: (arrived, response) => {
        atOnce += 1;
        most = Math.max(most, atOnce);
        setImmediate(() => {
          atOnce -= 1;
          response.writeHead(arrived.event.data['n'] === 2 && fails ? 503 : 200, { 'retry-after': '3600' }).end();
        });
      },
    });
    for (let n = 1; n <= 5; n += 1) await hooks.publish(topic, { n });
    const stuck = await hooks.until(id, (found) => found.length === 5 && found[1]?.attempts.length === 1);
    expect(stuck.map(({ attempts }) => attempts.length)).toEqual([1, 1, 0, 0, 0]);
    fails = false;
    await hooks.skipDelay(stuck[1]?.id as number);
    await hooks.until(id, isDone);
    const order = receiver.arrived.filter((each) => each.path === path).map(({ event }) => event.data['n']);
    expect([order, most]).toEqual([[1, 2, 2, 3, 4, 5], 1]);
  });

  test('gets at most `concurrency` deliveries at a time', async () => {
    const { id, topic, path } = await destined({ concurrency: 2 });
    const open: ServerResponse[] = [];
    let most = 0;
    answers({
      [path]: (_arrived, response) => {
        open.push(response);
        most = Math.max(most, open.length);
        if (open.length === 2) setTimeout(() => open.splice(0).forEach((each) => each.end()), 100);
      },
    });
    await Promise.all(Array.from({ length: 10 }, () => hooks.publish(topic)));
    await hooks.until(id, (found) => found.length === 10 && isDone(found));
    expect(most).toBe(2);
  });

  test('gets at most its rate limit a second', async () => {
    const { topic, path } = await destined({ rate_per_second: 5 });
    await Promise.all(Array.from({ length: 6 }, () => hooks.publish(topic)));
    const all = await receiver.until(path, 6);
    // A second by the sender's clock; the first may be late by this one.
    expect((all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0)).toBeGreaterThanOrEqual(500);
  });

  test('that is deleted gets nothing more; its pending deliveries are given up', async () => {
    const { id, topic, path } = await destined();
    answers({ [path]: status(500) });
    await hooks.publish(topic);
    await hooks.until(id, (found) => found[0]?.attempts.length === 1);
    await callPlatform(api, 'DELETE', `/webhooks/destinations/${id}`);
    expect(await hooks.deliveries(id)).toMatchObject([{ status: 'failed', reason: 'The destination was deleted.' }]);
  });

  test('that is deleted still records attempts in progress', async () => {
    const { id, topic, path } = await destined();
    const open: ServerResponse[] = [];
    answers({ [path]: (_arrived, response) => void open.push(response) });
    for (let n = 1; n <= 2; n += 1) await hooks.publish(topic);
    await receiver.until(path, 2);
    await callPlatform(api, 'DELETE', `/webhooks/destinations/${id}`);
    const given = { status: 'failed', reason: 'The destination was deleted.' };
    expect(await hooks.deliveries(id)).toMatchObject([given, given]);
    for (const [place, response] of open.entries()) response.writeHead([200, 500][place] as number).end();
    const done = await hooks.until(id, (found) => found.every(({ attempts }) => attempts.length === 1));
    expect(done.toSorted((a, b) => a.status.localeCompare(b.status))).toMatchObject([
      { status: 'delivered', reason: null, next_attempt_at: null, attempts: [{ try: 1, http_code: 200 }] },
      { ...given, next_attempt_at: null, attempts: [{ try: 1, http_code: 500 }] },
    ]);
  });
});
