/**
 * The newest 50 orders with their positions over `/v1`, by API key, against bare `node:http` and `pg` answering the same JSON from
 * the same tables. `node bench/orders-list.ts [seconds] [connections] [rounds] [orders]`
 */
import { isDeepStrictEqual } from 'node:util';
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { startPeer } from './lib/peer.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { openShop } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const [seconds = 5, connections = 16, rounds = 3, orders = 10_000] = process.argv.slice(2).map(Number);
const poolSize = 10;
/** `CPU_PROF=directory` leaves a profile of the API process there. */
const profile = process.env['CPU_PROF'];

type Load = LoadResult & { processorMicros: Record<'server' | 'postgres', number> };

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('orders_list');
  const shop = await openShop(databaseUrl);
  note(`Filling ${orders} orders ...`);
  await shop.addOrders(orders);
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize, nodeFlags });
  const bare = await startPeer('bare-orders.mjs', { DATABASE_URL: databaseUrl, POOL_SIZE: String(poolSize) });
  const request: LoadRequest = { method: 'GET', path: '/v1/orders?limit=50', headers: shop.keyHeaders };
  const sides = { bare: { port: bare.port, pid: bare.process.pid ?? 0 }, v1: { port: api.port, pid: api.pid } };

  async function loadSide({ port, pid }: { port: number; pid: number }, durationMs: number): Promise<Load> {
    const used = () => [processorSeconds([pid]), processorSeconds(findFamily(postgres.pid))] as const;
    const before = used();
    const load = await runLoad({ port, requests: [request], connections, durationMs });
    if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
    const after = used();
    const micros = (at: 0 | 1) => significant(((after[at] - before[at]) * 1e6) / load.requests, 3);
    return { ...load, processorMicros: { server: micros(0), postgres: micros(1) } };
  }

  try {
    const warm = { bare: await loadSide(sides.bare, 2_000), v1: await loadSide(sides.v1, 2_000) };
    const [expected, answered] = [warm.bare, warm.v1].map(({ sample }) => JSON.parse(sample) as { items: unknown[] });
    // A ratio between different responses means nothing.
    if (expected?.items.length !== 50 || !isDeepStrictEqual(expected, answered))
      throw new Error(
        `The sides answer differently: ${warm.bare.sample.slice(0, 900)} and ${warm.v1.sample.slice(0, 900)}`,
      );
    const loads: Record<keyof typeof sides, Load[]> = { bare: [], v1: [] };
    // Alternating, so that both meet the same noise.
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of ['bare', 'v1'] as const) {
        const load = await loadSide(sides[side], seconds * 1_000);
        note(`Round ${round}: ${side}, ${Math.round(load.rps)} requests/s`);
        loads[side].push(load);
      }
    }
    const toDetail = (side: Load[]) =>
      side.map(({ rps, latencyMs, processorMicros, generatorLoad }) => ({
        rps: significant(rps),
        p50Ms: significant(latencyMs.p50, 3),
        p99Ms: significant(latencyMs.p99, 3),
        processorMicros,
        generatorLoad: significant(generatorLoad, 2),
      }));
    printFigure({
      figure: 'v1-newest-orders',
      value: median(loads.v1.map(({ rps }) => rps)),
      unit: 'requests/s',
      against: { name: 'bare node:http and pg', value: median(loads.bare.map(({ rps }) => rps)) },
      reach: { of: 'ratio', atLeast: 0.5 },
      detail: { seconds, connections, rounds, orders, poolSize, v1: toDetail(loads.v1), bare: toDetail(loads.bare) },
    });
  } finally {
    await bare.stop();
    await api.stop();
    await shop.client.end();
  }
});
