import type { Logger } from 'pino';
import type { NodeRuntime } from '#src/automation/node-api/node-runtime.ts';
import type { ImageUrls } from '#src/automation/packages/image-urls.ts';
import type { Egress } from './egress/egress.ts';
import type { Jobs } from './jobs.ts';
import type { Pubsub } from './live/pubsub.ts';
import type { Redactor } from './logs/redact.ts';
import type { Database } from './postgres/database.ts';
import type { SignedCursors } from './signing/signed-cursors.ts';
import type { Storage } from './storage/storage.ts';
import type { Vault } from './vault/vault.ts';

/** What use cases are built on; the same in the API, in workers and in tests. */
export interface Deps {
  database: Database;
  jobs: Jobs;
  /** What other processes committed. */
  live: Pubsub;
  /** Archives and images, by content. */
  storage: Storage;
  /** Seals and opens secrets at rest. */
  vault: Vault;
  egress: Egress;
  nodeRuntime: NodeRuntime;
  imageUrls: ImageUrls;
  cursors: SignedCursors;
  /** Where this installation is reached from outside, e.g. `https://hub.example.com`; a base path may follow the host. */
  publicUrl: string;
  log: Logger;
  /** Told of every secret that is opened; no line of `log` holds one. */
  redactor: Redactor;
}

/** On whose behalf something is done, inside one tenant. Null fields: the system itself. */
export interface Actor {
  orgId: string;
  tenantId: string;
  userId: bigint | null;
  sub: string | null;
  email: string | null;
  /** Which door it came through; written to the audit log. */
  channel: 'api' | 'webhook' | 'schedule' | 'event' | 'system';
}

export const systemActor = (orgId: string, tenantId: string, channel: Actor['channel'] = 'system'): Actor => ({
  orgId,
  tenantId,
  userId: null,
  sub: null,
  email: null,
  channel,
});
