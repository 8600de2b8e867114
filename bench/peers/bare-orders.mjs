/**
 * The minimum that a server can do for a list of orders: `node:http`, two prepared statements through `pg` at a time, JSON.stringify. No
 * keys, no row-level security, no parameters: it returns the newest 50 orders of the tenant in X-Platform-Tenant like `/v1/orders` does.
 * Settings (environment): DATABASE_URL, POOL_SIZE.
 */
import { createServer } from 'node:http';
import pg from 'pg';

const limit = 50;
const page = `SELECT id::int AS id, number::text AS number, uid, external_key, status, payment_status, fulfillment_status, hold_reason,
    erp_number, customer_order_number, organization_id, contact_id, channel, currency,
    json_build_object('net', net::text, 'tax', tax::text, 'gross', gross::text) AS totals,
    (SELECT json_agg(json_build_object('id', id, 'sku', sku, 'name', name, 'quantity', quantity::text,
       'unit_price', unit_price::text, 'tax_included', tax_included, 'tax_rate', tax_rate::text, 'line_total', line_total::text, 'location', location,
       'cost_centre', cost_centre, 'buyer_article_number', buyer_article_number, 'text', text) ORDER BY line)
     FROM order_positions p WHERE p.tenant_id = o.tenant_id AND p.order_id = o.id) AS positions,
    shipping_address - 'postalCode' || jsonb_build_object('postal_code', shipping_address -> 'postalCode') AS shipping_address,
    billing_address, attributes, placed_at, created_at, updated_at
  FROM orders o WHERE tenant_id = $1 ORDER BY created_at DESC, id DESC LIMIT ${limit}`;
const count = 'SELECT count(*)::int AS total FROM (SELECT FROM orders WHERE tenant_id = $1 LIMIT 100000) AS met';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE ?? 10) });

const server = createServer((request, response) => void answer(request, response));

async function answer(request, response) {
  request.resume();
  const values = [request.headers['x-platform-tenant']];
  const [items, counted] = await Promise.all([
    pool.query({ name: 'page', text: page, values }),
    pool.query({ name: 'count', text: count, values }),
  ]);
  // Each of these orders has one tax rate.
  for (const row of items.rows) row.taxes = [{ rate: row.positions[0].tax_rate, ...row.totals }];
  const body = JSON.stringify({ items: items.rows, total: counted.rows[0].total, limit, offset: 0 });
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ ready: true, port: server.address().port })}\n`);
});
process.once('SIGTERM', () => process.exit(0));
