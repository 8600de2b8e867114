import type { OrderedList } from '#src/infra/postgres/ordered-list.ts';
import { contains } from '#src/infra/postgres/search.ts';

export interface SecretFilter {
  /** Part of the key. */
  search?: string | null;
  /** What the key begins with. */
  prefix?: string | null;
}

export const secretList: OrderedList<'KEY' | 'CREATED_AT' | 'UPDATED_AT', SecretFilter & { tenantId: string }> = {
  from: 'tenant_secrets s',
  id: { sql: 's.key', type: 'text' },
  orders: {
    KEY: [],
    CREATED_AT: [{ sql: 's.created_at', type: 'timestamptz' }],
    UPDATED_AT: [{ sql: 's.updated_at', type: 'timestamptz' }],
  },
  where({ tenantId, search, prefix }, parameters) {
    const where = [`s.tenant_id = ${parameters.add(tenantId)}`];
    if (search) where.push(contains(['s.key'], search, parameters));
    if (prefix) where.push(`starts_with(s.key, ${parameters.add(prefix)})`);
    return where;
  },
};
