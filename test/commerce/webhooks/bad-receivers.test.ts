import { expect } from 'vitest';
import { createEgress } from '#src/infra/egress/egress.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { lookAfterDestinations } from '#workers/commerce/webhooks/failing-destinations.ts';
import { sweepWebhooks } from '#workers/commerce/webhooks/webhook-retention.ts';
import { WebhookSender } from '#workers/commerce/webhooks/webhook-sender.ts';
import { createHooks, startWorker, withTimeouts } from './hooks.ts';
import { type Receiver, startReceiver, status } from './receiver.ts';

let api: TestApp;
let receiver: Receiver;
let hooks: ReturnType<typeof createHooks>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  hooks = createHooks(api);
  return () => receiver.close();
});

const isDone = (found: { status: string }[]): boolean =>
  found.length > 0 && found.every((each) => each.status !== 'pending');
const sql = (text: string, values: unknown[] = []) => api.database.system.query(text, values);

test('receivers that hang or drip time out after 15 seconds, delay nobody else, and get everything once they respond', async ({
  onTestFinished,
}) => {
  const worker = await startWorker(withTimeouts(api, 0.1, ['/hangs', '/drips']));
  onTestFinished(() => worker.stop());
  receiver.answer = ({ path }, response) => {
    if (path === '/hangs') return;
    if (path !== '/drips') {
      response.end('ok');
      return;
    }
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 100);
    response.on('close', () => clearInterval(timer));
  };
  const topics = ['isolation.tested'];
  const create = (path: string) => hooks.create({ url: `${receiver.url}${path}`, topics });
  const slow = await Promise.all([create('/hangs'), create('/drips')]);
  const well = await create('/well');
  for (let n = 0; n < 12; n += 1) await hooks.publish('isolation.tested', { n });
  await hooks.until(well.id, (found) => found.length === 12 && isDone(found));
  for (const { id } of slow) {
    const waiting = await hooks.until(id, (found) => found.some(({ attempts }) => attempts.length > 0));
    expect(waiting.map((each) => each.status)).toEqual(Array.from({ length: 12 }, () => 'pending'));
    const tried = waiting.find(({ attempts }) => attempts.length > 0);
    expect(tried?.attempts[0]).toMatchObject({ http_code: null, error: expect.stringContaining('within 1500 ms') });
  }
  receiver.answer = status(200);
  for (const { id } of slow) {
    await expect
      .poll(
        async () => {
          const waiting = (await hooks.deliveries(id)).filter((each) => each.status === 'pending');
          await Promise.all(waiting.map((each) => hooks.skipDelay(each.id)));
          return waiting;
        },
        { timeout: 25_000 },
      )
      .toEqual([]);
    expect((await hooks.deliveries(id)).map((each) => each.status)).toEqual(Array(12).fill('delivered'));
  }
});

test('only the first 4 KiB of an endless response are read', async ({ onTestFinished }) => {
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  let sent = 0;
  receiver.answer = (_arrived, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const pour = (): void => {
      while (!response.destroyed && sent < 2 ** 31) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', pour);
      }
    };
    pour();
  };
  const { id } = await hooks.create({ url: `${receiver.url}/endless`, topics: ['answer.endless'] });
  await hooks.publish('answer.endless');
  const [delivery] = await hooks.until(id, isDone);
  expect(delivery).toMatchObject({ status: 'delivered', attempts: [{ http_code: 200, response: 'x'.repeat(4_096) }] });
  expect(sent).toBeLessThan(64 * 1024 * 1024);
});

test('the last character of an excerpt is whole, or left out', async ({ onTestFinished }) => {
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  receiver.answer = (_arrived, response) => void response.end(`x${'ä'.repeat(8_000)}`);
  const { id } = await hooks.create({ url: `${receiver.url}/cut`, topics: ['answer.cut'] });
  await hooks.publish('answer.cut');
  const [delivery] = await hooks.until(id, isDone);
  expect(delivery?.attempts[0]?.response).toBe(`x${'ä'.repeat(2_047)}`);
});

