/**
 * What a read replica is worth and costs. First pairs of a write and a read of it, half of them by another process, with the replica half a
 * second behind. Then the newest 50 orders, with and without it: the processor time that the primary takes.
 * `node bench/replica-reads.ts [pairs] [seconds] [connections] [rounds] [orders]`
 */
import { request } from 'node:http';
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { openShop } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const [pairs = 10_000, seconds = 5, connections = 16, rounds = 3, orders = 10_000] = process.argv.slice(2).map(Number);
const poolSize = 10;

interface Answered {
  status: number;
  body: string;
  token: string | undefined;
}

await withPostgres(async (postgres) => {
  const name = 'replica_reads';
  const databaseUrl = await postgres.createDatabase(name);
  const shop = await openShop(databaseUrl);
  note(`Filling ${orders} orders ...`);
  await shop.addOrders(orders);
  await shop.client.query(`INSERT INTO state_namespaces (tenant_id, namespace) VALUES ($1, 'bench')`, [shop.tenantId]);
  const standby = await postgres.addStandby(0);
  const shared = { databaseUrl, orgId: benchOrg, poolSize, signingSecret: 'replica reads '.repeat(4) };
  const replicated = { ...shared, env: { DATABASE_REPLICA_URL: standby.url(name) } };
  const [one, other, alone] = [
    await startApiProcess(replicated),
    await startApiProcess(replicated),
    await startApiProcess(shared),
  ];
  try {
    await printPairs(standby);
    await printProcessorTime();
  } finally {
    for (const api of [one, other, alone]) await api.stop();
    await shop.client.end();
    await standby.stop();
  }

  async function printPairs({ delay }: Pick<typeof standby, 'delay'>): Promise<void> {
    const headers = await one.headersFor(shop.tenantId, ['admin']);
    const otherHeaders = await other.headersFor(shop.tenantId, ['admin']);
    await delay(500);
    note(`${pairs} pairs of a write and a read ...`);
    let [next, stale, failed] = [0, 0, 0];
    const began = performance.now();
    const pairing = async (): Promise<void> => {
      while (next < pairs) {
        const number = (next += 1);
        const path = `/api/v1/state/bench/entries/key-${number % 1_000}`;
        const written = await send(one.port, 'PUT', path, headers, { value: number });
        const read =
          number % 2 === 0
            ? await send(one.port, 'GET', path, headers)
            : await send(other.port, 'GET', path, { ...otherHeaders, 'x-read-after': written.token ?? '' });
        if (written.status >= 300 || read.status !== 200) failed += 1;
        // A later pair may have written the same key already.
        else if ((JSON.parse(read.body) as { value: number }).value < number) stale += 1;
      }
    };
    await Promise.all(Array.from({ length: connections }, pairing));
    await delay(0);
    printFigure({
      figure: 'replica-stale-reads',
      value: stale + failed,
      unit: 'of the pairs',
      reach: { of: 'value', atMost: 0 },
      detail: { pairs, stale, failed, pairsPerSecond: significant((pairs * 1_000) / (performance.now() - began), 3) },
    });
  }

  async function printProcessorTime(): Promise<void> {
    const used: Record<'replica' | 'primary', { primary: number[]; rps: number[] }> = {
      replica: { primary: [], rps: [] },
      primary: { primary: [], rps: [] },
    };
    const asked = [{ method: 'GET', path: '/v1/orders?limit=50', headers: shop.keyHeaders }] as const;
    for (let round = 0; round <= rounds; round += 1) {
      for (const side of ['replica', 'primary'] as const) {
        const { port } = side === 'replica' ? one : alone;
        const before = processorSeconds(ofPrimary());
        const load = await runLoad({ port, requests: asked, connections, durationMs: seconds * 1_000 });
        if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
        const micros = ((processorSeconds(ofPrimary()) - before) * 1e6) / load.requests;
        note(
          `Round ${round}: ${side}, ${Math.round(load.rps)} requests/s, ${Math.round(micros)} us of the primary each`,
        );
        // The first warms both.
        if (round === 0) continue;
        used[side].primary.push(micros);
        used[side].rps.push(load.rps);
      }
    }
    printFigure({
      figure: 'replica-list-primary-time',
      value: median(used.replica.primary),
      unit: 'us of the primary a request',
      against: { name: 'the same list on the primary', value: median(used.primary.primary) },
      reach: { of: 'ratio', atMost: 0.1 },
      detail: {
        seconds,
        connections,
        rounds,
        orders,
        requestsPerSecond: { replica: used.replica.rps, primary: used.primary.rps },
      },
    });
  }

  /** The primary's processes without those that send its log. */
  function ofPrimary(): number[] {
    return findFamily(postgres.pid);
  }
});

function send(port: number, method: string, path: string, headers: object, body?: object): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const json = body && { 'content-type': 'application/json' };
  const sent = request({ port, method, path, headers: { ...headers, ...json }, agent: undefined }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const token = response.headers['x-read-after'];
      resolve({
        status: response.statusCode ?? 0,
        body: Buffer.concat(chunks).toString(),
        token: typeof token === 'string' ? token : undefined,
      });
    });
  });
  sent.on('error', reject);
  sent.end(body && JSON.stringify(body));
  return promise;
}
