import type { Viewer } from '#src/graphql/context.ts';
import type { Database } from '#src/infra/postgres/database.ts';

/** The most tenants that are listed for a token. */
export const maxEnterable = 1_000;

export interface EnterableTenant {
  id: string;
  orgId: string;
  name: string;
}

export interface EnterableOrg {
  id: string;
  name: string;
}

type Limits = Pick<Viewer, 'orgId' | 'tenants'>;

/** The tenants that a token may enter, by the same rule as `createTenantResolver`. */
export async function listEnterableTenants(database: Database, { orgId, tenants }: Limits): Promise<EnterableTenant[]> {
  if (orgId == null) return [];
  return database.global.tenant.findMany({
    where: { orgId, ...(tenants && { id: { in: [...tenants] } }) },
    select: { id: true, orgId: true, name: true },
    orderBy: { id: 'asc' },
    take: maxEnterable,
  });
}

/** The organisation that a token names, if it exists. */
export async function listEnterableOrgs(database: Database, { orgId }: Limits): Promise<EnterableOrg[]> {
  if (orgId == null) return [];
  return database.global.org.findMany({ where: { id: orgId }, select: { id: true, name: true } });
}
