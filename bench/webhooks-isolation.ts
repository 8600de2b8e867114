/**
 * Latency of events to 98 healthy destinations, with and without a dead and a hanging one beside them. Reach: the healthy ones' p99 within
 * 1.2x of that without, 0 lost. `node bench/webhooks-isolation.ts [events=40] [pause=400] [destinations=100]`
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { significant, type Summary, summarise } from './lib/stats.ts';
import { startArrivals } from './lib/webhook-arrivals.ts';
import { epochMs, openWebhookShop } from './lib/webhook-shop.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [events = 40, pause = 400, destinations = 100] = process.argv.slice(2).map(Number);
const healthy = destinations - 2;
const warmUp = 5;
const patienceMs = 30_000;

/** A server that accepts connections and never responds; once it is closed, nobody listens there. */
async function startSilence() {
  const server = createServer(() => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('webhooks');
  const arrivals = await startArrivals();
  const [hanging, dead] = [await startSilence(), await startSilence()];
  dead.close();
  const shop = await openWebhookShop(url, arrivals.address, hanging.address, dead.address);
  for (let n = 0; n < healthy; n += 1) await shop.addDestination(`http://${arrivals.address}/${n}`, 20);
  const worker = await startWorkerProcess({ databaseUrl: url, env: shop.env });
  let lost = 0;
  const measure = async (): Promise<Summary> => {
    for (let n = 0; n < warmUp + events; n += 1) {
      if (n === warmUp) arrivals.latencies.length = 0;
      await shop.publishOne({ at: epochMs() });
      await delay(pause);
    }
    const wanted = events * healthy;
    for (const until = Date.now() + patienceMs; arrivals.latencies.length < wanted && Date.now() < until;)
      await delay(50);
    lost += Math.max(0, wanted - arrivals.latencies.length);
    return summarise(arrivals.latencies);
  };
  try {
    note(`${events} events to ${healthy} destinations that answer ...`);
    const without = await measure();
    note('With a dead and a hanging one ...');
    await shop.addDestination(`http://${dead.address}/`, 20);
    await shop.addDestination(`http://${hanging.address}/`, 20);
    const beside = await measure();
    printFigure({
      figure: 'webhooks-isolation-p99',
      value: beside.p99,
      unit: 'ms',
      against: { name: 'without them', value: without.p99 },
      reach: { of: 'ratio', atMost: 1.2 },
      detail: {
        events,
        pause,
        destinations,
        lost,
        p50: significant(beside.p50, 3),
        p50Without: significant(without.p50, 3),
      },
    });
  } finally {
    process.kill(worker.pid, 'SIGKILL');
    await worker.stop();
    hanging.close();
    arrivals.stop();
    await shop.close();
  }
});
