import pg from 'pg';
import { installQueues, type JobDefinition } from './jobs.ts';
import { applyMigrations } from './schema-engine.ts';

/**
 * Brings the database at `url` up to date: tables, roles, partitions ahead, queues. Several processes may start at once;
 * one does the work and the others wait for it. Answers the migrations it applied.
 */
export async function migrate(url: string, jobs: JobDefinition[]): Promise<string[]> {
  const lock = new pg.Client({ connectionString: url, application_name: 'causeway-migrate' });
  await lock.connect();
  try {
    await lock.query(`SELECT pg_advisory_lock(hashtext('causeway.migrate'))`);
    const applied = await applyMigrations(url);
    await installQueues(url, jobs);
    await lock.query('SELECT ensure_partitions()');
    return applied;
  } finally {
    await lock.end();
  }
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
