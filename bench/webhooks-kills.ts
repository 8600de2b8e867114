/**
 * Workers killed while they send: counts the events that the receiver got twice, and those lost. One worker runs at a time; each is killed
 * after some seconds and the next one started, until all have arrived. `node bench/webhooks-kills.ts [deliveries=20000] [seconds=3]
 * [concurrency=20]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { startWebhookReceiver } from './lib/webhook-receiver.ts';
import { openWebhookShop } from './lib/webhook-shop.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [deliveries = 20_000, seconds = 3, concurrency = 20] = process.argv.slice(2).map(Number);
const destinations = 4;

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('webhooks');
  const receiver = await startWebhookReceiver();
  const shop = await openWebhookShop(url, receiver.address);
  try {
    for (let n = 0; n < destinations; n += 1) await shop.addDestination(`http://${receiver.address}/${n}`, concurrency);
    await shop.publish(deliveries / destinations);
    let kills = 0;
    const progress = { isDone: false };
    const drained = shop.drained(deliveries).then(() => {
      progress.isDone = true;
    });
    while (!progress.isDone) {
      const worker = await startWorkerProcess({ databaseUrl: url, env: shop.env });
      await Promise.race([delay(seconds * 1_000), drained]);
      if (!progress.isDone) {
        kills += 1;
        process.kill(worker.pid, 'SIGKILL');
        note(`Killed worker ${kills}.`);
      }
      await worker.stop();
    }
    const { calls, distinct } = await receiver.report();
    printFigure({
      figure: 'webhooks-repeats-after-kills',
      value: (calls - distinct) / deliveries,
      unit: 'of the deliveries',
      reach: { of: 'value', atMost: 0.02 },
      detail: { deliveries, destinations, concurrency, kills, lost: deliveries - distinct },
    });
  } finally {
    receiver.stop();
    await shop.close();
  }
});
