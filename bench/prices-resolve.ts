/**
 * `POST /v1/prices/resolve` in 200 lists: 1,000,000 prices beside 10,000, and 200 articles in one call beside one. Once with lists
 * for customers, of which 11 apply to the one who asks, and once with 200 that all apply.
 * `node bench/prices-resolve.ts [seconds] [connections] [rounds] [small] [large] [lists]`
 */
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { openShop, articleSku } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const [seconds = 3, connections = 2, rounds = 3, small = 10_000, large = 1_000_000, lists = 200] = process.argv
  .slice(2)
  .map(Number);
const most = 200;

await withPostgres(async (postgres) => {
  for (const scope of ['customers', 'everybody'] as const) {
    const sides = await Promise.all(
      [small, large].map(async (rows) => {
        const databaseUrl = await postgres.createDatabase(`prices_${scope}_${rows}`);
        const shop = await openShop(databaseUrl);
        note(`Filling ${rows} prices in ${lists} lists for ${scope} ...`);
        await shop.addProducts(rows / lists);
        await shop.addPrices(lists, scope);
        const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
        return { rows, shop, api };
      }),
    );
    try {
      const asks = (rows: number, headers: Record<string, string>, many: boolean): LoadRequest[] =>
        Array.from({ length: many ? 20 : 500 }, () => {
          const item = () => ({ sku: articleSku(1 + Math.floor((Math.random() * rows) / lists)), quantity: '3' });
          const buyer = { currency: 'EUR', customer: 'C-57' };
          return {
            method: 'POST',
            path: '/v1/prices/resolve',
            headers: { ...headers, 'content-type': 'application/json' },
            body: JSON.stringify(
              many ? { ...buyer, items: Array.from({ length: most }, item) } : { ...buyer, ...item() },
            ),
          };
        });
      const [smallest, largest] = sides as [(typeof sides)[0], (typeof sides)[0]];
      const loads = [
        { name: 'small' as const, ...smallest, many: false },
        { name: 'large' as const, ...largest, many: false },
        { name: 'many' as const, ...largest, many: true },
      ];
      const measured = { small: [], large: [], many: [] } as Record<
        'small' | 'large' | 'many',
        { p50: number; p99: number }[]
      >;
      for (let round = 0; round <= rounds; round += 1) {
        for (const { name, rows, shop, api, many } of loads) {
          const requests = asks(rows, shop.keyHeaders, many);
          const load = await runLoad({ port: api.port, requests, connections, durationMs: seconds * 1_000 });
          if (load.errors > 0) throw new Error(`${load.errors} calls failed: ${JSON.stringify(load.errorKinds)}`);
          // The first round warms up.
          if (round > 0) measured[name].push(load.latencyMs);
        }
      }
      const of = (name: keyof typeof measured, what: 'p50' | 'p99') => median(measured[name].map((each) => each[what]));
      const detail = { seconds, connections, rounds, lists, scope, p50Ms: significant(of('large', 'p50'), 3) };
      const figure = scope === 'customers' ? 'prices-resolve' : 'prices-resolve-all-apply';
      printFigure({
        figure,
        value: of('large', 'p99'),
        unit: 'ms p99',
        against: { name: `${small} prices`, value: of('small', 'p99') },
        reach: { of: 'ratio', atMost: 2 },
        detail: { ...detail, within10Ms: of('large', 'p99') <= 10 },
      });
      printFigure({
        figure: `${figure}-${most}`,
        value: of('many', 'p50'),
        unit: 'ms p50',
        against: { name: 'one article', value: of('large', 'p50') },
        reach: { of: 'ratio', atMost: 10 },
        detail: { ...detail, p99Ms: significant(of('many', 'p99'), 3) },
      });
    } finally {
      for (const { api, shop } of sides) {
        await api.stop();
        await shop.client.end();
      }
    }
  }
});
