import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { devIssuerUrl, openDevIssuer } from '#src/identity/dev-issuer.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { templateDatabase } from '#test/setup/template-database.ts';

/** A Postgres of the test's own with fsync on, which can be stopped and restarted. */
export interface OwnPostgres {
  url: string;
  database: Database;
  /** Ends the server the given way and starts it again after `downMs`. */
  restart(how: 'fast' | 'immediate' | 'kill', downMs: number): Promise<void>;
  close(): Promise<void>;
}

const signals = { fast: 'SIGINT', immediate: 'SIGQUIT', kill: 'SIGKILL' } as const;

/** Starts the server with a migrated database that holds org `acme` with tenant `acme-shop`. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-chaos-'));
  const dataDir = join(directory, 'pg');
  await copyMigratedCluster(dataDir);
  const start = () => startEmbeddedPostgres({ dataDir });
  let server: EmbeddedPostgres = await start();
  const url = server.url(templateDatabase);
  const database = openDatabase({ url, poolSize: 4, onError: () => undefined });
  await database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
  await database.global.tenant.create({ data: { id: 'acme-shop', orgId: 'acme', name: 'Acme shop' } });
  return {
    url,
    database,
    async restart(how, downMs) {
      process.kill(server.pid, signals[how]);
      await server.exited;
      await delay(downMs);
      server = await start();
    },
    async close() {
      await database.close();
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Headers of an admin of `acme-shop`, for an API process on `port` with this data directory. */
export async function adminHeaders(dataDir: string, port: number): Promise<Record<string, string>> {
  const issuer = await openDevIssuer({ dataDir, issuer: devIssuerUrl(port), audience: 'causeway' });
  const token = await issuer.sign(
    { sub: 'chaos', email: 'chaos@example.com', roles: ['admin'], org_id: 'acme' },
    3_600,
  );
  return { authorization: `Bearer ${token}`, 'x-tenant-id': 'acme-shop' };
}
