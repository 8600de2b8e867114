import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { installQueues, type JobDefinition, queuesMark } from '#src/infra/jobs.ts';
import { readMigrations } from './migrations.ts';

/**
 * Brings the database at `url` up to date: tables, roles, partitions ahead, queues. Several processes may start at once;
 * one does the work and the others wait for it. Answers the migrations it applied. A database that is up to date costs a
 * few queries: neither the schema engine (a WebAssembly module of several megabytes) nor the queue's own migration runs.
 */
export async function migrate(url: string, jobs: JobDefinition[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'causeway-migrate' });
  await client.connect();
  try {
    if (await isUpToDate(client, jobs)) return [];
    await client.query(`SELECT pg_advisory_lock(hashtext('causeway.migrate'))`);
    if (await isUpToDate(client, jobs)) return [];
    await forgetFailedAttempts(client);
    const applied = await applyMigrations(url);
    await installQueues(url, jobs);
    await client.query('SELECT ensure_partitions()');
    return applied;
  } finally {
    await client.end();
  }
}

/** A migration is all or nothing here, so one that failed may be tried again; the engine would refuse to. */
async function forgetFailedAttempts(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS there`,
  );
  if (!rows[0]?.there) return;
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL',
  );
}

/** Applies what is missing, in order; answers the names. What fails in the thread is thrown here. */
async function applyMigrations(url: string): Promise<string[]> {
  const thread = new Worker(new URL('./migrate-thread.ts', import.meta.url), { workerData: { url } });
  try {
    const [applied] = (await once(thread, 'message')) as [string[]];
    return applied;
  } finally {
    await thread.terminate();
  }
}

/** Whether every migration on disk is applied as it stands there, and the queues are as `jobs` define them. */
async function isUpToDate(client: pg.Client, jobs: JobDefinition[]): Promise<boolean> {
  const { rows: present } = await client.query<{ tables: boolean; queues: string | null }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS tables,
            obj_description(to_regnamespace('pgboss'), 'pg_namespace') AS queues`,
  );
  if (!present[0]?.tables || present[0].queues !== queuesMark(jobs)) return false;
  const { rows } = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
      WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL`,
  );
  const applied = new Map(rows.map(({ name, checksum }) => [name, checksum]));
  const onDisk = await readMigrations();
  return applied.size === onDisk.length && onDisk.every(({ name, checksum }) => applied.get(name) === checksum);
}

/** Creates database `name` on the server at `url` unless it is there. */
export async function ensureDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
