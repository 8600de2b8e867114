import type { Logger } from 'pino';
import type { Egress } from './egress/egress.ts';
import type { Jobs } from './jobs.ts';
import type { Pubsub } from './live/pubsub.ts';
import type { Redactor } from './logs/redact.ts';
import type { Database } from './postgres/database.ts';
import type { SignedCursors } from './signing/signed-cursors.ts';
import type { UrlSigner } from './signing/signed-url.ts';
import type { Storage } from './storage/storage.ts';
import type { Cause } from './tracing/cause.ts';
import type { Tracing } from './tracing/tracing.ts';
import type { Vault } from './vault/vault.ts';

/** The dependencies of every use case; the same in the API, in workers and in tests. */
export interface Deps {
  database: Database;
  jobs: Jobs;
  /** Notifications of changes that other processes committed. */
  live: Pubsub;
  /** Archives and images, addressed by their content. */
  storage: Storage;
  /** Seals and opens secrets at rest. */
  vault: Vault;
  egress: Egress;
  cursors: SignedCursors;
  /** Signs links; a signature made for one purpose is good for no other. */
  urlSigner: (purpose: string) => UrlSigner;
  /** The public URL of this installation, e.g. `https://hub.example.com`; a base path may follow the host. */
  publicUrl: string;
  tracing: Tracing;
  log: Logger;
  /** Receives every secret that is decrypted, so that `log` never writes one. */
  redactor: Redactor;
}

/** The channel through which an action reaches the system. */
export const actionChannels = ['api', 'webhook', 'schedule', 'event', 'system'] as const;

/** Who performs an action, in a tenant or, like an operator, in none. The fields are null when the system itself acts. */
export interface Principal extends Cause {
  userId: bigint | null;
  sub: string | null;
  email: string | null;
  /** Written to the audit log. */
  channel: (typeof actionChannels)[number];
}

/** Who performs an action inside one tenant. */
export interface Actor extends Principal {
  orgId: string;
  tenantId: string;
}

export const systemActor = (
  orgId: string,
  tenantId: string,
  channel: Actor['channel'] = 'system',
  { trace, requestId }: Cause = {},
): Actor => ({
  orgId,
  tenantId,
  userId: null,
  sub: null,
  email: null,
  channel,
  ...(trace && { trace }),
  ...(requestId !== undefined && { requestId }),
});
