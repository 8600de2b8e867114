/**
 * Everything that a request has caused, from its id: the order with its story, the run, the request to the ERP and the delivery, in one query
 * among so many runs of the tenant. `node bench/request-lookup.ts [seconds=5] [connections=1] [runs=1000000]`
 */
import { startApiProcess } from './lib/api-process.ts';
import { benchOrg } from './lib/bench-workflow.ts';
import { note, printFigure } from './lib/figure.ts';
import { type LoadRequest, runLoad } from './lib/load.ts';
import { withPostgres } from './lib/postgres.ts';
import { openShop, type Shop } from './lib/shop.ts';
import { significant } from './lib/stats.ts';

const [seconds = 5, connections = 1, runs = 1_000_000] = process.argv.slice(2).map(Number);
/** Orders of the tenant. Each was placed by a request of its own, which started a run and a delivery. */
const orders = 100_000;

const query = `query ($requestId: String!) { request(requestId: $requestId) {
  orders {
    number
    story {
      at
      ... on OrderStoryRun { run { databaseId status } }
      ... on OrderStoryStep { step { nodeId calls { url status } } }
      ... on OrderStoryDelivery { delivery { status } }
    }
  }
  runs { databaseId status } deadLetters { databaseId } webhookDeliveries { databaseId status }
} }`;

await withPostgres(async (postgres) => {
  const databaseUrl = await postgres.createDatabase('request_lookup');
  const shop = await openShop(databaseUrl);
  note(`Filling ${orders} orders and ${runs} runs ...`);
  await shop.addOrders(orders);
  await fillCaused(shop);
  const api = await startApiProcess({ databaseUrl, orgId: benchOrg, poolSize: 10 });
  try {
    const headers = { ...(await api.headersFor(shop.tenantId)), 'content-type': 'application/json' };
    const requests = Array.from({ length: 1_000 }, (_, index): LoadRequest => {
      const requestId = `request-${1 + ((index * 7_919) % orders)}`;
      return { method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query, variables: { requestId } }) };
    });
    const plan = { port: api.port, requests, connections, rejectBody: '"errors":' };
    const { sample } = await runLoad({ ...plan, durationMs: 1_000 });
    for (const part of ['"story":[{', '"calls":[{', '"runs":[{', '"webhookDeliveries":[{'])
      if (!sample.includes(part)) throw new Error(`The answer lacks ${part}: ${sample.slice(0, 900)}`);
    const { latencyMs, errors, rps } = await runLoad({ ...plan, durationMs: seconds * 1_000 });
    if (errors > 0) throw new Error(`${errors} requests failed.`);
    printFigure({
      figure: 'request-lookup',
      value: significant(latencyMs.p99, 3),
      unit: 'ms p99',
      reach: { of: 'value', atMost: 30 },
      detail: { seconds, connections, runs, orders, p50Ms: significant(latencyMs.p50, 3), perSecond: significant(rps) },
    });
  } finally {
    await api.stop();
    await shop.client.end();
  }
});

/** Writes what each order's request has caused, and runs without a request up to the number that is wanted. */
async function fillCaused({ client, tenantId }: Shop): Promise<void> {
  const statements = [
    `INSERT INTO order_changes (tenant_id, order_id, action, channel, event_id, request_id, created_at)
     SELECT tenant_id, id, 'create', 'api', gen_random_uuid(), 'request-' || row_number() OVER (ORDER BY id), created_at
     FROM orders WHERE tenant_id = $1`,
    `INSERT INTO workflows (tenant_id, name, blob, updated_at) VALUES ($1, 'To the ERP', '{}', now())`,
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, event_id, request_id)
     SELECT w.tenant_id, w.id, 1, 1, 'event', 'succeeded', c.event_id, c.request_id
     FROM workflows w CROSS JOIN order_changes c WHERE w.tenant_id = $1 AND c.tenant_id = $1`,
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status)
     SELECT tenant_id, id, 1, 1, 'webhook', 'succeeded' FROM workflows, generate_series(1, ${Math.max(0, runs - orders)})
     WHERE tenant_id = $1`,
    `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, started_at, calls)
     SELECT tenant_id, id, 'send', 1, 'send', 'succeeded', now(),
       '[{"method": "POST", "url": "https://erp.example/orders", "status": 200, "error": null, "durationMs": 20, "at": "2026-01-01T00:00:00Z"}]'
     FROM runs WHERE tenant_id = $1 AND request_id IS NOT NULL`,
    `INSERT INTO webhook_payloads (tenant_id, event_id, topic, request_id, body, size)
     SELECT tenant_id, event_id, 'order.created', request_id, '{}', 2 FROM order_changes WHERE tenant_id = $1`,
    `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status)
     SELECT tenant_id, 1, id, 'delivered' FROM webhook_payloads WHERE tenant_id = $1`,
  ];
  for (const statement of statements) await client.query(statement, [tenantId]);
  await client.query('VACUUM (ANALYZE) order_changes, runs, steps, webhook_payloads, webhook_deliveries');
}
