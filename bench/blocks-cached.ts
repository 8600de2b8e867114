/**
 * A cached block over `/theme/blocks/{name}`, by API key, beside bare `node:http` sending the same bytes.
 * `node bench/blocks-cached.ts [seconds] [connections] [rounds] [bytes]`
 */
import { openBlockShop } from './lib/block-shop.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { startServer } from './lib/peer.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { median, significant } from './lib/stats.ts';

const [seconds = 5, connections = 64, rounds = 3, bytes = 20 * 1024] = process.argv.slice(2).map(Number);
/** Few enough that a request seldom waits for another, so the latency is the server's own. */
const fewConnections = 4;
/** `CPU_PROF=directory` leaves a profile of the API process there. */
const profile = process.env['CPU_PROF'];

type Load = LoadResult & { processorMicros: Record<'server' | 'postgres', number> };

await withPostgres(async (postgres) => {
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const shop = await openBlockShop(postgres, { extensions: ['reviews'], bytes, delayMs: 0, nodeFlags });
  const request = shop.blockRequest('reviews', 'Reviews');
  const html = await rendered(shop.api.port, request).catch(async (error: unknown) => {
    await shop.stop();
    throw error;
  });
  const bare = await startServer(new URL('./lib/bare-block-process.ts', import.meta.url), { HTML: html });
  const sides = { bare: { port: bare.port, pid: bare.process.pid ?? 0 }, block: shop.api };

  async function load(side: keyof typeof sides, durationMs: number, over = connections): Promise<Load> {
    const { port, pid } = sides[side];
    const used = () => [processorSeconds([pid]), processorSeconds(findFamily(postgres.pid))] as const;
    const before = used();
    const result = await runLoad({ port, requests: [request], connections: over, durationMs });
    if (result.errors > 0) throw new Error(`${result.errors} requests failed: ${JSON.stringify(result.errorKinds)}`);
    // A ratio between different responses means nothing.
    if (result.sample !== html) throw new Error(`${side} answers differently: ${result.sample.slice(0, 200)}`);
    const after = used();
    const micros = (at: 0 | 1) => significant(((after[at] - before[at]) * 1e6) / result.requests, 3);
    return { ...result, processorMicros: { server: micros(0), postgres: micros(1) } };
  }

  try {
    for (const side of ['bare', 'block'] as const) await load(side, 2_000);
    const loads: Record<keyof typeof sides, Load[]> = { bare: [], block: [] };
    const calm: Record<keyof typeof sides, Load[]> = { bare: [], block: [] };
    // Alternating, so that both meet the same noise.
    for (let round = 1; round <= rounds; round += 1) {
      for (const side of ['bare', 'block'] as const) {
        const busy = await load(side, seconds * 1_000);
        note(`Round ${round}: ${side}, ${Math.round(busy.rps)} requests/s`);
        loads[side].push(busy);
        calm[side].push(await load(side, seconds * 1_000, fewConnections));
      }
    }
    const rps = (side: keyof typeof sides) => median(loads[side].map((each) => each.rps));
    const p99 = (side: keyof typeof sides, of = loads) => median(of[side].map(({ latencyMs }) => latencyMs.p99));
    const toDetail = (all: readonly Load[]) =>
      all.map(({ rps, latencyMs, processorMicros, generatorLoad }) => ({
        rps: significant(rps),
        p50Ms: significant(latencyMs.p50, 3),
        p99Ms: significant(latencyMs.p99, 3),
        processorMicros,
        generatorLoad: significant(generatorLoad, 2),
      }));
    const settings = { seconds, rounds, bytes: html.length };
    printFigure({
      figure: 'cached-block',
      value: rps('block'),
      unit: 'requests/s',
      against: { name: 'bare node:http', value: rps('bare') },
      reach: { of: 'ratio', atLeast: 0.5 },
      detail: { ...settings, connections, block: toDetail(loads.block), bare: toDetail(loads.bare) },
    });
    printFigure({
      figure: 'cached-block-p99',
      value: p99('block'),
      unit: 'ms',
      against: { name: 'bare node:http', value: p99('bare') },
      reach: { of: 'value', atMost: 5 },
      detail: { ...settings, connections },
    });
    printFigure({
      figure: 'cached-block-p99-few-connections',
      value: p99('block', calm),
      unit: 'ms',
      against: { name: 'bare node:http', value: p99('bare', calm) },
      reach: { of: 'value', atMost: 5 },
      detail: { ...settings, connections: fewConnections, block: toDetail(calm.block), bare: toDetail(calm.bare) },
    });
  } finally {
    await bare.stop();
    await shop.stop();
  }
});

async function rendered(port: number, { path, headers = {} }: LoadRequest): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const status = response.headers.get('x-block-status');
  if (status !== 'rendered') throw new Error(`The block is ${status ?? response.status}.`);
  return response.text();
}
