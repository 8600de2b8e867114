/**
 * A backlog of events to three destinations, drained by one worker: compares the second half with the first, in rate and in the worker's
 * memory. Reach: the last half at >= 0.9x the rate of the first, with <= 1.1x of its memory, 0 lost. `node bench/webhooks-backlog.ts
 * [events=1000000] [destinations=3] [concurrency=50]`; with 20000 events it takes a minute.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { measureMemory } from './lib/processes.ts';
import { significant } from './lib/stats.ts';
import { startWebhookReceiver } from './lib/webhook-receiver.ts';
import { openWebhookShop } from './lib/webhook-shop.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [events = 1_000_000, destinations = 3, concurrency = 50] = process.argv.slice(2).map(Number);
const published = 20_000;
const sampleMs = 1_000;

interface Half {
  calls: number;
  ms: number;
  /** The most memory of the worker, in MiB. */
  memory: number;
}

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('webhooks');
  const receiver = await startWebhookReceiver();
  const shop = await openWebhookShop(url, receiver.address);
  for (let n = 0; n < destinations; n += 1) await shop.addDestination(`http://${receiver.address}/${n}`, concurrency);
  for (let left = events; left > 0; left -= published) await shop.publish(Math.min(published, left));
  const deliveries = events * destinations;
  const worker = await startWorkerProcess({ databaseUrl: url, env: shop.env });
  try {
    const halves: [Half, Half] = [
      { calls: 0, ms: 0, memory: 0 },
      { calls: 0, ms: 0, memory: 0 },
    ];
    let calls = 0;
    let told = 0;
    for (let last = performance.now(); calls < deliveries;) {
      await delay(sampleMs);
      const half = halves[calls < deliveries / 2 ? 0 : 1];
      const now = performance.now();
      const report = await receiver.report();
      // The time before the first call is the worker's start.
      if (calls > 0 || report.calls > 0) half.ms += calls > 0 ? now - last : report.ms;
      half.calls += report.calls;
      half.memory = Math.max(half.memory, measureMemory([worker.pid]));
      calls += report.calls;
      last = now;
      if (calls >= told + deliveries / 10) {
        told = calls;
        note(`${calls} of ${deliveries}, ${Math.round(half.memory)} MiB`);
      }
    }
    await shop.drained(deliveries);
    const repeats = calls + (await receiver.report()).calls - deliveries;
    const [first, second] = halves;
    const callRate = (half: Half): number => half.calls / (half.ms / 1_000);
    const detail = { events, destinations, concurrency, repeats };
    printFigure({
      figure: 'webhooks-backlog-rate',
      value: callRate(second),
      unit: 'deliveries/s',
      against: { name: 'its first half', value: callRate(first) },
      reach: { of: 'ratio', atLeast: 0.9 },
      detail,
    });
    printFigure({
      figure: 'webhooks-backlog-memory',
      value: second.memory,
      unit: 'MiB',
      against: { name: 'its first half', value: significant(first.memory) },
      reach: { of: 'ratio', atMost: 1.1 },
      detail,
    });
  } finally {
    await worker.stop();
    receiver.stop();
    await shop.close();
  }
});
