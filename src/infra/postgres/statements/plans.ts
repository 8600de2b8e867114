import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * Makes Postgres plan the next statements of a transaction of `withTenantSql` over whole tables, or by key again, which is the default
 * (docs/decisions/system-role-plans-by-key.md): by key, each of a million rows would cost its own lookups. Plans over whole tables get
 * memory for hashes, which also serve grouping: sorting a million rows takes as long as joining them.
 */
export async function planBy(tx: Tx, way: 'tables' | 'keys'): Promise<void> {
  await tx.query({
    name: 'plan-by',
    text: `SELECT set_config('enable_hashjoin', $1, true), set_config('enable_seqscan', $1, true),
      set_config('enable_nestloop', $2, true), set_config('enable_sort', $2, true), set_config('work_mem', '32MB', true)`,
    values: way === 'tables' ? ['on', 'off'] : ['off', 'on'],
  });
}

/** A scan of fewer rows than this takes no noticeable time. */
const few = 10_000;

/**
 * True if the planner expects many rows in a table. Its estimate is the current number of pages times the rows per page at the last
 * ANALYZE. If that was before the first large import, or after one was rolled back, it expects nearly no rows in thousands of pages, and
 * then compares each row of a chunk with all of them, for minutes.
 */
export async function expectsMany(tx: Tx, table: string): Promise<boolean> {
  const { rows } = await tx.query<{ expected: boolean }>({
    name: 'expects-many',
    text: `SELECT relpages = 0 OR reltuples / relpages * pg_relation_size(oid) / current_setting('block_size')::int >= ${few} AS expected
      FROM pg_class WHERE oid = $1::regclass`,
    values: [table],
  });
  return rows[0]?.expected === true;
}
