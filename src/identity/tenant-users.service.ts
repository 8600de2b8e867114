import type { Database } from '#src/infra/postgres/database.ts';
import { recordTenantUser } from './tenant-users.store.ts';
import type { Identity } from './tokens.ts';

const maxKnown = 10_000;
/** Roles of a token that are kept; the product knows three. */
const maxRoles = 50;

/**
 * Records which roles each user has in each tenant, as the newest token says, for what goes on after its request: a bulk action asks
 * whether its user may still do what it does. Written once for each token and process.
 */
export function createUserRecorder(database: Database) {
  const known = new Map<string, { roles: string; issuedAt: number }>();
  return async (identity: Identity, userId: bigint, tenantId: string): Promise<void> => {
    const { issuedAt } = identity;
    const key = `${tenantId}/${userId}`;
    const roles = [...new Set(identity.roles)].toSorted().slice(0, maxRoles);
    const text = JSON.stringify(roles);
    const seen = known.get(key);
    // A newer token is always written, though it may say the same: another process may have written other roles since.
    if (seen && (seen.issuedAt > issuedAt || (seen.issuedAt === issuedAt && seen.roles === text))) return;
    await recordTenantUser(database, { tenantId, userId, roles, tokenAt: new Date(issuedAt) });
    if (known.size >= maxKnown) known.clear();
    known.set(key, { roles: text, issuedAt });
  };
}