test('a secret echoed across the end of an excerpt is not shown', async ({ onTestFinished }) => {
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  const secret = 'a-secret-of-some-length-that-is-echoed';
  receiver.answer = (_arrived, response) => void response.end(`${'x'.repeat(4_080)}${secret}${'y'.repeat(100)}`);
  const { id } = await hooks.create({ url: `${receiver.url}/echo`, topics: ['answer.echoed'], secret });
  await hooks.publish('answer.echoed');
  const [delivery] = await hooks.until(id, isDone);
  expect(delivery?.attempts[0]?.response).toBe(`${'x'.repeat(4_080)}[redacted]${'y'.repeat(6)}`);
});

test('an event of five megabytes arrives byte for byte', async ({ onTestFinished }) => {
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  receiver.answer = status(200);
  const { id } = await hooks.create({ url: `${receiver.url}/large`, topics: ['event.large'] });
  const text = 'ä'.repeat(2_500_000);
  await hooks.publish('event.large', { text });
  const [arrived] = await receiver.until('/large', 1);
  expect(arrived?.event.data).toEqual({ text });
  await hooks.until(id, isDone);
});

test('a name that later resolves to a private address is not called', async ({ onTestFinished }) => {
  const egress = createEgress({ resolve: async () => ['10.0.0.1'] });
  const sender = new WebhookSender({ ...api.deps, egress });
  onTestFinished(async () => {
    await sender.stop();
    await egress.close();
  });
  const { id } = await hooks.create({ url: 'https://erp.example.com/hooks', topics: ['dns.changed'] });
  await callPlatform(api, 'POST', `/webhooks/destinations/${id}/ping`, { body: {} });
  const [delivery] = await hooks.until(id, (found) => (found[0]?.attempts.length ?? 0) > 0);
  expect(delivery?.attempts[0]).toMatchObject({ http_code: null, error: expect.stringContaining('may not be called') });
  await callPlatform(api, 'DELETE', `/webhooks/destinations/${id}`);
});

test('a delivery that a worker did not record before it died is sent again with the same id once its lease has expired', async ({
  onTestFinished,
}) => {
  receiver.answer = status(200);
  const { id } = await hooks.create({ url: `${receiver.url}/killed`, topics: ['worker.killed'] });
  const { id: other } = await hooks.create({ url: `${receiver.url}/alive`, topics: ['worker.alive'] });
  // The state after a worker died between the response and its record: the queue is claimed, the delivery has been posted.
  const dead = await startWorker(api);
  const eventId = await hooks.publish('worker.killed');
  await hooks.until(id, isDone);
  await dead.stop();
  await sql(
    `DELETE FROM webhook_attempts WHERE delivery_id IN (SELECT id FROM webhook_deliveries WHERE destination_id = $1)`,
    [id],
  );
  await sql(
    `UPDATE webhook_deliveries SET status = 'pending', tries = 0, next_attempt_at = NULL WHERE destination_id = $1`,
    [id],
  );
  await sql(
    `UPDATE webhook_queues SET owner = gen_random_uuid(), lease_until = now() + interval '1 hour', due_at = now(), sent_to = 0 WHERE destination_id = $1`,
    [id],
  );
  const next = await startWorker(api);
  onTestFinished(() => next.stop());
  await hooks.publish('worker.alive');
  await hooks.until(other, isDone);
  expect(await receiver.until('/killed', 1)).toHaveLength(1);

  await sql('UPDATE webhook_queues SET lease_until = now() WHERE destination_id = $1', [id]);
  const arrived = await receiver.until('/killed', 2);
  expect(arrived.map(({ event }) => event.id)).toEqual([eventId, eventId]);
  expect(await hooks.until(id, isDone)).toMatchObject([{ status: 'delivered', attempts: [{ try: 1 }] }]);
  expect(await receiver.until('/alive', 1)).toHaveLength(1);
});

