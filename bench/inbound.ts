/**
 * Calls to an inbound endpoint a second, each verified and durable before its 202, by 64 clients. Beside it bare `node:http` that
 * verifies the same signature and stores each call with one INSERT, on the same server. Short rounds of both follow each other, and
 * either begins in turn, so that a machine whose speed changes is as fast for both; a round of each before them, which is not counted,
 * has V8 compile both. The figures are those of the round with the middle ratio. Reach: >= 1x. It also prints what a call takes of
 * processors. `--profile` writes a CPU profile of the API.
 * `node bench/inbound.ts [seconds=3] [clients=64] [rounds=7] [--profile]`
 */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { signBody } from '#src/infra/signing/webhook-signatures.ts';
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { openShop } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const given = process.argv.slice(2);
const [seconds = 3, clients = 64, rounds = 7] = given.filter((word) => !word.startsWith('--')).map(Number);
const nodeFlags = given.includes('--profile') ? ['--cpu-prof'] : [];
const secret = 'a secret of the benches';
const body = JSON.stringify({ number: 'SO-1', text: 'x'.repeat(900) });
/** More than are answered in the time: none may be sent twice, because a repeat is cheaper. */
const callsASecond = 20_000;
const warmupMs = 1_000;

/** With the processor time of a call in the process that answered it, and in Postgres, in microseconds. */
type Measured = LoadResult & { own: number; database: number };
/** Both sides in one round. */
interface Pair {
  product: Measured;
  byHand: Measured;
}

const callsTo = (path: string) =>
  Array.from({ length: callsASecond * (seconds + 1) }, () => ({
    method: 'POST' as const,
    path,
    headers: {
      'content-type': 'application/json',
      'x-platform-id': randomUUID(),
      'x-platform-timestamp': String(Math.floor(Date.now() / 1_000)),
      'x-platform-signature': signBody(Buffer.from(body), [secret]),
    },
    body,
  }));

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('inbound');
  const shop = await openShop(databaseUrl);
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10, nodeFlags });
  const bare = fork(fileURLToPath(new URL('lib/bare-inbound-process.ts', import.meta.url)), [databaseUrl, secret]);
  try {
    const [{ port }] = (await once(bare, 'message')) as [{ port: number }];
    const made = await fetch(`http://127.0.0.1:${api.port}/v1/webhooks/inbound-endpoints`, {
      method: 'POST',
      headers: { ...shop.keyHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'ERP', config: { secret }, topic: 'bench.called' }),
    });
    if (!made.ok) throw new Error(`The endpoint was not made: ${await made.text()}`);
    const { endpoint_id: endpointId } = (await made.json()) as { endpoint_id: string };
    const measure = async (pid: number, at: number, path: string): Promise<Measured> => {
      const used = (): number[] => [processorSeconds([pid]), processorSeconds(findFamily(postgres.pid))];
      const before = used();
      const plan = { port: at, requests: callsTo(path), connections: clients, warmupMs, durationMs: seconds * 1_000 };
      const load = await runLoad(plan);
      if (load.errors > 0) throw new Error(`${load.errors} calls failed: ${JSON.stringify(load.errorKinds)}`);
      if (load.rps > callsASecond)
        throw new Error(`Calls were sent twice: more than ${callsASecond} a second are answered.`);
      const calls = (load.rps * (plan.durationMs + warmupMs)) / 1_000;
      const [own = 0, database = 0] = used().map((after, place) => (1e6 * (after - (before[place] ?? 0))) / calls);
      return { ...load, own, database };
    };
    const callProduct = () => measure(api.pid, api.port, `/in/${endpointId}`);
    const callBare = () => measure(bare.pid ?? 0, port, '/');
    const inTurn = async (round: number): Promise<Pair> => {
      if (round % 2 === 0) return { product: await callProduct(), byHand: await callBare() };
      return { byHand: await callBare(), product: await callProduct() };
    };
    note(`Compiling both, ${clients} clients ...`);
    await inTurn(0);
    const pairs: Pair[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const pair = await inTurn(round);
      pairs.push(pair);
      note(`Round ${round} of ${rounds}: ${Math.round(pair.product.rps)} of ${Math.round(pair.byHand.rps)} calls/s`);
    }
    const rateRatio = ({ product, byHand }: Pair): number => product.rps / byHand.rps;
    const ratios = pairs.map(rateRatio);
    const shown = pairs[ratios.indexOf(median(ratios))] as Pair;
    const micros = (of: (pair: Pair) => Measured) => ({
      own: Math.round(median(pairs.map((pair) => of(pair).own))),
      postgres: Math.round(median(pairs.map((pair) => of(pair).database))),
    });
    const middle = (of: (pair: Pair) => number): number => median(pairs.map(of));
    printFigure({
      figure: 'inbound',
      value: shown.product.rps,
      unit: 'calls/s',
      against: { name: 'node:http, HMAC and one INSERT each', value: shown.byHand.rps },
      reach: { of: 'ratio', atLeast: 1 },
      detail: {
        seconds,
        clients,
        rounds,
        ratios: ratios.map((ratio) => significant(ratio, 3)),
        processorMicros: micros(({ product }) => product),
        processorMicrosBare: micros(({ byHand }) => byHand),
        p99Ms: significant(
          middle(({ product }) => product.latencyMs.p99),
          3,
        ),
        p99MsBare: significant(
          middle(({ byHand }) => byHand.latencyMs.p99),
          3,
        ),
      },
    });
  } finally {
    bare.disconnect();
    await api.stop();
    await shop.client.end();
  }
});
