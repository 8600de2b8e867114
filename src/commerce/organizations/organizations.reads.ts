import type { AttributeFilter } from '#src/commerce/attributes/attribute-values.rules.ts';
import { attributeConditions } from '#src/commerce/attributes/attributes.store.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

/** All given filters must match; a filter that is null or absent does not apply. */
export interface OrganizationFilter {
  tenantId: string;
  search?: string | null;
  customerNumber?: string | null;
  updatedSince?: Date | null;
  attributes?: readonly AttributeFilter[];
}

export const organizationList: OrderedList<'CUSTOMER_NUMBER' | 'CREATED_AT' | 'UPDATED_AT', OrganizationFilter> = {
  from: 'organizations',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    CUSTOMER_NUMBER: [{ sql: 'customer_number', type: 'text' }],
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
  },
  where({ tenantId, search, customerNumber, updatedSince, attributes: filters = [] }, parameters) {
    const conditions = [`tenant_id = ${parameters.add(tenantId)}`];
    if (search) conditions.push(contains(['customer_number', 'name'], search, parameters));
    if (customerNumber != null) conditions.push(`customer_number = ${parameters.add(customerNumber)}`);
    if (updatedSince) conditions.push(`updated_at >= ${parameters.add(updatedSince)}`);
    conditions.push(...attributeConditions({ tenantId, target: 'organization', filters }, parameters));
    return conditions;
  },
};
