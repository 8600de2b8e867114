import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishEvent } from '#src/journal/outbox/outbox.ts';
import { anyTopic } from '#test/commerce/webhooks/hooks.ts';
import { type OwnPostgres, startOwnPostgres } from './deployment.ts';
import { type OwnProcess, startWorker } from './processes.ts';

const events = 400;
const tenantId = 'acme-shop';

let postgres: OwnPostgres;
let worker: OwnProcess | undefined;
/** How often each event arrived, by its id. */
const arrived = new Map<string, number>();
const receiver = createServer((request, response) => {
  const id = String(request.headers['webhook-id']);
  arrived.set(id, (arrived.get(id) ?? 0) + 1);
  request.resume();
  void delay(50, undefined, { ref: false }).then(() => response.end('ok'));
});
let address: string;

beforeAll(async () => {
  postgres = await startOwnPostgres();
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  address = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
});
afterAll(async () => {
  worker?.signal('SIGKILL');
  await worker?.exited;
  receiver.closeAllConnections();
  receiver.close();
  await postgres.close();
});

const run = () => startWorker({ databaseUrl: postgres.url, allow: address });

/** Resolves once so many events have arrived. */
async function untilArrived(count: number): Promise<void> {
  while (arrived.size < count) await delay(20);
}

test(
  'every event arrives, by the same id, though workers are killed and Postgres restarts under deliveries',
  { timeout: 240_000 },
  async () => {
    const published = await postgres.database.withTenant(tenantId, async (tx) => {
      const url = `http://${address}/hooks`;
      await tx.webhookDestination.create({
        data: { tenantId, name: 'ERP', url, topics: ['test.restarted'], concurrency: 10, queue: { create: {} } },
      });
      const ids: string[] = [];
      for (let n = 0; n < events; n += 1)
        ids.push(await publishEvent(tx, { tenantId, topic: anyTopic('test.restarted'), data: { n } }));
      return ids;
    });
    worker = await run();
    for (const [share, interrupt] of [
      // Between the receiver's answers and their record.
      [0.2, killWorker],
      [0.45, () => postgres.restart('kill', 300)],
      [0.7, () => postgres.restart('immediate', 300)],
    ] as const) {
      await untilArrived(events * share);
      await interrupt();
    }
    await untilArrived(events);

    const read = async (): Promise<object[]> =>
      postgres.database.tenantQuery(tenantId, {
        text: 'SELECT status, count(*)::int AS deliveries FROM webhook_deliveries GROUP BY status ORDER BY status',
      });
    await expect.poll(read, { timeout: 60_000 }).toEqual([{ status: 'delivered', deliveries: events }]);
    expect([...arrived.keys()].toSorted()).toEqual(published.toSorted());
    const repeats = [...arrived.values()].reduce((sum, count) => sum + count - 1, 0);
    process.stdout.write(`${JSON.stringify({ test: 'webhooks under restarts', events, repeats })}\n`);
  },
);

async function killWorker(): Promise<void> {
  worker?.signal('SIGKILL');
  await worker?.exited;
  worker = await run();
}
