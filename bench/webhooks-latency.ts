/**
 * From the commit of a change to the first byte of its webhook at the receiver, on an idle system. Beside it a raw commit that is
 * followed by a POST, to the same receiver in the same run. Reach: p50 <= 15 ms, p99 <= 60 ms.
 * `node bench/webhooks-latency.ts [changes=300] [pause=30]`
 */
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Agent } from 'undici';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { type Summary, summarise } from './lib/stats.ts';
import { startArrivals } from './lib/webhook-arrivals.ts';
import { epochMs, openWebhookShop } from './lib/webhook-shop.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [changes = 300, pause = 30] = process.argv.slice(2).map(Number);
const warmUp = 20;

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('webhooks');
  const arrivals = await startArrivals();
  const shop = await openWebhookShop(url, arrivals.address);
  const client = new pg.Client({ connectionString: url });
  const agent = new Agent();
  try {
    /** `commit` returns the time at which it was done. */
    const measure = async (commit: () => Promise<number>): Promise<Summary> => {
      const samples: number[] = [];
      for (let n = 0; n < warmUp + changes; n += 1) {
        const arrived = arrivals.next();
        const committedAt = await commit();
        const latency = (await arrived) - committedAt;
        if (n >= warmUp) samples.push(latency);
        await delay(pause);
      }
      return summarise(samples);
    };
    const text = 'x'.repeat(900);

    await client.connect();
    await client.query('CREATE TABLE bare_changes (id bigserial PRIMARY KEY, data jsonb)');
    note(`${changes} raw commits, each with a POST ...`);
    const bare = await measure(async () => {
      await client.query('INSERT INTO bare_changes (data) VALUES ($1)', [{ text }]);
      const committedAt = epochMs();
      const body = JSON.stringify({ data: { text } });
      const answer = await agent.request({ origin: `http://${arrivals.address}`, path: '/', method: 'POST', body });
      await answer.body.dump();
      return committedAt;
    });

    note(`${changes} changes in the product ...`);
    await shop.addDestination(`http://${arrivals.address}/hooks`, 20);
    const worker = await startWorkerProcess({ databaseUrl: url, env: shop.env });
    const product = await measure(() => shop.publishOne({ text }));
    await worker.stop();
    for (const [share, atMost] of [
      ['p50', 15],
      ['p99', 60],
    ] as const)
      printFigure({
        figure: `webhooks-latency-${share}`,
        value: product[share],
        unit: 'ms',
        against: { name: 'a raw commit and a POST', value: bare[share] },
        reach: { of: 'value', atMost },
        detail: { changes, pause },
      });
  } finally {
    arrivals.stop();
    await agent.close();
    await client.end();
    await shop.close();
  }
});
