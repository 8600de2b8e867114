import { expect, test } from 'vitest';
import { readMigrations } from '#src/infra/migrations/migrations.ts';
import { migrationFaults } from './migration-faults.ts';

/** Landed before this check. Migrations never change, so the list only ever loses what a new baseline replaces. */
const landedBefore = new Set([
  '20261120200000_service_api',
  '20261122130000_enums',
  '20261122210000_reservations_by_expiry',
  '20261122211000_prices_by_index_alone',
  '20261122260000_exports',
  '20261122300000_steps_by_microsecond',
  '20261122320000_closed_columns_of_imports',
  '20261122340000_import_rows_by_job',
  '20261122360000_new_deliveries_by_id',
  '20261123110000_prices_changed_in_place',
  '20261123120000_balances_without_product',
  '20261123130000_balances_by_key',
]);

test('no migration builds an index on a large table, or reads or rewrites one, while queries wait', async () => {
  const faults = (await readMigrations())
    .filter(({ name }) => !landedBefore.has(name))
    .flatMap(({ name, sql }) => migrationFaults(sql).map((fault) => `${name}: ${fault}`));
  expect(faults).toEqual([]);
});

test('every exception names a migration that needs it', async () => {
  const faulty = (await readMigrations()).filter(({ sql }) => migrationFaults(sql).length > 0).map(({ name }) => name);
  expect([...landedBefore].filter((name) => !faulty.includes(name))).toEqual([]);
});

const refused: [sql: string, table: string, fault: string][] = [
  ['CREATE INDEX a ON runs (id);', 'runs', 'CONCURRENTLY'],
  ['CREATE UNIQUE INDEX IF NOT EXISTS "a"\n  ON ONLY "runs" ("id");', 'runs', 'CONCURRENTLY'],
  ['ALTER TABLE "orders" ALTER COLUMN "number" TYPE text;', 'orders', 'rewrites'],
  ['ALTER TABLE orders ADD COLUMN a int, ALTER b SET DATA TYPE text;', 'orders', 'rewrites'],
  ['ALTER TABLE orders ADD COLUMN a text GENERATED ALWAYS AS (number) STORED;', 'orders', 'rewrites'],
  ['ALTER TABLE orders ADD a uuid NOT NULL DEFAULT gen_random_uuid();', 'orders', 'rewrites'],
  ['ALTER TABLE orders ADD COLUMN a bigserial;', 'orders', 'rewrites'],
  ['ALTER TABLE orders SET UNLOGGED;', 'orders', 'rewrites'],
  ['ALTER TABLE ONLY orders ALTER COLUMN a SET NOT NULL;', 'orders', 'NOT VALID'],
  ['ALTER TABLE orders ADD CONSTRAINT a CHECK (b > 0);', 'orders', 'NOT VALID'],
  ['ALTER TABLE orders ADD CONSTRAINT a FOREIGN KEY (b) REFERENCES runs (id);', 'orders', 'NOT VALID'],
  ['ALTER TABLE orders ADD CONSTRAINT a UNIQUE (b);', 'orders', 'USING INDEX'],
  ['UPDATE orders SET a = 1;', 'orders', 'in batches'],
  ['WITH old AS (SELECT 1) DELETE FROM orders USING old;', 'orders', 'in batches'],
  ['LOCK TABLE orders;', 'orders', 'locks'],
  ['VACUUM FULL orders;', 'orders', 'rewrites'],
  ["DO $$ BEGIN EXECUTE format('CREATE INDEX a ON %I (id)', t); END $$;", '%I', 'CONCURRENTLY'],
  ['DO $$ BEGIN IF true THEN UPDATE orders SET a = 1; END IF; END $$;', 'orders', 'in batches'],
];
test.each(refused)('%s is refused', (sql, table, fault) => {
  expect(migrationFaults(sql)).toEqual([expect.stringMatching(new RegExp(`^${table}: .*${fault}`))]);
});

test('a constraint is not validated under the locks of other statements, and an index is built alone', () => {
  expect(migrationFaults('ALTER TABLE a ADD COLUMN b int; ALTER TABLE a VALIDATE CONSTRAINT c;')).toHaveLength(1);
  expect(migrationFaults('CREATE INDEX CONCURRENTLY a ON runs (id); GRANT SELECT ON runs TO x;')).toHaveLength(1);
});

test.each([
  'CREATE TABLE "fresh" (id int); CREATE INDEX a ON "fresh" (id); ALTER TABLE "fresh" ADD CONSTRAINT b CHECK (id > 0);',
  'CREATE INDEX CONCURRENTLY a ON runs (id); DROP INDEX CONCURRENTLY IF EXISTS b;',
  "ALTER TABLE orders ADD COLUMN a text NOT NULL DEFAULT 'x', ADD COLUMN b timestamptz DEFAULT now();",
  'ALTER TABLE orders ADD CONSTRAINT a CHECK (b > 0) NOT VALID;',
  'ALTER TABLE orders VALIDATE CONSTRAINT a;',
  'ALTER TABLE orders ADD CONSTRAINT a UNIQUE USING INDEX b;',
  '-- UPDATE orders SET a = 1;\nALTER TABLE orders DROP COLUMN a;',
  'CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE orders SET a = 1; END $$;',
  'GRANT SELECT, UPDATE ON orders TO causeway_app;',
  'UPDATE webhook_queues SET sent_to = 0;',
])('%s is accepted', (sql) => {
  expect(migrationFaults(sql)).toEqual([]);
});
