import type { Logger } from 'pino';
import type { TenantContext } from '#src/identity/tenants.service.ts';
import type { Identity } from '#src/identity/tokens.ts';
import type { Actor, Deps } from '#src/infra/deps.ts';
import type { TenantReader } from '#src/infra/postgres/database.ts';

/** Who asks. */
export interface Viewer extends Identity {
  userId: bigint;
}

/** What a transport knows of a request before anything is checked. */
export interface Incoming {
  requestId: string;
  log: Logger;
  /** `Bearer ...`, as it came. */
  authorization: string | null;
  /** X-Tenant-Id, as it came. */
  tenantHeader: string | null;
  channel: Actor['channel'];
  /** The admin plane is the part of the REST face under /admin. */
  plane: 'public' | 'admin';
  /** A socket takes a subscription's events itself, to share their execution; REST is counted before its body is read. */
  transport?: 'socket' | 'rest';
}

/**
 * What every resolver gets. Where a request has no tenant, `tenantId` is '' and `db` and `actor` name no tenant: the
 * scopes refuse such a request first, and the database's policies show it nothing if they did not.
 */
export interface Context extends Incoming {
  deps: Deps;
  viewer: Viewer | null;
  tenant: TenantContext | null;
  tenantId: string;
  db: TenantReader;
  actor: Actor;
}

export function createContext(
  deps: Deps,
  incoming: Incoming,
  viewer: Viewer | null,
  tenant: TenantContext | null,
): Context {
  const tenantId = tenant?.id ?? '';
  return {
    ...incoming,
    deps,
    viewer,
    tenant,
    tenantId,
    db: deps.database.reader(tenantId),
    actor: {
      orgId: tenant?.orgId ?? '',
      tenantId,
      userId: viewer?.userId ?? null,
      sub: viewer?.sub ?? null,
      email: viewer?.email ?? null,
      channel: incoming.channel,
    },
  };
}
