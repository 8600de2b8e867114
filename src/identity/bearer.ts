import { accessError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { headerText, type Identify, nobody } from './caller.ts';
import { createTenantResolver, createUserDirectory } from './tenants.service.ts';
import type { TokenVerifier } from './tokens.ts';

/** The tenant header that goes with a bearer token. */
export const tenantHeader = 'X-Tenant-Id';

const bearer = /^Bearer +(\S+)$/i;

/** Identifies users by the token in `Authorization: Bearer ...`. Without that header the caller is anonymous. */
export function createBearerIdentity(database: Database, verifier: TokenVerifier): Identify {
  const tenantOf = createTenantResolver(database);
  const userIdOf = createUserDirectory(database);

  return async (headers, tenant) => {
    const authorization = headerText(headers, 'authorization');
    if (authorization === null) return nobody;
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined) throw accessError('UNAUTHENTICATED');
    const identity = await verifier.verify(token);
    const [userId, found] = await Promise.all([userIdOf(identity), tenantOf(identity, tenant)]);
    return { viewer: { ...identity, userId, scopes: [] }, tenant: found };
  };
}
