import type { Logger } from 'pino';
import type { Actor, Principal } from '#src/infra/deps.ts';
import { accessError, NotFoundError } from '#src/infra/errors.ts';
import { readId } from '#src/infra/inputs.ts';
import type { TenantReader } from '#src/infra/postgres/tenant-reader.ts';
import type { Services } from '#src/infra/services.ts';
import type { RequestTrace } from '#src/infra/tracing/request-trace.ts';

/** The caller, identified as a user by a token, or as another system by an API key. */
export interface Viewer {
  /** Null for an API key. */
  userId: bigint | null;
  iss: string;
  sub: string;
  aud: string[];
  email: string | null;
  name: string | null;
  roles: string[];
  /** The organisation that a token names, and the tenants of it that the token is limited to, if it is. */
  orgId?: string | null;
  tenants?: readonly string[] | null;
  /** The scopes of an API key, e.g. `orders:read`; a token has roles instead. */
  scopes: string[];
  /** When the credentials expire, in epoch milliseconds. */
  expiresAt: number;
}

/** The caller and the tenant of a request; the tenant is null if the request names none, or one that the viewer may not enter. */
export interface Caller {
  viewer: Viewer | null;
  tenant: { id: string; orgId: string } | null;
  /** Why the viewer or the tenant is null: what the request lacks, as a sentence for the caller. */
  hint?: string;
}

/** The data of a request from its transport, before any check. */
export interface Incoming {
  /** The id that its log lines and its answer have. */
  requestId: string;
  /** The id that the sender gave the request; absent if it gave none. */
  sentId?: string | undefined;
  /** The token of the caller's last write, unchecked: `X-Read-After`, or `extensions.readAfter` on a socket. */
  readAfter?: string | undefined;
  /** Called when the request has written in the tenant, so that its HTTP answer gets such a token. */
  wrote?: (tenantId: string) => void;
  /** The trace context of the request; absent if the request is not traced. */
  trace?: RequestTrace | undefined;
  log: Logger;
  /** Identifies the caller, once a request; throws the access error if the credentials are refused. */
  identify: () => Promise<Caller>;
  /** Calls `ended` when the caller's access is revoked while a stream is open; returns the function that stops watching. */
  watchAccess?: (caller: Caller, ended: () => void) => () => void;
  /** The subject whose budget the request counts against; null if it is not counted. */
  rateBudget: (caller: Caller) => string | null;
  channel: Principal['channel'];
  /** The admin audience is the part of the REST API under /admin. */
  audience: 'public' | 'admin';
  /** A socket receives a subscription's events itself, to share their execution; a REST request is counted before its body is read. */
  transport?: 'socket' | 'rest';
}

/** The dependencies of a resolver that acts in the tenant of the request. */
export interface InTenant extends Services {
  tenantId: string;
  db: TenantReader;
  actor: Actor;
}

/** The context of every resolver. Resolvers of a tenant's objects get the tenant's part by `inTenant`. */
export interface Context extends Incoming, Caller, Services {
  /** The same object for all operations of a batch. */
  incoming: Incoming;
  principal: Principal;
  tenant: (InTenant & { id: string; orgId: string }) | null;
}

/** The tenant's part of the context. Throws the access error TENANT_REQUIRED if the request has no tenant. */
export function inTenant({ tenant, hint }: Context): InTenant {
  if (!tenant) throw accessError('TENANT_REQUIRED', { hint });
  return tenant;
}

/** The key of the tenant's object with this id. Throws NotFoundError if the request has no tenant, so that `node(id)` returns null. */
export function tenantKey({ tenant }: Context, typeName: string, id: string): { tenantId: string; id: bigint } {
  if (!tenant) throw new NotFoundError();
  return { tenantId: tenant.id, id: readId(typeName, id) };
}

export function createContext(services: Services, incoming: Incoming, { viewer, tenant, hint }: Caller): Context {
  if (viewer) incoming.trace?.trust();
  const trace = incoming.trace?.context;
  const principal: Principal = {
    userId: viewer?.userId ?? null,
    sub: viewer?.sub ?? null,
    email: viewer?.email ?? null,
    channel: incoming.channel,
    ...(trace && { trace }),
    ...(incoming.sentId !== undefined && { requestId: incoming.sentId }),
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
