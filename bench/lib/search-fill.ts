import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { benchOrg } from './product-runs.ts';

export interface SearchSize {
  runs: number;
  orders: number;
  products: number;
}

const workflows = 200;
const organizations = 20_000;
const words =
  'steel blue mug screw hex bolt garden chair table lamp cable adapter wireless keyboard mouse monitor stand large small red green black white kit pump valve filter motor sensor drill'.split(
    ' ',
  );

/** A word of a row, by a multiplier that makes those of a name differ. */
const word = (step: number): string => `(ARRAY['${words.join("','")}'])[1 + n / ${step} % ${words.length}]`;

/** All rows belong to `tenant-0`, and a tenth as many to `tenant-1`, whose names are the same. */
export async function fillForSearch(databaseUrl: string, size: SearchSize): Promise<void> {
  await migrate(databaseUrl, declarations.jobs);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(`INSERT INTO orgs (id, name) VALUES ($1, 'Bench')`, [benchOrg]);
    await client.query(
      `INSERT INTO tenants (id, org_id, name) SELECT 'tenant-' || t, $1, 'Tenant ' || t FROM generate_series(0, 1) AS t`,
      [benchOrg],
    );
    for (const [tenant, share] of [
      [0, 1],
      [1, 0.1],
    ] as const)
      for (const statement of statements(tenant, share, size)) await client.query(statement);
    for (const table of ['workflows', 'triggers', 'runs', 'orders', 'products', 'organizations', 'api_keys'])
      await client.query(`VACUUM (ANALYZE) ${table}`);
  } finally {
    await client.end();
  }
}

function statements(tenant: number, share: number, { runs, orders, products }: SearchSize): string[] {
  const numbered = (count: number) => `generate_series(1, ${Math.ceil(count * share)}) AS n`;
  const own = `'tenant-${tenant}'`;
  const id = `(n + ${tenant} * 2000000)`;
  return [
    `INSERT INTO workflows (tenant_id, id, name, updated_at, blob)
     SELECT ${own}, ${id}, 'Orders of ' || ${word(1)} || ' to ERP ' || n, now(), '{}' FROM ${numbered(workflows)}`,
    `INSERT INTO triggers (tenant_id, id, workflow_id, type, updated_at, name)
     SELECT ${own}, ${id}, ${id}, 'webhook', now(), initcap(${word(3)}) || ' arrives ' || n FROM ${numbered(workflows)}`,
    `INSERT INTO api_keys (tenant_id, id, scopes, name, prefix, secret_hash)
     SELECT ${own}, ${id}, '{}', 'ERP ' || ${word(5)} || n, 'bench' || n, '' FROM ${numbered(workflows)}`,
    `INSERT INTO organizations (tenant_id, id, updated_at, customer_number, name)
     SELECT ${own}, ${id}, now(), 'C-' || 10000 + n, initcap(${word(1)} || ' ' || ${word(7)}) || ' Ltd ' || n FROM ${numbered(organizations)}`,
    `INSERT INTO products (tenant_id, id, updated_at, sku, name)
     SELECT ${own}, ${id}, now(), 'SKU-' || 100000 + n, initcap(concat_ws(' ', ${word(1)}, ${word(7)}, ${word(31)}, ${word(101)})) || ' ' || n % 1000
     FROM ${numbered(products)}`,
    `INSERT INTO orders (tenant_id, id, number, external_key, erp_number, customer_order_number, organization_id, currency, net, tax, gross, placed_at, created_at, updated_at)
     SELECT ${own}, ${id}, n, 'shop-' || n, 'ERP-' || 200000 + n, CASE WHEN n % 3 = 0 THEN 'PO ' || ${word(11)} || ' ' || n END,
       1 + n % ${Math.ceil(organizations * share)} + ${tenant} * 2000000, 'EUR', 100, 19, 119, at, at, at
     FROM ${numbered(orders)}, LATERAL (SELECT timestamptz '2026-01-01Z' + n * interval '30 s' AS at) AS placed`,
    `INSERT INTO runs (tenant_id, id, workflow_id, bundle_id, revision, trigger_type, status, error, started_at, completed_at, created_at, updated_at)
     SELECT ${own}, ${id}, 1 + n % ${Math.ceil(workflows * share)} + ${tenant} * 2000000, 1, 1, 'webhook',
       CASE WHEN n % 20 = 0 THEN 'failed' ELSE 'succeeded' END, CASE WHEN n % 20 = 0 THEN 'The ERP answered 503.' END, at, at, at, at
     FROM ${numbered(runs)}, LATERAL (SELECT timestamptz '2026-01-01Z' + n * interval '9 s' AS at) AS started`,
  ];
}
