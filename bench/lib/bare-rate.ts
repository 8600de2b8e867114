import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runLoad } from './load.ts';
import type { LoadResult } from './load.ts';
import { startPeer } from './peer.ts';
import type { RunsSchema, RunsSize } from './runs-table.ts';
import { tenantName } from './runs-table.ts';

export interface BareSettings {
  readonly seconds: number;
  readonly connections: number;
  readonly poolSize: number;
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
  const directory = await mkdtemp(join(tmpdir(), 'causeway-bench-sql-'));
  try {
    const file = join(directory, 'page.sql');
    await writeFile(file, schema.page);
    const server = await startPeer('bare-runs.mjs', {
      DATABASE_URL: databaseUrl,
      SQL_FILE: file,
      POOL_SIZE: String(settings.poolSize),
    });
    try {
      const load = await runLoad({
        port: server.port,
        requests: Array.from({ length: size.tenants }, (_, n) => ({
          method: 'GET',
          path: '/runs',
          headers: { 'x-tenant-id': tenantName(n) },
        })),
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
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
