/**
 * Deliveries a second of one worker to one destination: 1 KB, signed by both schemes, every attempt recorded. Beside it a bare undici
 * loop that signs, posts and inserts attempts 500 at a time, to the same receiver in the same run.
 * `node bench/webhooks-throughput.ts [deliveries=20000] [concurrency=50]`
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent } from 'undici';
import { signBody, signMessage } from '#src/infra/signing/webhook-signatures.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { startWebhookReceiver } from './lib/webhook-receiver.ts';
import { openWebhookShop } from './lib/webhook-shop.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const [deliveries = 20_000, concurrency = 50] = process.argv.slice(2).map(Number);
const batchSize = 500;

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('webhooks');
  const receiver = await startWebhookReceiver();
  const shop = await openWebhookShop(url, receiver.address);
  try {
    note(`Bare loop: ${deliveries} deliveries, ${concurrency} at a time ...`);
    await sendBare(url, `http://${receiver.address}`);
    const bare = await receiver.report();

    note('The product ...');
    await shop.addDestination(`http://${receiver.address}/hooks`, concurrency);
    await shop.publish(deliveries);
    const worker = await startWorkerProcess({ databaseUrl: url, env: shop.env });
    await shop.drained(deliveries);
    const product = await receiver.report();
    await worker.stop();
    printFigure({
      figure: 'webhooks-throughput',
      value: deliveries / (product.ms / 1_000),
      unit: 'deliveries/s',
      against: { name: 'a bare undici loop', value: deliveries / (bare.ms / 1_000) },
      reach: { of: 'ratio', atLeast: 0.6 },
      detail: {
        deliveries,
        concurrency,
        lost: deliveries - product.distinct,
        repeats: product.calls - product.distinct,
      },
    });
  } finally {
    receiver.stop();
    await shop.close();
  }
});

async function sendBare(databaseUrl: string, origin: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'CREATE TABLE bare_attempts (event_id uuid, http_code int, duration_ms int, response text, at timestamptz)',
  );
  const agent = new Agent({ connections: concurrency });
  const body = Buffer.from(JSON.stringify({ topic: 'bench.event', data: { text: 'x'.repeat(900) } }));
  const secrets = ['a secret of the benches'];
  let left = deliveries;
  let rows: [string, number, number, string, Date][] = [];
  const insert = async (): Promise<void> => {
    const batch = rows;
    rows = [];
    const columns = [0, 1, 2, 3, 4].map((column) => batch.map((row) => row[column]));
    await client.query({
      name: 'attempts',
      text: 'INSERT INTO bare_attempts SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::timestamptz[])',
      values: columns,
    });
  };
  const loop = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const id = randomUUID();
      const at = new Date();
      const timestamp = String(Math.floor(at.getTime() / 1_000));
      const headers = {
        'content-type': 'application/json',
        'x-platform-id': id,
        'x-platform-signature': signBody(body, secrets),
        'webhook-signature': signMessage({ id, timestamp, body }, secrets),
      };
      const answer = await agent.request({ origin, path: '/bare', method: 'POST', headers, body });
      rows.push([id, answer.statusCode, Date.now() - at.getTime(), await answer.body.text(), at]);
      if (rows.length >= batchSize) await insert();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  await insert();
  await agent.close();
  await client.end();
}
