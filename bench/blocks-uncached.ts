/**
 * A block that is not cached over `/theme/blocks/{name}`, beside its island alone; and a page of blocks of which one extension hangs,
 * beside the page without it. `node bench/blocks-uncached.ts [requests] [connections] [bytes] [delay in ms] [blocks] [pages]`
 */
import { blockName, type BlockShop, openBlockShop } from './lib/block-shop.ts';
import { printFigure } from './lib/figure.ts';
import { type LoadRequest, type LoadResult, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { findFamily, processorSeconds } from './lib/processes.ts';
import { median, significant, summarise } from './lib/stats.ts';

const [requests = 1_000, connections = 4, bytes = 4_096, delayMs = 20, blocks = 20, pages = 20] = process.argv
  .slice(2)
  .map(Number);
const limitMs = 2_000;
/** `CPU_PROF=directory` leaves a profile of the API process there. */
const profile = process.env['CPU_PROF'];

const healthy = Array.from({ length: blocks - 1 }, (_, at) => `reviews-${at}`);

await withPostgres(async (postgres) => {
  const nodeFlags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const shop = await openBlockShop(postgres, { extensions: [...healthy, 'hanging'], bytes, delayMs, nodeFlags });
  try {
    await measureBlock(shop, postgres.pid);
    await measurePages(shop);
  } finally {
    await shop.stop();
  }
});

async function measureBlock({ api, site, blockRequest, islandRequest }: BlockShop, postgresPid: number): Promise<void> {
  const load = async (port: number, requestFor: (heading: string) => LoadRequest, kind: string) => {
    const headings = Array.from({ length: requests }, (_, at) => `${kind} ${at}`);
    // Each is requested once, so that none is cached.
    const plan = { port, requests: headings.map(requestFor), connections, maxRequests: requests };
    const result = await runLoad({ ...plan, durationMs: 120_000 });
    if (result.errors > 0) throw new Error(`Requests failed: ${JSON.stringify(result.errorKinds)}`);
    return result;
  };
  const [extension = ''] = healthy;
  const block = (kind: string) => load(api.port, (heading) => blockRequest(extension, heading), kind);
  await block('warm');
  const alone = await load(site.port, (heading) => islandRequest(extension, heading), 'alone');
  const used = () => [processorSeconds([api.pid]), processorSeconds(findFamily(postgresPid))] as const;
  const before = used();
  const whole = await block('whole');
  const after = used();
  const micros = (at: 0 | 1) => significant(((after[at] - before[at]) * 1e6) / whole.requests, 3);
  const processorMicros = { server: micros(0), postgres: micros(1) };
  if (whole.bodyBytes.min < bytes) throw new Error('A block was left empty.');
  const toDetail = ({ rps, latencyMs }: LoadResult) => ({
    rps: significant(rps),
    p50Ms: significant(latencyMs.p50, 3),
    p99Ms: significant(latencyMs.p99, 3),
  });
  printFigure({
    figure: 'uncached-block-added-p99',
    value: whole.latencyMs.p99 - alone.latencyMs.p99,
    unit: 'ms',
    reach: { of: 'value', atMost: 10 },
    detail: {
      requests,
      connections,
      bytes,
      delayMs,
      block: { ...toDetail(whole), processorMicros },
      island: toDetail(alone),
    },
  });
}

async function measurePages({ api, keyHeaders }: BlockShop): Promise<void> {
  let count = 0;
  /** The time of a page whose blocks are not cached, and the number of its empty blocks. */
  const page = async (extensions: readonly string[]): Promise<{ ms: number; empty: number }> => {
    const props = { heading: `Page ${(count += 1)}` };
    const body = { page_type: 'product', blocks: extensions.map((each) => ({ name: blockName(each), props })) };
    const started = performance.now();
    const response = await fetch(`http://127.0.0.1:${api.port}/theme/blocks`, {
      method: 'POST',
      headers: { ...keyHeaders, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data } = (await response.json()) as { data: { status: string }[] };
    return { ms: performance.now() - started, empty: data.filter(({ status }) => status === 'empty').length };
  };
  await page(healthy);
  const all = [...healthy, 'hanging'];
  const first = await page(all);
  const open: number[] = [];
  const without: number[] = [];
  // Alternating, so that both meet the same noise. The breaker is open for five seconds; pages that would outlast it are not requested.
  for (const end = performance.now() + 4_000; open.length < pages && performance.now() < end;) {
    without.push((await page(healthy)).ms);
    const { ms, empty } = await page(all);
    if (empty !== 1) throw new Error(`${empty} blocks of ${blocks} are empty.`);
    open.push(ms);
  }
  const shared = { blocks, bytes, delayMs };
  printFigure({
    figure: 'page-with-hanging-extension',
    value: first.ms,
    unit: 'ms',
    reach: { of: 'value', atMost: limitMs + 100 },
    detail: { ...shared, empty: first.empty, limitMs },
  });
  printFigure({
    figure: 'page-with-open-breaker',
    value: median(open),
    unit: 'ms',
    against: { name: 'the page without the extension', value: median(without) },
    reach: { of: 'ratio', atMost: 1.2 },
    detail: { ...shared, pages: open.length, p99Ms: [open, without].map((all) => significant(summarise(all).p99, 3)) },
  });
}
