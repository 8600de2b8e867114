import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * Has the next statements of a transaction of `withTenantSql` planned over whole tables, or again by key, as they are by default
 * (docs/decisions/system-role-plans-by-key.md): by key, each of a million rows would cost its own look-ups. Whole tables get memory for their hashes, by
 * which they are also grouped: sorting a million rows takes as long as joining them.
 */
export async function planBy(tx: Tx, way: 'tables' | 'keys'): Promise<void> {
  await tx.query({
    name: 'plan-by',
    text: `SELECT set_config('enable_hashjoin', $1, true), set_config('enable_seqscan', $1, true),
      set_config('enable_nestloop', $2, true), set_config('enable_sort', $2, true), set_config('work_mem', '32MB', true)`,
    values: way === 'tables' ? ['on', 'off'] : ['off', 'on'],
  });
}

/** Fewer rows than this are read whole in no time. */
const few = 10_000;

/**
 * Whether the planner expects many rows in a table. It multiplies the pages that there are with the rows of a page when they were last counted:
 * where that was before the first large import, or after one was rolled back, it expects nearly none in thousands of pages, and then compares
 * each row of a chunk with all of them, for minutes.
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
