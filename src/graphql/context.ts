import type { Logger } from 'pino';
import type { Actor, Principal } from '#src/infra/deps.ts';
import { accessError, NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { TenantReader } from '#src/infra/postgres/database.ts';
import type { Services } from '#src/infra/services.ts';

/** Who asks, however they were identified: a user by a token, or another system by an API key. */
export interface Viewer {
  /** Null for an API key. */
  userId: bigint | null;
  iss: string;
  sub: string;
  aud: string[];
  email: string | null;
  name: string | null;
  roles: string[];
  /** What an API key was made for, e.g. `orders:read`; a token has roles instead. */
  scopes: string[];
  /** When the credentials end, in epoch milliseconds. */
  expiresAt: number;
}

/** Who asks, and in which tenant: null where the request names none, or none that the viewer may enter. */
export interface Caller {
  viewer: Viewer | null;
  tenant: { id: string; orgId: string } | null;
  /** Why the viewer or the tenant is null: what the request lacks, as a sentence for the caller. */
  hint?: string;
}

/** What a transport knows of a request before anything is checked. */
export interface Incoming {
  requestId: string;
  log: Logger;
  /** Finds the caller, once a request; throws the access error that refuses the credentials. */
  identify: () => Promise<Caller>;
  /** Calls `ended` when the caller's access is taken away while a stream is open; answers how to stop watching. */
  watchAccess?: (caller: Caller, ended: () => void) => () => void;
  /** Whose budget the request is counted against; null where it is not counted. */
  budgetOf: (caller: Caller) => string | null;
  channel: Principal['channel'];
  /** The admin plane is the part of the REST face under /admin. */
  plane: 'public' | 'admin';
  /** A socket takes a subscription's events itself, to share their execution; REST is counted before its body is read. */
  transport?: 'socket' | 'rest';
}

/** What a resolver needs to act in the tenant of the request. */
export interface InTenant extends Services {
  tenantId: string;
  db: TenantReader;
  actor: Actor;
}

/** What every resolver gets. Resolvers of a tenant's objects take the tenant's part from `inTenant`. */
export interface Context extends Incoming, Caller, Services {
  /** The same object for all operations of a batch. */
  incoming: Incoming;
  principal: Principal;
  tenant: (InTenant & { id: string; orgId: string }) | null;
}

/** The tenant's part of the context. Throws the access error TENANT_REQUIRED where the request has no tenant. */
export function inTenant({ tenant, hint }: Context): InTenant {
  if (!tenant) throw accessError('TENANT_REQUIRED', { hint });
  return tenant;
}

/**
 * The key of the tenant's object with this id. Throws NotFoundError where the request has no tenant, so that `node(id)`
 * answers null.
 */
export function tenantKey({ tenant }: Context, typeName: string, id: string): { tenantId: string; id: bigint } {
  if (!tenant) throw new NotFoundError();
  return { tenantId: tenant.id, id: readId(typeName, id) };
}

export function createContext(services: Services, incoming: Incoming, { viewer, tenant, hint }: Caller): Context {
  const principal: Principal = {
    userId: viewer?.userId ?? null,
    sub: viewer?.sub ?? null,
    email: viewer?.email ?? null,
    channel: incoming.channel,
  };
  return {
    ...services,
    ...incoming,
    incoming,
    viewer,
    ...(hint !== undefined && { hint }),
    principal,
    tenant: tenant && {
      ...services,
      id: tenant.id,
      orgId: tenant.orgId,
      tenantId: tenant.id,
      db: services.deps.database.reader(tenant.id),
      actor: { ...principal, orgId: tenant.orgId, tenantId: tenant.id },
    },
  };
}
