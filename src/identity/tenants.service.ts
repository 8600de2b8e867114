import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import type { Place } from './dev-sign-in/sign-in-page.ts';
import { type OrgInput, orgInput } from './tenants.inputs.ts';
import type { Identity } from './tokens.ts';

export interface TenantContext {
  id: string;
  orgId: string;
}

const cacheMs = 10_000;
const maxCached = 10_000;

/**
 * Returns the tenant that a request acts in, which the header names, or else the token's legacy claim. It must belong to the token's
 * organisation and to the tenants that the token is limited to, if it is. Any other tenant is treated as missing, so that callers
 * cannot probe which tenants exist.
 */
export function createTenantResolver(database: Database) {
  const known = new Map<string, { orgId: string | null; until: number }>();

  async function findOrg(tenantId: string): Promise<string | null> {
    const seen = known.get(tenantId);
    if (seen && seen.until > Date.now()) return seen.orgId;
    const row = await database.global.tenant.findUnique({ where: { id: tenantId }, select: { orgId: true } });
    if (known.size >= maxCached) known.clear();
    // Only existing tenants are cached: an unknown one may be created a moment from now.
    if (row) known.set(tenantId, { orgId: row.orgId, until: Date.now() + cacheMs });
    return row?.orgId ?? null;
  }

  return async (identity: Identity, header: string | null): Promise<TenantContext | null> => {
    const id = header || identity.tenantId;
    if (!id || id.length > 63 || identity.orgId === null) return null;
    if (identity.tenants && !identity.tenants.includes(id)) return null;
    return (await findOrg(id)) === identity.orgId ? { id, orgId: identity.orgId } : null;
  };
}

const maxPlaces = 200;

/** Organisations with their tenants, in the order of their creation, for the development sign-in; at most 200 of each. */
export const listPlaces = (database: Database): Promise<Place[]> =>
  database.global.org.findMany({
    select: {
      id: true,
      name: true,
      tenants: { select: { id: true, name: true }, orderBy: { createdAt: 'asc' }, take: maxPlaces },
    },
    orderBy: { createdAt: 'asc' },
    take: maxPlaces,
  });

/** Returns the id of a token's user, and creates the row at the first request; (iss, sub) is the key. */
export function createUserDirectory(database: Database) {
  const known = new Map<string, bigint>();
  return async (identity: Identity): Promise<bigint> => {
    const key = `${identity.iss}\n${identity.sub}\n${identity.email ?? ''}\n${identity.name ?? ''}`;
    const seen = known.get(key);
    if (seen !== undefined) return seen;
    const profile = { email: identity.email, name: identity.name };
    const { id } = await database.global.user.upsert({
      where: { iss_sub: { iss: identity.iss, sub: identity.sub } },
      create: { iss: identity.iss, sub: identity.sub, ...profile },
      update: profile,
      select: { id: true },
    });
    if (known.size >= maxCached) known.clear();
    known.set(key, id);
    return id;
  };
}

export async function createOrg(database: Database, given: OrgInput) {
  const input = parseInput(orgInput, given);
  try {
    return await database.global.org.create({ data: input });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ConflictError(`Organisation ${input.id} exists already.`);
    throw error;
  }
}

export async function createTenant(database: Database, orgId: string, given: OrgInput) {
  const input = parseInput(orgInput, given);
  const org = await database.global.org.findUnique({ where: { id: orgId } });
  if (!org) throw new NotFoundError();
  try {
    return await database.global.tenant.create({ data: { ...input, orgId } });
  } catch (error) {
    if (isUniqueViolation(error)) throw new ConflictError(`Tenant ${input.id} exists already.`);
    throw error;
  }
}
