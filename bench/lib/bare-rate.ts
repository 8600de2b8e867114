import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from './load.ts';
import type { LoadRequest, LoadResult } from './load.ts';
import { startPeer } from './peer.ts';
import type { RunsSchema, RunsSize } from './runs-table.ts';
import { tenantName } from './runs-table.ts';

export interface BareSettings {
  readonly seconds: number;
  readonly connections: number;
  readonly poolSize: number;
}

export interface BareServer {
  readonly port: number;
  /** One request for each tenant. */
  requests(size: RunsSize): LoadRequest[];
  stop(): Promise<void>;
}

/** Starts the bare handler over a filled database; `page` is its statement, whose $1 is the tenant. */
export async function startBare(databaseUrl: string, page: string, poolSize: number): Promise<BareServer> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-bench-sql-'));
  const discard = () => rm(directory, { recursive: true, force: true });
  try {
    const file = join(directory, 'page.sql');
    await writeFile(file, page);
    const env = { DATABASE_URL: databaseUrl, SQL_FILE: file, POOL_SIZE: String(poolSize) };
    const server = await startPeer('bare-runs.mjs', env);
    return {
      port: server.port,
      requests: ({ tenants }) =>
        Array.from({ length: tenants }, (_, n) => ({
          method: 'GET',
          path: '/runs',
          headers: { 'x-tenant-id': tenantName(n) },
        })),
      async stop() {
        await server.stop();
        await discard();
      },
    };
  } catch (error) {
    await discard();
    throw error;
  }
}

/**
 * Requests a second of the bare handler over a filled database, for the page of `schema`. Requests go through the
 * tenants in turn. Any answer but a 2xx throws.
 */
export async function measureBare(
  databaseUrl: string,
  schema: RunsSchema,
  size: RunsSize,
  settings: BareSettings,
): Promise<LoadResult> {
  const server = await startBare(databaseUrl, schema.page, settings.poolSize);
  try {
    const load = await runLoad({
      port: server.port,
      requests: server.requests(size),
      connections: settings.connections,
      warmupMs: 3000,
      durationMs: settings.seconds * 1000,
    });
    if (load.errors > 0)
      throw new Error(`The bare handler failed ${load.errors} times: ${JSON.stringify(load.errorKinds)}`);
    return load;
  } finally {
    await server.stop();
  }
}
