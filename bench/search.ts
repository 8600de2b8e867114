/**
 * `search` in a tenant with many rows of every kind, over GraphQL: each of several texts alone.
 * `node bench/search.ts [seconds] [connections] [rounds] [runs] [orders] [products]`
 */
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { note, printFigure } from './lib/figure.ts';
import { runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { benchOrg } from './lib/product-runs.ts';
import { tenantName } from './lib/runs-table.ts';
import { fillForSearch } from './lib/search-fill.ts';
import { significant } from './lib/stats.ts';

const [seconds = 3, connections = 1, rounds = 3, runs = 1_000_000, orders = 300_000, products = 100_000] = process.argv
  .slice(2)
  .map(Number);

/** Search texts: one letter, a prefix that many rows share, words of a name, a number, and a text that no row contains. */
const texts = [
  's',
  'SKU-1',
  '12',
  '123456',
  'ERP-2345',
  'PO garden',
  'steel',
  'mug steel',
  'crew',
  'Ltd',
  'orders',
  'zzz nothing',
];

const document = `query ($text: String!) { search(text: $text) { isPartial results { kind nodeId title subtitle rank
  ... on FoundProduct { product { sku } } ... on FoundOrder { order { number status } } ... on FoundRun { run { status } } } } }`;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('search');
  note(`Filling ${runs} runs, ${orders} orders and ${products} products ...`);
  await fillForSearch(databaseUrl, { runs, orders, products });
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  try {
    const measured = [];
    for (const text of texts) measured.push({ text, ...(await measure(api, text)) });
    const worst = measured.toSorted((one, other) => other.p99Ms - one.p99Ms)[0] as (typeof measured)[number];
    printFigure({
      figure: 'search',
      value: worst.p99Ms,
      unit: 'ms p99 of the slowest text',
      reach: { of: 'value', atMost: 50 },
      detail: { seconds, connections, rounds, runs, orders, products, texts: measured },
    });
  } finally {
    await api.stop();
  }
});

/** The best of the rounds, because noise only adds. */
async function measure(api: ApiProcess, text: string) {
  const headers = { 'content-type': 'application/json', ...(await api.headersFor(tenantName(0))) };
  const body = JSON.stringify({ query: document, variables: { text } });
  let best = { p50Ms: Infinity, p99Ms: Infinity, perSecond: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    const load = await runLoad({
      port: api.port,
      requests: [{ method: 'POST', path: '/graphql', headers, body }],
      connections,
      warmupMs: 500,
      durationMs: seconds * 1_000,
      // A search that is ended for lack of time takes a second, and shows in the latencies.
      rejectBody: '"errors":',
    });
    if (load.errors > 0) throw new Error(`${load.errors} requests failed: ${JSON.stringify(load.errorKinds)}`);
    const { p50, p99 } = load.latencyMs;
    if (p99 < best.p99Ms)
      best = { p50Ms: significant(p50, 3), p99Ms: significant(p99, 3), perSecond: significant(load.rps, 3) };
  }
  note(`${text}: p99 ${best.p99Ms} ms`);
  return best;
}
