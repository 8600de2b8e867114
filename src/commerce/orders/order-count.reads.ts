import type { Database } from '#src/infra/postgres/database.ts';
import { countOfList } from '#src/infra/postgres/lists/ordered-list.ts';
import { type OrderFilter, orderList } from './orders.reads.ts';

const remembered = 10_000;

export interface OrderCountDeps {
  database: Database;
  /** By bound and tenant, the latest instant since which at least the bound of orders is known to have changed. */
  fullSince: Map<string, number>;
}

/**
 * The number of orders within the filter; reads at most `most`. Orders are never deleted and their `updated_at` only rises, so the number
 * that changed since an instant never falls. A total that has reached the bound is therefore not counted again: with a million orders, that
 * would be most of the cost of a poll.
 */
export async function countOrders(
  { database, fullSince }: OrderCountDeps,
  filter: OrderFilter,
  most: number,
): Promise<number> {
  const { tenantId, updatedSince, ...others } = filter;
  const count = (sql: ReturnType<typeof countOfList>) =>
    database.tenantQuery<{ count: number; oldest: Date | null }>(tenantId, sql);
  const isNarrowed = Object.values(others).some((value) => (Array.isArray(value) ? value.length > 0 : value != null));
  if (isNarrowed) return (await count(countOfList(orderList, filter, most)))[0]?.count ?? 0;
  const key = `${most}/${tenantId}`;
  const since = updatedSince?.getTime() ?? Number.NEGATIVE_INFINITY;
  if (since <= (fullSince.get(key) ?? Number.NaN)) return most;
  const [found] = await count({
    name: `count-orders-${most}`,
    text: `SELECT count(*) AS count, min(updated_at) AS oldest FROM (
        SELECT updated_at FROM orders WHERE tenant_id = $1 AND updated_at >= $2 ORDER BY updated_at DESC LIMIT ${most}) AS met`,
    values: [tenantId, updatedSince ?? '-infinity'],
  });
  if (found?.count === most && found.oldest) {
    if (fullSince.size >= remembered) fullSince.delete(fullSince.keys().next().value as string);
    fullSince.set(key, found.oldest.getTime());
  }
  return found?.count ?? 0;
}
