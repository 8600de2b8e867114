import type { Tx } from './tx.ts';

/**
 * Has the next statements of a transaction of `withTenantSql` planned over whole tables, or again by key, as they are by default
 * (docs/decisions/keyed-plans.md): by key, each of a million rows would cost its own look-ups. Whole tables get memory for their hashes, by
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
