import type { AttributeFilter } from '#src/commerce/attributes/attribute-values.rules.ts';
import { attributeConditions } from '#src/commerce/attributes/attributes.store.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

/** All given filters must match; a filter that is null or absent does not apply. */
export interface ProductFilter {
  tenantId: string;
  search?: string | null;
  active?: boolean | null;
  updatedSince?: Date | null;
  attributes?: readonly AttributeFilter[];
}

export const productList: OrderedList<'SKU' | 'CREATED_AT' | 'UPDATED_AT', ProductFilter> = {
  from: 'products',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    SKU: [{ sql: 'sku', type: 'text' }],
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
  },
  where({ tenantId, search, active, updatedSince, attributes: filters = [] }, parameters) {
    const conditions = [`tenant_id = ${parameters.add(tenantId)}`];
    if (search) conditions.push(contains(['sku', 'name'], search, parameters));
    if (active != null) conditions.push(`active = ${parameters.add(active)}`);
    if (updatedSince) conditions.push(`updated_at >= ${parameters.add(updatedSince)}`);
    conditions.push(...attributeConditions({ tenantId, target: 'product', filters }, parameters));
    return conditions;
  },
};
