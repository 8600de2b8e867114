import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import type { Movement } from './stock.inputs.ts';
import { movementColumns } from './stock.store.ts';

/** All given filters must match; a filter that is null or absent does not apply. */
export interface MovementFilter {
  tenantId: string;
  sku?: string | null;
  location?: string | null;
}

export const movementList: OrderedList<'CREATED_AT', MovementFilter> = {
  from: 'stock_movements',
  id: { sql: 'id', type: 'bigint' },
  orders: { CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }] },
  where({ tenantId, sku, location }, parameters) {
    const conditions = [`tenant_id = ${parameters.add(tenantId)}`];
    if (sku) conditions.push(`sku = ${parameters.add(sku)}`);
    if (location) conditions.push(`location = ${parameters.add(location)}`);
    return conditions;
  },
};

export const findMovements = (
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  ids: readonly (string | bigint)[],
): Promise<Movement[]> =>
  tenantQuery(tenantId, {
    name: 'find-stock-movements',
    text: `SELECT ${movementColumns} FROM stock_movements WHERE tenant_id = $1 AND id = ANY($2::bigint[])`,
    values: [tenantId, ids.map(String)],
  });
