/**
 * Calls to an inbound endpoint a second, each verified and durable before its 202, by 64 clients. Beside it bare `node:http` that
 * verifies the same signature and stores each call with one INSERT, in turn on the same server. Reach: >= 1x.
 * `node bench/inbound.ts [seconds=5] [clients=64] [rounds=3]`
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
import { openShop } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const [seconds = 5, clients = 64, rounds = 3] = process.argv.slice(2).map(Number);
const secret = 'a secret of the benches';
const body = JSON.stringify({ number: 'SO-1', text: 'x'.repeat(900) });
/** More than are answered in the time: none may be sent twice, since a repeat is cheaper. */
const callsASecond = 5_000;
const warmupMs = 1_000;

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
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
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
    const measure = async (at: number, path: string): Promise<LoadResult> => {
      const plan = { port: at, requests: callsTo(path), connections: clients, warmupMs, durationMs: seconds * 1_000 };
      const load = await runLoad(plan);
      if (load.errors > 0) throw new Error(`${load.errors} calls failed: ${JSON.stringify(load.errorKinds)}`);
      return load;
    };
    const pairs: { product: LoadResult; byHand: LoadResult }[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      note(`Round ${round} of ${rounds}, ${clients} clients ...`);
      const byHand = await measure(port, '/');
      pairs.push({ byHand, product: await measure(api.port, `/in/${endpointId}`) });
    }
    const middle = (of: (pair: (typeof pairs)[number]) => number): number => median(pairs.map(of));
    printFigure({
      figure: 'inbound',
      value: middle(({ product }) => product.rps),
      unit: 'calls/s',
      against: { name: 'node:http, HMAC and one INSERT each', value: middle(({ byHand }) => byHand.rps) },
      reach: { of: 'ratio', atLeast: 1 },
      detail: {
        seconds,
        clients,
        rounds,
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
