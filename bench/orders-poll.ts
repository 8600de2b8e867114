/**
 * The polls of an ERP, at 10,000 orders and at 1,000,000, over `/v1` and by cursor in the graph. Each kind of poll goes to both in turn;
 * the figure is the kind that grew most. `node bench/orders-poll.ts [seconds] [connections] [rounds] [small] [large]`
 */
import { type ApiProcess, startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { openShop, type Shop } from './lib/shop.ts';
import { median, significant } from './lib/stats.ts';

const [seconds = 2, connections = 2, rounds = 3, small = 10_000, large = 1_000_000] = process.argv.slice(2).map(Number);
const pages = 200;

const walk = `query ($after: String) {
  orders(orderBy: { field: UPDATED_AT, direction: ASC }, first: 100, after: $after) {
    pageInfo { hasNextPage endCursor }
    edges { node { databaseId number status updatedAt totals { gross } positions { sku quantity unitPrice } } }
  }
}`;

interface Side {
  api: ApiProcess;
  polls: Record<string, LoadRequest[]>;
}

await withPostgres(async (postgres) => {
  const sides: Side[] = [];
  const opened: (() => Promise<void>)[] = [];
  try {
    for (const orders of [small, large]) {
      const databaseUrl = await postgres.createDatabase(`orders_${orders}`);
      const shop = await openShop(databaseUrl);
      opened.push(() => shop.client.end());
      note(`Filling ${orders} orders ...`);
      await shop.addOrders(orders);
      const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
      opened.push(() => api.stop());
      sides.push({ api, polls: await measurePolls(shop, orders) });
    }
    const kinds = Object.keys(sides[0]?.polls ?? {});
    const p99 = new Map(kinds.map((kind) => [kind, sides.map((): number[] => [])]));
    const p50 = new Map(kinds.map((kind) => [kind, sides.map((): number[] => [])]));
    for (let round = 0; round <= rounds; round += 1) {
      for (const kind of kinds) {
        for (const [at, { api, polls }] of sides.entries()) {
          const load = await runLoad({
            port: api.port,
            requests: polls[kind] ?? [],
            connections,
            durationMs: seconds * 1_000,
            rejectBody: '"errors":',
          });
          if (load.errors > 0) throw new Error(`${load.errors} polls failed: ${JSON.stringify(load.errorKinds)}`);
          // The first round warms up.
          if (round === 0) continue;
          p99.get(kind)?.[at]?.push(load.latencyMs.p99);
          p50.get(kind)?.[at]?.push(load.latencyMs.p50);
        }
      }
    }
    const results = kinds.map((kind) => {
      const [smallP99 = 0, largeP99 = 0] = (p99.get(kind) ?? []).map(median);
      const [smallP50 = 0, largeP50 = 0] = (p50.get(kind) ?? []).map((each) => significant(median(each), 3));
      return { kind, smallP50, largeP50, smallP99, largeP99, ratio: significant(largeP99 / smallP99, 3) };
    });
    for (const { kind, smallP50, largeP50, smallP99, largeP99 } of results)
      note(
        `${kind}: p99 ${significant(smallP99, 3)} and ${significant(largeP99, 3)} ms, p50 ${smallP50} and ${largeP50} ms`,
      );
    const worst = results.toSorted((a, b) => b.ratio - a.ratio)[0];
    if (!worst) throw new Error('Nothing was polled.');
    printFigure({
      figure: 'order-poll',
      value: worst.largeP99,
      unit: 'ms p99',
      against: { name: `${worst.kind} at ${small} orders`, value: worst.smallP99 },
      reach: { of: 'ratio', atMost: 1.5 },
      detail: { seconds, connections, rounds, small, large, results },
    });
  } finally {
    // Before Postgres stops, which would end a client with an error that hides the one of the bench.
    for (const close of opened.toReversed()) await close();
  }
});

/** Every kind of poll, by its name in the output. Orders are a second apart, so that times find the same number at any size. */
async function measurePolls({ client, tenantId, keyHeaders }: Shop, orders: number): Promise<Side['polls']> {
  const { rows } = await client.query<{ newest: Date; oldest: Date }>(
    'SELECT max(updated_at) AS newest, min(updated_at) AS oldest FROM orders WHERE tenant_id = $1',
    [tenantId],
  );
  const { newest, oldest } = rows[0] as { newest: Date; oldest: Date };
  const get = (query: string): LoadRequest => ({ method: 'GET', path: `/v1/orders?${query}`, headers: keyHeaders });
  const since = (secondsAgo: number) => new Date(newest.getTime() - secondsAgo * 1_000).toISOString();
  const { rows: places } = await client.query<{ place: [string, string] }>(
    `SELECT ARRAY[(extract(epoch FROM updated_at) * 1000)::bigint::text, id::text] AS place
     FROM orders WHERE tenant_id = $1 AND id = ANY ($2::bigint[])`,
    [tenantId, Array.from({ length: pages }, () => 1 + Math.floor(Math.random() * (orders - 200)))],
  );
  return {
    'newest first': [get('limit=50&order=updated_at.desc')],
    'changed in the last minutes': Array.from({ length: pages }, (_, page) =>
      get(`limit=100&order=updated_at.asc&updated_since=${since(60 + page)}`),
    ),
    'changed in the last two hours': Array.from({ length: pages }, (_, page) =>
      get(`limit=100&order=updated_at.asc&updated_since=${since(7_200 + page)}`),
    ),
    'changed since the first': [get(`limit=100&order=updated_at.asc&updated_since=${oldest.toISOString()}`)],
    'pending, newest first': [get('limit=50&order=updated_at.desc&status=pending')],
    'page by offset': Array.from({ length: pages }, (_, page) =>
      get(`limit=50&order=updated_at.desc&offset=${page * Math.floor((small - 50) / pages)}`),
    ),
    'walk by cursor': places.map(({ place }) => ({
      method: 'POST',
      path: '/graphql',
      headers: { ...keyHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ query: walk, variables: { after: encodeCursor(place) } }),
    })),
  };
}

function encodeCursor(place: [string, string]): string {
  return Buffer.from(`UPDATED_AT ASC ${encodeURIComponent(JSON.stringify(place))}`).toString('base64url');
}
