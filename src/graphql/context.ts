import type { Logger } from 'pino';
import type { Actor } from '#src/infra/deps.ts';
import type { Opened } from '#src/infra/opened.ts';
import type { TenantReader } from '#src/infra/postgres/database.ts';

/** The user who asks, however they were identified. */
export interface Viewer {
  userId: bigint;
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
}

/** What a transport knows of a request before anything is checked. */
export interface Incoming {
  requestId: string;
  log: Logger;
  /** Finds the caller, once a request; throws the access error that refuses the credentials. */
  identify: () => Promise<Caller>;
  /** Whose budget the request is counted against; null where it is not counted. */
  budgetOf: (caller: Caller) => string | null;
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
export interface Context extends Incoming, Caller, Opened {
  tenantId: string;
  db: TenantReader;
  actor: Actor;
}

export function createContext(opened: Opened, incoming: Incoming, { viewer, tenant }: Caller): Context {
  const tenantId = tenant?.id ?? '';
  return {
    ...opened,
    ...incoming,
    viewer,
    tenant,
    tenantId,
    db: opened.deps.database.reader(tenantId),
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
