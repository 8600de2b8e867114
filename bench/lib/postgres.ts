import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { copyRunning } from '#test/setup/standby.ts';

const tmpfsMagic = 0x01021994;

/**
 * Set explicitly, because a bench of durable work means nothing on a server that does not wait for the disk. Other settings are those that
 * the product ships; peers and product get the same server.
 */
const durability = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

export interface ThrowawayPostgres {
  readonly pid: number;
  /** A standby that replays each commit `delayMs` after it. */
  addStandby(delayMs: number): Promise<Standby>;
  /** Connection URL of a new, empty database. */
  createDatabase(name: string): Promise<string>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

export interface Standby {
  readonly pid: number;
  /** Connection URL of a database of the primary. */
  url(name: string): string;
  /** Has it replay each commit so much later. */
  delay(ms: number): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts the product's embedded Postgres 18 on a new directory under `BENCH_DATA_DIR` (default: the system's temporary
 * directory). Throws when that directory is in memory, where a commit costs nothing.
 */
export async function startPostgres(): Promise<ThrowawayPostgres> {
  const parent = process.env['BENCH_DATA_DIR'] ?? tmpdir();
  if ((await statfs(parent)).type === tmpfsMagic) {
    throw new Error(`${parent} is in memory, so commits cost nothing. Set BENCH_DATA_DIR to a directory on a disk.`);
  }
  const directory = await mkdtemp(join(parent, 'causeway-bench-'));
  // The server may run as another user, who must be able to traverse the directory.
  await chmod(directory, 0o755);
  const discard = () => rm(directory, { recursive: true, force: true });
  const settings = { ...durability, max_connections: '200', wal_keep_size: '1GB', max_wal_senders: '4' };
  const dataDir = join(directory, 'data');
  const server = await startEmbeddedPostgres({ dataDir, settings }).catch(async (cause: unknown) => {
    await discard();
    throw cause;
  });
  return {
    pid: server.pid,
    async addStandby(delayMs) {
      const copy = join(directory, 'standby');
      await copyRunning({ dataDir, running: server }, copy, 'standby');
      return startStandby(copy, settings, delayMs);
    },
    async createDatabase(name) {
      const client = new pg.Client({ connectionString: server.url() });
      await client.connect();
      try {
        await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
      } finally {
        await client.end();
      }
      // DBOS wants a host name in its URL; pg still takes the socket directory from the `host` parameter.
      return server.url(name).replace('@/', '@localhost/');
    },
    async stop() {
      await server.stop();
      await discard();
    },
  };
}

async function startStandby(dataDir: string, settings: Record<string, string>, delayMs: number): Promise<Standby> {
  const standby = await startEmbeddedPostgres({ dataDir, settings });
  const delay = async (ms: number) => {
    const client = new pg.Client({ connectionString: standby.url() });
    await client.connect();
    await client.query(`ALTER SYSTEM SET recovery_min_apply_delay = '${ms}ms'`);
    await client.query('SELECT pg_reload_conf()');
    await client.end();
  };
  await delay(delayMs);
  return { pid: standby.pid, url: (name) => standby.url(name), delay, stop: () => standby.stop() };
}

/** Runs `body` with a throwaway Postgres and stops it whatever happens, an interrupt included. */
export async function withPostgres<T>(body: (postgres: ThrowawayPostgres) => Promise<T>): Promise<T> {
  const postgres = await startPostgres();
  const interrupt = (): void => {
    // Peers share the terminal's process group and get the signal themselves; Postgres does not.
    void postgres.stop().finally(() => process.exit(130));
  };
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await body(postgres);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
    await postgres.stop();
  }
}
