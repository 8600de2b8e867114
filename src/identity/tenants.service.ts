import { ConflictError, NotFoundError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isUniqueViolation } from '#src/infra/postgres/sql-errors.ts';
import { type OrgInput, orgInput } from './tenants.inputs.ts';
import type { Identity } from './tokens.ts';

export interface TenantContext {
  id: string;
  orgId: string;
}

const rememberMs = 10_000;
const rememberAtMost = 10_000;

/**
 * Answers which tenant a request acts in: the header names it, or the token's legacy claim. It must be one of the token's
 * org and, where the token narrows, one of those; anything else is the same as none, so that nothing is learned.
 */
export function createTenantResolver(database: Database) {
  const known = new Map<string, { orgId: string | null; until: number }>();

  async function orgOf(tenantId: string): Promise<string | null> {
    const seen = known.get(tenantId);
    if (seen && seen.until > Date.now()) return seen.orgId;
    const row = await database.global.tenant.findUnique({ where: { id: tenantId }, select: { orgId: true } });
    if (known.size >= rememberAtMost) known.clear();
    // An unknown tenant may be made a moment from now; only what exists is remembered.
    if (row) known.set(tenantId, { orgId: row.orgId, until: Date.now() + rememberMs });
    return row?.orgId ?? null;
  }

  return async (identity: Identity, header: string | null): Promise<TenantContext | null> => {
    const id = header || identity.tenantId;
    if (!id || id.length > 63 || identity.orgId === null) return null;
    if (identity.tenants && !identity.tenants.includes(id)) return null;
    return (await orgOf(id)) === identity.orgId ? { id, orgId: identity.orgId } : null;
  };
}

/** Answers the id of a token's user, making the row at first sight; (iss, sub) is the key. */
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
    if (known.size >= rememberAtMost) known.clear();
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
