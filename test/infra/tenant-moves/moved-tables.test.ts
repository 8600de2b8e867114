import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  copiedTables,
  earlyTables,
  historyTables,
  mappedColumns,
  type MovedTable,
  objectColumns,
  readTenantTables,
  tablesLeft,
} from '#src/infra/tenant-moves/moved-tables.ts';
import { cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let owner: pg.Client;
let tables: MovedTable[];
beforeAll(async () => {
  clone = await cloneDatabase();
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  tables = await readTenantTables(owner);
});
afterAll(async () => {
  await owner.end();
  await clone.drop();
});

/** Columns of tables that are copied, as `table.column`, which fulfil a condition on `a` and `c`. */
async function columns(condition: string): Promise<string[]> {
  const { rows } = await owner.query<{ name: string; column: string }>(
    `SELECT c.relname AS name, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND ${condition} ORDER BY 1, 2`,
  );
  const copied = new Set(copiedTables(tables).map(({ name }) => name));
  return rows.filter(({ name }) => copied.has(name)).map(({ name, column }) => `${name}.${column}`);
}

const named = (lists: Readonly<Record<string, Readonly<Record<string, string>>>>): string[] =>
  Object.entries(lists)
    .flatMap(([name, mapped]) => Object.keys(mapped).map((column) => `${name}.${column}`))
    .toSorted();

test('every table with a tenant is copied, also one that is new, except those with a reason', async () => {
  await owner.query('BEGIN');
  await owner.query('CREATE TABLE newcomers (tenant_id text, id bigint, PRIMARY KEY (tenant_id, id))');
  const { rows } = await owner.query<{ name: string }>(
    `SELECT relname::text AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attname = 'tenant_id'
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`,
  );
  const copied = copiedTables(await readTenantTables(owner)).map(({ name }) => name);
  await owner.query('ROLLBACK');
  expect(copied).toContain('newcomers');
  expect([...copied, ...Object.keys(tablesLeft)].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

test('every table that is copied has a key, and parents before it', () => {
  const before = new Set<string>();
  for (const { name, key, parents } of tables) {
    expect(key, name).not.toHaveLength(0);
    for (const parent of parents)
      if (tables.some((each) => each.name === parent)) expect(before, name).toContain(parent);
    before.add(name);
  }
});

test('ids of users, and of rows that belong to no tenant, are mapped', async () => {
  const ofUsers = await columns(`a.atttypid = 'bigint'::regtype AND a.attname ~ '(_by|_author|user_id|assignee_id)$'`);
  const ofAll = await columns(
    `EXISTS (SELECT FROM pg_constraint f WHERE f.conrelid = c.oid AND f.contype = 'f' AND a.attnum = ANY(f.conkey) AND f.confrelid <> 'tenants'::regclass
       AND (f.confrelid = 'extensions'::regclass OR NOT EXISTS (SELECT FROM pg_attribute t WHERE t.attrelid = f.confrelid AND t.attname = 'tenant_id')))`,
  );
  const breakers = 'extension_breakers.extension_id';
  expect([...new Set([...ofUsers, ...ofAll, breakers])].toSorted()).toEqual(named(mappedColumns));
});

test('columns with keys of stored objects are known', async () => {
  const keys = await columns(`a.atttypid = 'text'::regtype AND a.attname ~ '(storage|result|object)_key$'`);
  expect(keys).toEqual(
    Object.entries(objectColumns)
      .map(([name, column]) => `${name}.${column}`)
      .toSorted(),
  );
});

test('nothing refers to rows of history, and no trigger derives anything from them', async () => {
  const { rows } = await owner.query<{ name: string }>(
    `SELECT confrelid::regclass::text AS name FROM pg_constraint WHERE contype = 'f' AND confrelid::regclass::text = ANY($1)
     UNION SELECT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY($1)`,
    [[...historyTables]],
  );
  expect(rows).toEqual([]);
  expect(
    earlyTables(tables)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...historyTables, 'workflows'].toSorted());
});
