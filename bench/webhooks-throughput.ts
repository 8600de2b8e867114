/**
 * Deliveries a second of one worker to one destination: 1 KB, signed by both schemes, every attempt recorded. Beside it a bare undici
 * loop that signs, posts and inserts attempts 500 at a time, to the same receiver in the same run. Twenty thousand deliveries warm each up
 * before: V8 compiles for the first seconds of a process, which still was a fifth of the worker's processor time after five thousand.
 *
 * Both are timed from when they are given their work, which is the commit of the events for the product and the call for the loop, to
 * the arrival of the last. What the events take to insert counts for neither. The receiver stands for other machines, yet takes from
 * the same processors: on two cores the product, of which the worker and Postgres could fill both, has only what it leaves, and the loop,
 * which fills one, does not feel it. So it reads requests by itself, for 16 µs each, where `node:http` took 28; `processorMicros` tells.
 * `--profile` writes a CPU profile of the worker.
 * `node bench/webhooks-throughput.ts [deliveries=20000] [concurrency=50] [--profile]`
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent } from 'undici';
import { signBody, signMessage } from '#src/infra/signing/webhook-signatures.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { familyOf, processorSeconds } from './lib/processes.ts';
import { startWebhookReceiver } from './lib/webhook-receiver.ts';
import { epochMs, openWebhookShop } from './lib/webhook-shop.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const given = process.argv.slice(2);
const [deliveries = 20_000, concurrency = 50] = given.filter((word) => !word.startsWith('--')).map(Number);
const nodeFlags = given.includes('--profile') ? ['--cpu-prof'] : [];
const warmUp = 20_000;
const batchSize = 500;

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('webhooks');
  const receiver = await startWebhookReceiver();
  const shop = await openWebhookShop(url, receiver.address);
  /** What all deliveries take: of time, from when `give` says that they were given, and of processors, in microseconds each. */
  async function measured(pid: number, give: () => Promise<number>, done: () => Promise<void>) {
    const seconds = (): number[] =>
      [[pid], familyOf(postgres.pid), [receiver.pid]].map((processes) => processorSeconds(processes));
    await receiver.report();
    const givenAt = await give();
    const before = seconds();
    await done();
    const [sender, database, counting] = seconds().map((after, at) =>
      Math.round((1e6 * (after - (before[at] ?? 0))) / deliveries),
    );
    const { calls, distinct, lastAt } = await receiver.report();
    return {
      calls,
      distinct,
      rate: deliveries / ((lastAt - givenAt) / 1_000),
      micros: { sender, postgres: database, receiver: counting },
    };
  }
  try {
    note(`Bare loop: ${deliveries} deliveries, ${concurrency} at a time ...`);
    const loop = await openBare(url, `http://${receiver.address}`);
    await loop.send(warmUp);
    const bare = await measured(
      process.pid,
      () => Promise.resolve(epochMs()),
      () => loop.send(deliveries),
    );
    await loop.close();

    note('The product ...');
    await shop.addDestination(`http://${receiver.address}/hooks`, concurrency);
    const worker = await startWorkerProcess({ databaseUrl: url, env: shop.env, nodeFlags });
    await shop.publish(warmUp);
    await shop.drained(warmUp);
    const product = await measured(
      worker.pid,
      () => shop.publish(deliveries),
      () => shop.drained(warmUp + deliveries),
    );
    await worker.stop();
    printFigure({
      figure: 'webhooks-throughput',
      value: product.rate,
      unit: 'deliveries/s',
      against: { name: 'a bare undici loop', value: bare.rate },
      reach: { of: 'ratio', atLeast: 0.6 },
      detail: {
        deliveries,
        concurrency,
        lost: deliveries - product.distinct,
        repeats: product.calls - product.distinct,
        processorMicros: product.micros,
        processorMicrosBare: bare.micros,
      },
    });
  } finally {
    receiver.stop();
    await shop.close();
  }
});

async function openBare(databaseUrl: string, origin: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'CREATE TABLE bare_attempts (event_id uuid, http_code int, duration_ms int, response text, at timestamptz)',
  );
  const agent = new Agent({ connections: concurrency });
  const body = Buffer.from(JSON.stringify({ topic: 'bench.event', data: { text: 'x'.repeat(900) } }));
  const secrets = ['a secret of the benches'];
  let left = 0;
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
  const one = async (): Promise<void> => {
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
  return {
    async send(count: number): Promise<void> {
      left = count;
      await Promise.all(Array.from({ length: concurrency }, one));
      await insert();
    },
    async close(): Promise<void> {
      await agent.close();
      await client.end();
    },
  };
}
