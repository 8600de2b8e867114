import type { IncomingHttpHeaders } from 'node:http';
import { accessError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { headerText, type Identify, keyHeader, keyTenantHeader, nobody } from './caller.ts';
import { createUserRecorder } from './tenant-users.service.ts';
import { createTenantResolver, createUserDirectory } from './tenants.service.ts';
import type { TokenVerifier } from './tokens.ts';

/** The tenant header that goes with a bearer token. */
export const tenantHeader = 'X-Tenant-Id';

const bearer = /^Bearer +(\S+)$/i;

/** Identifies users by the token in `Authorization: Bearer ...`. Without that header the caller is anonymous. */
export function createBearerIdentity(database: Database, verifier: TokenVerifier): Identify {
  const resolveTenant = createTenantResolver(database);
  const findUserId = createUserDirectory(database);
  const recordUser = createUserRecorder(database);

  return async (headers, tenant) => {
    const authorization = headerText(headers, 'authorization');
    if (authorization === null) return { ...nobody, hint: hasKey(headers) ? keyElsewhere : tokenMissing };
    const token = bearer.exec(authorization)?.[1];
    if (token === undefined)
      throw accessError('UNAUTHENTICATED', { hint: 'Write the header as Authorization: Bearer <token>.' });
    if (token.startsWith('cw_')) throw accessError('UNAUTHENTICATED', { hint: keyAsToken });
    const identity = await verifier.verify(token);
    const [userId, found] = await Promise.all([findUserId(identity), resolveTenant(identity, tenant)]);
    if (found) await recordUser(identity, userId, found.id);
    const viewer = { ...identity, userId, scopes: [] };
    return found ? { viewer, tenant: found } : { viewer, tenant: null, hint: tenantHint(tenant) };
  };
}

const tokenMissing = "Send a user's token in the header Authorization: Bearer <token>.";
const keyElsewhere =
  "This API takes a user's token in the header Authorization: Bearer <token>. API keys are for /v1 and /graphql.";
const keyAsToken = `This is an API key and not a user's token. Send it in the header ${keyHeader}, with its tenant in ${keyTenantHeader}, to /v1 or /graphql.`;
const hasKey = (headers: IncomingHttpHeaders): boolean => headerText(headers, keyHeader) !== null;

/** The same text for a tenant that does not exist and for one that belongs to others. */
const tenantHint = (named: string | null): string =>
  named === null
    ? `Name the tenant to act in with the header ${tenantHeader}.`
    : `${tenantHeader} names ${JSON.stringify(named.slice(0, 63))}, which is not a tenant that this token may act in. GET /api/v1/me shows whose token it is.`;
