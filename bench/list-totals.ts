/**
 * Lists with their totals, in a tenant with a million rows and in one with a hundred: stock movements and deliveries over `/v1`, and the
 * `totalCount` of runs in the graph. `node bench/list-totals.ts [seconds=5] [connections=4] [rows=1000000]`
 */
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { openShop, type Shop } from './lib/shop.ts';
import { significant } from './lib/stats.ts';

const [seconds = 5, connections = 4, rows = 1_000_000] = process.argv.slice(2).map(Number);
const few = 100;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('list_totals');
  const shops = { small: await openShop(databaseUrl, 'small-shop'), large: await openShop(databaseUrl, 'large-shop') };
  note(`Filling ${few} and ${rows} movements, deliveries and runs ...`);
  await fill(shops.small, few);
  await fill(shops.large, rows);
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  try {
    const graph = async ({ tenantId }: Shop): Promise<LoadRequest> => ({
      method: 'POST',
      path: '/graphql',
      headers: { ...(await api.headersFor(tenantId)), 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ runs(first: 50) { totalCount edges { node { id status } } } }' }),
    });
    const rest =
      (path: string) =>
      async ({ keyHeaders: headers }: Shop): Promise<LoadRequest> => ({ method: 'GET', path, headers });
    for (const [name, toRequest] of [
      ['stock-movements', rest('/v1/inventories/movements?limit=50')],
      ['deliveries', rest('/v1/webhooks/deliveries?limit=50')],
      ['runs', graph],
    ] as const) {
      const p99: Record<keyof typeof shops, number[]> = { small: [], large: [] };
      for (let round = 0; round <= 3; round += 1) {
        for (const size of ['small', 'large'] as const) {
          const plan = {
            port: api.port,
            requests: [await toRequest(shops[size])],
            connections,
            rejectBody: '"errors":',
          };
          const { latencyMs, errors, errorKinds, sample, rps } = await runLoad({
            ...plan,
            durationMs: seconds * 1_000,
          });
          if (errors > 0)
            throw new Error(
              `${errors} requests of ${name} failed: ${JSON.stringify(errorKinds)}, ${sample.slice(0, 900)}`,
            );
          note(`${name}, ${size}: ${Math.round(rps)} requests/s, p99 ${significant(latencyMs.p99, 3)} ms`);
          // The first warms both.
          if (round > 0) p99[size].push(latencyMs.p99);
        }
      }
      const middle = (of: number[]) => of.toSorted((one, other) => one - other)[1] ?? 0;
      printFigure({
        figure: `list-total-${name}`,
        value: middle(p99.large),
        unit: 'ms p99',
        against: { name: `a tenant with ${few} rows`, value: middle(p99.small) },
        reach: { of: 'ratio', atMost: 2 },
        detail: { seconds, connections, rows, p99 },
      });
    }
  } finally {
    await api.stop();
    for (const { client } of Object.values(shops)) await client.end();
  }
});

async function fill({ client, tenantId }: Shop, count: number): Promise<void> {
  const numbers = `generate_series(1, ${count}) AS n`;
  const statements = [
    `INSERT INTO stock_movements (tenant_id, sku, location, kind, quantity, delta, reserved_delta, reference, occurred_at, created_at)
     SELECT $1, 'SKU-' || n % 100, 'main', 'receipt', 1, 1, 0, 'receipt-' || n, now(), now() FROM ${numbers}`,
    `INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size)
     SELECT $1, gen_random_uuid(), 'order.created', '{}', 2 FROM ${numbers}`,
    `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status)
     SELECT tenant_id, 1, id, 'delivered' FROM webhook_payloads WHERE tenant_id = $1`,
    `INSERT INTO workflows (tenant_id, name, blob, updated_at) VALUES ($1, 'To the ERP', '{}', now())`,
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status)
     SELECT tenant_id, id, 1, 1, 'webhook', 'succeeded' FROM workflows, ${numbers} WHERE tenant_id = $1`,
  ];
  for (const statement of statements) await client.query(statement, [tenantId]);
  await client.query('VACUUM (ANALYZE) stock_movements, webhook_payloads, webhook_deliveries, runs');
}
