import type { CredentialStatus } from '#prisma/enums.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import { contains } from '#src/infra/postgres/lists/sql-parameters.ts';

export interface CredentialFilter {
  /** Part of the name or of the type's slug. */
  search?: string | null;
  /** Slug of a credential type. */
  type?: string | null;
  status?: readonly CredentialStatus[] | null;
}

export const credentialList: OrderedList<
  'NAME' | 'CREATED_AT' | 'UPDATED_AT' | 'EXPIRES_AT',
  CredentialFilter & { tenantId: string }
> = {
  from: 'credentials c',
  id: { sql: 'c.id', type: 'bigint' },
  orders: {
    NAME: [{ sql: 'c.name', type: 'text' }],
    CREATED_AT: [],
    UPDATED_AT: [{ sql: 'c.updated_at', type: 'timestamptz' }],
    EXPIRES_AT: [{ sql: 'c.expires_at', type: 'timestamptz', nullable: true }],
  },
  where({ tenantId, search, type, status }, parameters) {
    const where = [`c.tenant_id = ${parameters.add(tenantId)}`];
    if (search) where.push(contains(['c.name', 'c.credential_type_slug'], search, parameters));
    if (type != null) where.push(`c.credential_type_slug = ${parameters.add(type)}`);
    if (status?.length) where.push(`c.status = ANY(${parameters.add(status)}::credential_status[])`);
    return where;
  },
};
