import type pg from 'pg';
import { ScopedQuery, scopeAsApp, settling } from './statements/scoped-query.ts';
import { awaitAll, Pipelined, type Tx } from './tx.ts';

/**
 * A view of `tx` in which every statement runs as causeway_app in the scope of one tenant. Each statement sets the scope, because
 * statements of other tenants may be sent in between; while `stays` returns true, only the first does.
 */
const scopedTo = (tx: Tx, tenantId: string, stays: () => boolean): Tx => {
  const scope = scopeAsApp(tenantId);
  let isEntered = false;
  const query = (statement: string | pg.QueryConfig, values: unknown[] = []): Promise<pg.QueryResult> => {
    const config = typeof statement === 'string' ? { text: statement, values } : { values, ...statement };
    if (isEntered && stays()) return tx.query(config);
    isEntered = true;
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
    tx.query(new ScopedQuery(scope, config, settling(resolve, reject)));
    return promise;
  };
  return { query: query as Tx['query'], notify: tx.notify, expireLeases: tx.expireLeases };
};

const leaveTenants = {
  name: 'leave-tenants',
  text: `SELECT set_config('role', current_setting('causeway.session_role'), true), set_config('causeway.tenant_id', '', true)`,
};

/**
 * Runs `work` for the items of each tenant within one transaction, and returns the results in the order of the items. Row-level security
 * restricts each statement to its tenant. The tenants' statements are sent together, so that many tenants cost no more round trips than
 * one. Afterwards the transaction has its former role again, and no tenant.
 */
export async function forEachTenant<Item, Result>(
  tx: Tx,
  items: Item[],
  toTenantId: (item: Item) => string,
  work: (scoped: Tx, own: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const { result } = await pipelineForEachTenant(
    tx,
    items,
    toTenantId,
    async (scoped, own) => new Pipelined(Promise.resolve(await work(scoped, own))),
  );
  // Sent with the next statement, which fails if this one does.
  tx.query(leaveTenants).catch(() => undefined);
  return result;
}

/** The same for work that does not wait for its last statements, at the end of a transaction: only COMMIT may follow. */
export async function pipelineForEachTenant<Item, Result>(
  tx: Tx,
  items: Item[],
  toTenantId: (item: Item) => string,
  work: (scoped: Tx, own: Item[]) => Promise<Pipelined<Result[]>>,
): Promise<Pipelined<Result[]>> {
  const places = Map.groupBy(items.keys(), (place) => toTenantId(items[place] as Item));
  const results: Result[] = [];
  // In the same order in every transaction, so that two of them cannot deadlock.
  const tenants = [...places.keys()].toSorted();
  let isLeft = false;
  const sent = await awaitAll(
    tenants.map(async (tenantId) => {
      const own = places.get(tenantId) as number[];
      const scoped = scopedTo(tx, tenantId, () => tenants.length === 1 && !isLeft);
      const answers = await work(
        scoped,
        own.map((place) => items[place] as Item),
      );
      return new Pipelined(
        answers.result.then((found) => {
          own.forEach((place, index) => {
            results[place] = found[index] as Result;
          });
        }),
      );
    }),
  );
  isLeft = true;
  return new Pipelined(awaitAll(sent.map(({ result }) => result)).then(() => results));
}