test('a failing destination causes a warning after a day and is disabled after five, and its pending deliveries are held', async ({
  onTestFinished,
}) => {
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  receiver.answer = status(500);
  const { id } = await hooks.create({ url: `${receiver.url}/failing`, topics: ['never.mind'] });
  await callPlatform(api, 'POST', `/webhooks/destinations/${id}/ping`, { body: {} });
  await hooks.until(id, (found) => (found[0]?.attempts.length ?? 0) > 0);
  const age = (days: number) =>
    sql(
      `UPDATE webhook_queues SET failing_since = failing_since - $2 * interval '1 day', warned_at = warned_at - $2 * interval '1 day'
       WHERE destination_id = $1`,
      [id, days],
    );
  const events = async () =>
    (
      await sql(
        `SELECT topic FROM outbox_events WHERE topic LIKE 'webhook_destination.%' AND data ->> 'id' = $1 ORDER BY id`,
        [String(id)],
      )
    ).rows.map(({ topic }: { topic: string }) => topic);
  await lookAfterDestinations(api.deps);
  expect(await events()).toEqual([]);
  await age(1);
  await lookAfterDestinations(api.deps);
  await lookAfterDestinations(api.deps);
  expect(await events()).toEqual(['webhook_destination.failing']);
  expect(await hooks.read(id)).toMatchObject({ status: 'enabled', problem: expect.stringContaining('24 hours') });
  await age(4);
  await lookAfterDestinations(api.deps);
  expect(await hooks.read(id)).toMatchObject({ status: 'disabled', disabled_reason: 'failing' });
  expect(await events()).toEqual(['webhook_destination.failing', 'webhook_destination.disabled']);
  expect(await hooks.deliveries(id)).toMatchObject([{ status: 'held' }]);
});

test('the log is kept for thirty days', async () => {
  const worker = await startWorker(api);
  receiver.answer = status(200);
  const { id } = await hooks.create({ url: `${receiver.url}/old`, topics: ['event.old'] });
  for (const _event of [1, 2]) await hooks.publish('event.old');
  const [first, second] = await hooks.until(id, (found) => found.length === 2 && isDone(found));
  await worker.stop();
  await sql(`UPDATE webhook_deliveries SET created_at = now() - interval '31 days' WHERE id = $1`, [first?.id]);
  await sweepWebhooks(api.deps, new AbortController().signal);
  expect((await hooks.deliveries(id)).map((each) => each.id)).toEqual([second?.id]);
  const { rows } = await sql('SELECT FROM webhook_attempts WHERE delivery_id = $1', [first?.id]);
  expect(rows).toEqual([]);
});

test('the deliveries of a destination are followed live, pending ones first', async ({ onTestFinished }) => {
  receiver.answer = status(200);
  const { id } = await hooks.create({ url: `${receiver.url}/live`, topics: ['event.live'] });
  await callPlatform(api, 'POST', `/webhooks/destinations/${id}/ping`, { body: {} });
  const client = await connect(api);
  subscribe(
    client,
    'live',
    `subscription { webhookDeliveryUpdated(destinationId: ${id}) { status attempts { try } } }`,
  );
  const seen = (messages: Parameters<Parameters<typeof client.until>[0]>[0]) =>
    ofOperation(messages, 'live').flatMap(({ payload }) => {
      const change = payload?.data?.['webhookDeliveryUpdated'];
      return change ? [change] : [];
    });
  await client.until((messages) => seen(messages).length === 1);
  const worker = await startWorker(api);
  onTestFinished(() => worker.stop());
  const changes = await client.until((messages) => {
    const found = seen(messages);
    return found.some((each) => each['status'] === 'DELIVERED') && found;
  });
  expect(changes).toEqual([
    { status: 'PENDING', attempts: [] },
    { status: 'DELIVERED', attempts: [{ try: 1 }] },
  ]);
  client.socket.close();
  await client.closed;
});
