import type { Logger } from 'pino';
import type { Database } from './database.ts';
import type { Egress } from './egress.ts';
import type { ImageUrls } from './image-urls.ts';
import type { Jobs } from './jobs.ts';
import type { NodeRuntime } from './node-runtime.ts';
import type { Pubsub } from './pubsub.ts';
import type { Redactor } from './redact.ts';
import type { SignedCursors } from './signed-cursors.ts';
import type { Storage } from './storage.ts';
import type { Vault } from './vault.ts';

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
