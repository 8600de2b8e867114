import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { makeKey } from '#src/identity/api-keys/api-keys.rules.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { benchOrg } from './bench-workflow.ts';

export const articleSku = (article: number): string => `SKU-${article}`;

/** A tenant of the benches with its products. All `add` calls write in one statement. */
export interface Shop {
  readonly tenantId: string;
  readonly client: pg.Client;
  /** Headers of an integration with all scopes. */
  readonly keyHeaders: Record<string, string>;
  /** Articles `SKU-1` to `SKU-<count>`. */
  addProducts(count: number): Promise<void>;
  /** Sets the quantity on hand of each article at `main`, with its movement in the ledger. */
  addStock(onHand: number): Promise<void>;
  /** Lists that hold one price of each article each: the first for everybody, the others as `scope` says. */
  addPrices(lists: number, scope: 'everybody' | 'customers'): Promise<void>;
  /** Orders of three positions, one a second, the last of them now; the last 1,000 are not acknowledged. */
  addOrders(count: number): Promise<void>;
  /** Reserves the stock of all orders there are. */
  reserveOrders(): Promise<void>;
}

/** Of ten lists, those for everybody, when the others are scoped to customers: `C-2` has list 2, and so on. */
const generalLists = 10;

/** Adds a tenant to a database, which it migrates. */
export async function openShop(databaseUrl: string, tenantId = 'bench-shop'): Promise<Shop> {
  await migrate(databaseUrl, declarations.jobs);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { key, prefix, hash } = makeKey();
  await client.query('INSERT INTO orgs (id, name) VALUES ($1, $1) ON CONFLICT DO NOTHING', [benchOrg]);
  await client.query('INSERT INTO tenants (id, org_id, name) VALUES ($1, $2, $1)', [tenantId, benchOrg]);
  await client.query(
    `INSERT INTO api_keys (tenant_id, name, prefix, secret_hash, scopes) VALUES ($1, 'bench', $2, $3, '{*}')`,
    [tenantId, prefix, hash],
  );
  return {
    tenantId,
    client,
    keyHeaders: { 'x-platform-api-key': key, 'x-platform-tenant': tenantId },
    addProducts: (count) =>
      fill(client, ['products'], {
        text: `INSERT INTO products (tenant_id, sku, name, tax_rate)
          SELECT $1, 'SKU-' || n, 'Article ' || n, 19 FROM generate_series(1, $2::int) AS n`,
        values: [tenantId, count],
      }),
    addStock: (onHand) =>
      fill(client, ['stock_movements', 'stock_balances'], {
        text: `WITH counted AS (
            INSERT INTO stock_movements (tenant_id, sku, location, kind, quantity, delta, reserved_delta, reference, occurred_at, created_at)
            SELECT tenant_id, sku, 'main', 'count', $2, $2, 0, 'count-' || sku, now(), now() FROM products WHERE tenant_id = $1
          )
          INSERT INTO stock_balances (tenant_id, sku, location, on_hand)
          SELECT tenant_id, sku, 'main', $2 FROM products WHERE tenant_id = $1`,
        values: [tenantId, onHand],
      }),
    addPrices: (lists, scope) =>
      fill(client, ['price_lists', 'prices'], {
        text: `WITH lists AS (
            INSERT INTO price_lists (tenant_id, code, name, currency, customer, priority)
            SELECT $1, 'LIST-' || n, 'List ' || n, 'EUR', CASE WHEN $3 AND n > ${generalLists} THEN 'C-' || n END, n
            FROM generate_series(1, $2::int) AS n RETURNING id
          )
          INSERT INTO prices (tenant_id, list_id, sku, quantity_from, amount)
          SELECT $1, lists.id, sku, 1, 10 + lists.id % 7 FROM products, lists WHERE tenant_id = $1`,
        values: [tenantId, lists, scope === 'customers'],
      }),
    addOrders: (count) =>
      fill(client, ['orders', 'order_positions'], {
        text: `WITH placed AS (
            INSERT INTO orders (tenant_id, number, status, currency, net, tax, gross, shipping_address, placed_at, created_at, updated_at)
            SELECT $1, 100000 + n, CASE WHEN n > $2::int - 1000 THEN 'pending' ELSE 'completed' END, 'EUR', 30.00, 5.70, 35.70,
              '{"type": null, "name": "Ada Example", "street": "Example Street 1", "postalCode": "10115", "city": "Berlin", "country": "DE"}',
              at, at, at
            FROM generate_series(1, $2::int) AS n, LATERAL (SELECT date_trunc('second', now()) - ($2::int - n) * interval '1 s' AS at) AS times
            RETURNING id
          ), numbered AS (INSERT INTO order_numbers (tenant_id, last) VALUES ($1, 100000 + $2::int))
          INSERT INTO order_positions (tenant_id, order_id, line, sku, name, location, quantity, unit_price, tax_rate, line_total, tax, reserved)
          SELECT $1, id, line, 'SKU-' || 1 + (id * 3 + line) % 1000, 'Article', 'main', 1, 10.00, 19, 10.00, 1.90, 0
          FROM placed, generate_series(1, 3) AS line`,
        values: [tenantId, count],
      }),
    reserveOrders: () =>
      fill(client, ['stock_movements', 'stock_balances', 'stock_reservations'], {
        text: `WITH asked AS (
            SELECT sku, 'order-position:' || id AS reference FROM order_positions WHERE tenant_id = $1
          ), moved AS (
            INSERT INTO stock_movements (tenant_id, sku, location, kind, quantity, delta, reserved_delta, reference, occurred_at, created_at)
            SELECT $1, sku, 'main', 'reserve', 1, 0, 1, reference, now(), now() FROM asked
          ), held AS (
            INSERT INTO stock_reservations (tenant_id, reference, sku, location, remaining)
            SELECT $1, reference, sku, 'main', 1 FROM asked
          )
          UPDATE stock_balances b SET reserved = asked.pieces
          FROM (SELECT sku, count(*) AS pieces FROM asked GROUP BY sku) AS asked WHERE b.tenant_id = $1 AND b.sku = asked.sku`,
        values: [tenantId],
      }),
  };
}

async function fill(client: pg.Client, tables: string[], statement: pg.QueryConfig): Promise<void> {
  await client.query(statement);
  // As in production for a table of this size: statistics, and pages marked as all-visible.
  await client.query(`VACUUM (ANALYZE) ${tables.join(', ')}`);
}
