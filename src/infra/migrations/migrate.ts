import type pg from 'pg';
import { installQueues, type JobDefinition, queuesMark } from '#src/infra/jobs.ts';
import { DatabaseClient } from '#src/infra/postgres/database-client.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { applyMigrations, assertRowSecurity, missingMigrations } from './apply-migrations.ts';

/**
 * Brings the database at `url` up to date: tables, roles, partitions ahead, queues. Several processes may start at
 * once; one does the work and the others wait for it. Returns the migrations that it applied. For a database that is up
 * to date this takes a few queries.
 */
export async function migrate(url: string, jobs: readonly JobDefinition[]): Promise<string[]> {
  const client = await connect(url);
  try {
    await assertRowSecurity(client);
    if (await isUpToDate(client, jobs)) return [];
    await client.query(`SELECT pg_advisory_lock(hashtext('causeway.migrate'))`);
    if (await isUpToDate(client, jobs)) return [];
    const applied = await applyMigrations(client);
    await installQueues(url, jobs);
    await client.query('SELECT ensure_partitions()');
    return applied;
  } finally {
    await client.end();
  }
}

/** Whether the database at `url` has every migration on disk; throws where it has others. */
export async function isMigrated(url: string): Promise<boolean> {
  const client = await connect(url);
  try {
    return (await missingMigrations(client)).length === 0;
  } finally {
    await client.end();
  }
}

/** The server refuses the user or its password, or has no such database. */
const refused = /^(28|3D)/;

/** The first connection of a process or a command, so it names the setting that a refusal is about. */
async function connect(url: string): Promise<pg.Client> {
  const client = new DatabaseClient({ connectionString: url, application_name: 'causeway-migrate' });
  try {
    return await client.connect();
  } catch (error) {
    if (!refused.test(sqlState(error) ?? '')) throw error;
    throw new Error(`The database refuses what DATABASE_URL says: ${(error as Error).message}.`, { cause: error });
  }
}

/** Whether every migration on disk is applied, and the queues are as `jobs` define them. */
async function isUpToDate(client: pg.Client, jobs: readonly JobDefinition[]): Promise<boolean> {
  if ((await missingMigrations(client)).length > 0) return false;
  const { rows } = await client.query<{ queues: string | null }>(
    `SELECT obj_description(to_regnamespace('pgboss'), 'pg_namespace') AS queues`,
  );
  return rows[0]?.queues === queuesMark(jobs);
}

/** Creates database `name` on the server at `url` unless it is there. */
export async function ensureDatabase(url: string, name: string): Promise<void> {
  const client = new DatabaseClient({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
