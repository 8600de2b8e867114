import pg from 'pg';
import { expect, test } from 'vitest';
import { ensureDatabase } from '#src/infra/migrations/ensure-database.ts';
import { readMigrations } from '#src/infra/migrations/migrations.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { applyAll } from '#test/setup/migrations.ts';

test('balances of an earlier version get their product flag, even if the owner inherits no rights', async () => {
  const { url, drop } = await cloneDatabase();
  const name = `balances_${process.pid}`;
  await ensureDatabase(url, name);
  const own = url.replace(/\/[^/?]*(\?|$)/, `/${name}$1`);
  const client = new pg.Client({ connectionString: own });
  await client.connect();
  try {
    // The setup of docs/database.md.
    await client.query(`CREATE ROLE ${name};
      GRANT causeway_app, causeway_system TO ${name} WITH INHERIT FALSE, SET TRUE; ALTER DATABASE ${name} OWNER TO ${name}`);
    const migrations = await readMigrations();
    const first = migrations.findIndex((migration) => migration.name.endsWith('_balances_without_product'));
    await client.query(`SET SESSION AUTHORIZATION ${name}`);
    await applyAll(client, own, migrations.slice(0, first));
    await client.query(`RESET SESSION AUTHORIZATION;
      INSERT INTO orgs (id, name) VALUES ('o', 'o');
      INSERT INTO tenants (id, org_id, name) VALUES ('t', 'o', 't');
      INSERT INTO products (tenant_id, sku, name) VALUES ('t', 'sold', 'sold');
      INSERT INTO stock_balances (tenant_id, sku, location) VALUES ('t', 'sold', 'main'), ('t', 'gone', 'main');
      SET SESSION AUTHORIZATION ${name}`);
    await applyAll(client, own, migrations.slice(first));
    await client.query('RESET SESSION AUTHORIZATION');
    const { rows } = await client.query('SELECT sku, has_product FROM stock_balances ORDER BY sku');
    expect(rows).toEqual([
      { sku: 'gone', has_product: false },
      { sku: 'sold', has_product: true },
    ]);
  } finally {
    await client.end();
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    await owner.query(`DROP DATABASE ${name}`);
    await owner.query(`DROP ROLE ${name}`);
    await owner.end();
    await drop();
  }
});
