/**
 * Deliveries a second of one worker to one destination: 1 KB, signed by both schemes, every attempt recorded. Beside it a bare undici loop
 * that makes, signs and posts the same requests, with the same headers and as many bytes, and inserts attempts 500 at a time, to the same
 * receiver. Short rounds of both alternate, each beginning in turn, so that changes of the machine's speed affect both alike. The figures
 * are those of the round with the median ratio. A first round of each is not counted: V8 compiles for the first seconds of a process, which
 * was still a fifth of the worker's processor time after five thousand deliveries.
 *
 * Both are timed from when they get their work, which is the commit of the events for the product and the call for the loop, to the arrival
 * of the last. The time to insert the events counts for neither. The receiver stands for other machines, yet uses the same processors: on
 * two cores the product, whose worker and Postgres could fill both, has only the rest, and the loop, which fills one, is not affected. So
 * the receiver parses requests itself, for 16 µs each, where `node:http` took 28; `processorMicros` shows it. `--profile` writes a CPU
 * profile of the worker. `node bench/webhooks-throughput.ts [deliveries=20000] [concurrency=50] [rounds=5] [--profile]`
 */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent } from 'undici';
import { signBody, signMessage } from '#src/infra/signing/webhook-signatures.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { median, significant } from './lib/stats.ts';
import { startWebhookReceiver } from './lib/webhook-receiver.ts';
import { epochMs, openWebhookShop } from './lib/webhook-shop.ts';
import { startWorkerProcess } from './lib/worker-process.ts';

const given = process.argv.slice(2);
const [deliveries = 20_000, concurrency = 50, rounds = 5] = given.filter((word) => !word.startsWith('--')).map(Number);
const nodeFlags = given.includes('--profile') ? ['--cpu-prof'] : [];
const batchSize = 500;

/** The result of a round: deliveries a second, and processor time in microseconds each. */
interface Measured {
  rate: number;
  lost: number;
  repeats: number;
  micros: { sender: number; postgres: number; receiver: number };
}
/** Both sides in one round. */
interface Pair {
  product: Measured;
  loop: Measured;
}

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('webhooks');
  const receiver = await startWebhookReceiver();
  const shop = await openWebhookShop(url, receiver.address);
  /** Measures from the time that `give` returns, at which the deliveries were given to the process `pid`. */
  async function measured(pid: number, give: () => Promise<number>, done: () => Promise<void>): Promise<Measured> {
    const seconds = (): number[] =>
      [[pid], findFamily(postgres.pid), [receiver.pid]].map((processes) => processorSeconds(processes));
    await receiver.report();
    const givenAt = await give();
    const before = seconds();
    await done();
    const [sender = 0, database = 0, counting = 0] = seconds().map(
      (after, at) => (1e6 * (after - (before[at] ?? 0))) / deliveries,
    );
    const { calls, distinct, lastAt } = await receiver.report();
    return {
      rate: deliveries / ((lastAt - givenAt) / 1_000),
      lost: deliveries - distinct,
      repeats: calls - distinct,
      micros: { sender, postgres: database, receiver: counting },
    };
  }
  try {
    const loop = await openBare(url, `http://${receiver.address}`);
    await shop.addDestination(`http://${receiver.address}/hooks`, concurrency);
    const worker = await startWorkerProcess({ databaseUrl: url, env: shop.env, nodeFlags });
    let published = 0;
    const send = () =>
      measured(
        worker.pid,
        () => shop.publish(deliveries),
        () => shop.drained((published += deliveries)),
      );
    const sendBare = () =>
      measured(
        process.pid,
        () => Promise.resolve(epochMs()),
        () => loop.send(deliveries),
      );
    const inTurn = async (round: number): Promise<Pair> => {
      if (round % 2 === 0) return { product: await send(), loop: await sendBare() };
      return { loop: await sendBare(), product: await send() };
    };
    note(`Compiling both, ${deliveries} deliveries, ${concurrency} at a time ...`);
    await inTurn(0);
    const pairs: Pair[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const pair = await inTurn(round);
      pairs.push(pair);
      note(
        `Round ${round} of ${rounds}: ${Math.round(pair.product.rate)} of ${Math.round(pair.loop.rate)} deliveries/s`,
      );
    }
    await loop.close();
    await worker.stop();
    const ratios = pairs.map((pair) => pair.product.rate / pair.loop.rate);
    const shown = pairs[ratios.indexOf(median(ratios))] as Pair;
    const sum = (of: (pair: Pair) => number): number => pairs.reduce((total, pair) => total + of(pair), 0);
    const micros = (of: (pair: Pair) => Measured) => ({
      sender: Math.round(median(pairs.map((pair) => of(pair).micros.sender))),
      postgres: Math.round(median(pairs.map((pair) => of(pair).micros.postgres))),
      receiver: Math.round(median(pairs.map((pair) => of(pair).micros.receiver))),
    });
    printFigure({
      figure: 'webhooks-throughput',
      value: shown.product.rate,
      unit: 'deliveries/s',
      against: { name: 'a bare undici loop', value: shown.loop.rate },
      reach: { of: 'ratio', atLeast: 0.6 },
      detail: {
        deliveries,
        concurrency,
        rounds,
        ratios: ratios.map((ratio) => significant(ratio, 3)),
        lost: sum(({ product }) => product.lost),
        repeats: sum(({ product }) => product.repeats),
        processorMicros: micros(({ product }) => product),
        processorMicrosBare: micros(({ loop: each }) => each),
      },
    });
  } finally {
    receiver.stop();
    await shop.close();
  }
});

async function openBare(databaseUrl: string, origin: string) {
  const tenantId = randomUUID();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    'CREATE TABLE bare_attempts (event_id uuid, http_code int, duration_ms int, response text, at timestamptz)',
  );
  const agent = new Agent({ connections: concurrency });
  const text = 'x'.repeat(900);
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
      const data = { n: left, text };
      const event = { id, topic: 'bench.event', time: at.toISOString(), tenant_id: tenantId, data, metadata: {} };
      const body = Buffer.from(JSON.stringify(event), 'utf8');
      const headers = {
        'user-agent': 'bare',
        'accept-encoding': 'identity',
        'content-type': 'application/json',
        'x-platform-id': id,
        'x-platform-topic': 'bench.event',
        'x-platform-timestamp': timestamp,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
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
