import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { publishEvents } from '#src/journal/outbox/outbox.ts';
import { test } from '#test/setup/app-test.ts';
import { anyTopic, createHooks, startWorker } from './hooks.ts';
import { startReceiver } from './receiver.ts';

const tenantId = 'acme-shop';
const events = 40;
/** The first read is of 10 deliveries, the next of 8 times the concurrency, the 11th to the 26th; those behind them are read ahead at the 19th. */
const concurrency = 2;
const leaseMs = 600;

test('a lease that expires during a batch, with more read ahead, loses nothing', async ({ api, onTestFinished }) => {
  const receiver = await startReceiver();
  api.egressAllow.add(receiver.address);
  const worker = await startWorker(api, { leaseMs });
  onTestFinished(async () => {
    await worker.stop();
    await receiver.close();
  });
  const hooks = createHooks(api);
  const topic = 'test.lapsed';
  await hooks.create({ url: `${receiver.url}/hooks`, topics: [topic], concurrency, rate_per_second: 8 });
  await api.database.withTenant(tenantId, (tx) =>
    publishEvents(
      tx,
      Array.from({ length: events }, (_, n) => ({ tenantId, topic: anyTopic(topic), data: { n } })),
    ),
  );
  await receiver.until('/hooks', 19);
  await api.database.withSystem(async (tx) => {
    await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    // No lease can be renewed, and nothing tells the sender so.
    await tx.query('LOCK TABLE webhook_queues IN EXCLUSIVE MODE');
    await delay(2 * leaseMs);
  });
  const found = await receiver.until('/hooks', events);
  expect(new Set(found.map(({ event }) => event.id)).size).toBe(events);
});
