import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

/** All given filters must match; a filter that is null or absent does not apply. */
export interface ContactFilter {
  tenantId: string;
  organizationId?: bigint | null;
  search?: string | null;
  updatedSince?: Date | null;
}

export const contactList: OrderedList<'EMAIL' | 'CREATED_AT' | 'UPDATED_AT', ContactFilter> = {
  from: 'contacts',
  id: { sql: 'id', type: 'bigint' },
  orders: {
    EMAIL: [{ sql: 'email', type: 'text' }],
    CREATED_AT: [{ sql: 'created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 'updated_at', type: 'timestamptz' }],
  },
  where({ tenantId, organizationId, search, updatedSince }, parameters) {
    const conditions = [`tenant_id = ${parameters.add(tenantId)}`];
    if (organizationId != null) conditions.push(`organization_id = ${parameters.add(organizationId)}`);
    if (search) conditions.push(contains(['email', 'first_name', 'last_name'], search, parameters));
    if (updatedSince) conditions.push(`updated_at >= ${parameters.add(updatedSince)}`);
    return conditions;
  },
};
