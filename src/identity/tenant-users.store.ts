import type { Database } from '#src/infra/postgres/database.ts';

export interface TenantUser {
  tenantId: string;
  userId: bigint;
  roles: readonly string[];
  /** When the token was issued. */
  tokenAt: Date;
}

/** Records the roles of a user in a tenant, unless a newer token has said otherwise. */
export async function recordTenantUser(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  { tenantId, userId, roles, tokenAt }: TenantUser,
): Promise<void> {
  await tenantQuery(tenantId, {
    name: 'record-tenant-user',
    text: `INSERT INTO tenant_users AS known (tenant_id, user_id, roles, token_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (tenant_id, user_id) DO UPDATE SET roles = excluded.roles, token_at = excluded.token_at
      WHERE known.token_at <= excluded.token_at`,
    values: [tenantId, userId, roles, tokenAt],
  });
}
