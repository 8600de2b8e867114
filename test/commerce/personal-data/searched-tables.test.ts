import pg from 'pg';
import { expect } from 'vitest';
import { searchedTables } from '#src/commerce/personal-data/searched-tables.rules.ts';
import { test } from '#test/setup/app-test.ts';
import { excusedColumns } from './excused-columns.ts';

interface Column {
  table: string;
  column: string;
}

/** Every column of a tenant's table that may hold text. */
async function textColumns(url: string): Promise<Column[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(
      `SELECT c.relname AS table, a.attname AS column FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
       JOIN pg_type t ON t.oid = a.atttypid
       WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND NOT a.attisdropped
         AND t.typname IN ('text', '_text', 'varchar', '_varchar', 'bpchar', 'citext', 'json', 'jsonb', 'xml', 'bytea')
         AND EXISTS (SELECT FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'tenant_id') ORDER BY 1, 2`,
    );
    return rows;
  } finally {
    await client.end();
  }
}

const searched = new Set(
  searchedTables.flatMap(({ name, json = [], text = [], kept = {}, deletes }) =>
    [...json, ...text, ...Object.keys(kept), ...(deletes === undefined ? [] : [deletes])].map(
      (column) => `${name}.${column}`,
    ),
  ),
);
const excuses = excusedColumns.flatMap(([, columns]) => columns);
const isExcused = ({ table, column }: Column, excuse: string): boolean =>
  [`${table}.${column}`, `${table}.*`, `*.${column}`].includes(excuse);
const left = (columns: readonly Column[]): string[] =>
  columns
    .filter(
      (each) => !searched.has(`${each.table}.${each.column}`) && !excuses.some((excuse) => isExcused(each, excuse)),
    )
    .map(({ table, column }) => `${table}.${column}`);

test('every column of a tenant that may hold text is searched for persons, or excused with a reason', async ({
  database,
}) => {
  const columns = await textColumns(database.url);
  expect(columns.length).toBeGreaterThan(150);
  expect(left(columns), 'Add the column to searched-tables.rules.ts, or to excused-columns.ts with a reason.').toEqual(
    [],
  );
  expect(left([...columns, { table: 'orders', column: 'note_of_buyer' }])).toEqual(['orders.note_of_buyer']);
});

test('every searched column and every excuse is about a column that there is', async ({ database }) => {
  const columns = await textColumns(database.url);
  const there = new Set(columns.map(({ table, column }) => `${table}.${column}`));
  expect([...searched].filter((name) => !there.has(name))).toEqual([]);
  expect(excuses.filter((excuse) => !columns.some((column) => isExcused(column, excuse)))).toEqual([]);
});

test('an erasure may change every table that it does not leave as it is', async ({ database }) => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; isApp: boolean; isOwner: boolean }>(
      `SELECT name, has_table_privilege('causeway_app', name, 'UPDATE') AS "isApp",
         EXISTS (SELECT FROM pg_policy WHERE polrelid = name::regclass AND polname = 'erasure' AND polcmd = 'w') AS "isOwner"
       FROM unnest($1::text[]) name`,
      [searchedTables.filter(({ json, text, stays }) => (json ?? text) && stays === undefined).map(({ name }) => name)],
    );
    const appendOnly = searchedTables.filter((table) => table.appendOnly).map(({ name }) => name);
    expect(rows.filter(({ isApp, isOwner }) => !isApp && !isOwner)).toEqual([]);
    expect(rows.filter(({ isOwner }) => isOwner).map(({ name }) => name)).toEqual(appendOnly);
  } finally {
    await client.end();
  }
});
