import type pg from 'pg';
import { installQueues, type JobDefinition, queuesMark } from '#src/infra/jobs.ts';
import type { PrimaryLog } from '#src/infra/postgres/primary-guard.ts';
import { applyMigrations, assertRowSecurity, missingMigrations } from './apply-migrations.ts';
import { connectToMigrate } from './is-migrated.ts';

/**
 * Brings the database at `url` up to date: tables, roles, partitions ahead, queues. Several processes may start at
 * once; one does the work and the others wait for it. Returns the migrations that it applied. For a database that is up
 * to date this takes a few queries.
 */
export async function migrate(url: string, jobs: readonly JobDefinition[], log?: PrimaryLog): Promise<string[]> {
  const client = await connectToMigrate(url, log);
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

/** Whether every migration on disk is applied, and the queues are as `jobs` define them. */
async function isUpToDate(client: pg.Client, jobs: readonly JobDefinition[]): Promise<boolean> {
  if ((await missingMigrations(client)).length > 0) return false;
  const { rows } = await client.query<{ queues: string | null }>(
    `SELECT obj_description(to_regnamespace('pgboss'), 'pg_namespace') AS queues`,
  );
  return rows[0]?.queues === queuesMark(jobs);
}
