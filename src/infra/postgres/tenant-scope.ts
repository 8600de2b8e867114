import type pg from 'pg';
import { ScopedQuery, scopeAsApp } from './scoped-query.ts';
import { together } from './together.ts';
import type { Tx } from './tx.ts';

/** A view of `tx` in which every statement runs as causeway_app in the scope of one tenant. */
const scopedTo = (tx: Tx, tenantId: string): Tx => {
  const scope = scopeAsApp(tenantId);
  const query = (statement: string | pg.QueryConfig, values: unknown[] = []): Promise<pg.QueryResult> =>
    new Promise((resolve, reject) => {
      const config = typeof statement === 'string' ? { text: statement, values } : { values, ...statement };
      tx.query(
        new ScopedQuery(scope, config, (error, result) => {
          if (error) reject(error);
          else resolve(result);
        }),
      );
    });
  return { query: query as Tx['query'], notify: tx.notify };
};

/**
 * Does `work` for the items of each tenant within one transaction, and answers in the order of the items. Row-level security
 * holds each statement to its tenant. The tenants' statements are sent together, so that many tenants cost no more round trips than
 * one; the transaction then goes on in the role it had, in no tenant's scope.
 */
export async function forEachTenant<Item, Result>(
  tx: Tx,
  items: Item[],
  tenantOf: (item: Item) => string,
  work: (scoped: Tx, own: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const places = Map.groupBy(items.keys(), (place) => tenantOf(items[place] as Item));
  const results: Result[] = [];
  // In one order for everybody, so that two transactions do not wait for each other's locks.
  const tenants = [...places.keys()].toSorted();
  await together(
    tenants.map(async (tenantId) => {
      const own = places.get(tenantId) as number[];
      const answers = await work(
        scopedTo(tx, tenantId),
        own.map((place) => items[place] as Item),
      );
      own.forEach((place, index) => {
        results[place] = answers[index] as Result;
      });
    }),
  );
  // Sent with the next statement, which fails where these do.
  for (const left of [
    'RESET ROLE',
    { name: 'leave-tenant', text: `SELECT set_config('causeway.tenant_id', '', true)` },
  ])
    tx.query(left as string).catch(() => undefined);
  return results;
}
