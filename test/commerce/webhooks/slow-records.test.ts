import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { publishEvents } from '#src/journal/outbox/outbox.ts';
import { test } from '#test/setup/app-test.ts';
import { attemptSlots } from '#workers/commerce/webhooks/result-recorder.ts';
import { anyTopic, createHooks, startWorker } from './hooks.ts';
import { startReceiver } from './receiver.ts';

const tenantId = 'acme-shop';
/** On a slow machine, where an attempt may take a second, those behind it take the slots for destinations that answer late. */
const maxUnwritten = attemptSlots.initial + attemptSlots.slow;
const events = maxUnwritten + 50;

test('while results cannot be written, no more is sent than a dead worker may repeat; afterwards everything arrives once', async ({
  api,
  onTestFinished,
}) => {
  const receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  const worker = await startWorker(api);
  onTestFinished(async () => {
    await worker.stop();
    await receiver.close();
  });
  const hooks = createHooks(api);
  const { id } = await hooks.create({ url: `${receiver.url}/hooks`, topics: ['test.unwritten'], concurrency: 100 });
  await api.database.withSystem(async (tx) => {
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    await tx.query('LOCK TABLE webhook_attempts IN SHARE MODE');
    await api.database.withTenant(tenantId, (own) =>
      publishEvents(
        own,
        Array.from({ length: events }, (_, n) => ({ tenantId, topic: anyTopic('test.unwritten'), data: { n } })),
      ),
    );
    await receiver.until('/hooks', attemptSlots.initial);
    // Long enough for the others, were they sent.
    await delay(500);
    expect(receiver.arrived.length).toBeLessThanOrEqual(maxUnwritten);
  });
  const found = await receiver.until('/hooks', events);
  expect(new Set(found.map(({ event }) => event.id)).size).toBe(events);
  await expect
    .poll(
      () =>
        api.database.tenantQuery(tenantId, {
          text: 'SELECT status, count(*)::int FROM webhook_deliveries WHERE destination_id = $1 GROUP BY status',
          values: [id],
        }),
      { timeout: 10_000 },
    )
    .toEqual([{ status: 'delivered', count: events }]);
  expect(receiver.arrived).toHaveLength(events);
});
