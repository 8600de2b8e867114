import { applyConcurrently, concurrentStatements } from './concurrent-indexes.ts';
import { isNumbered } from './installation.ts';
import { type MigrationSession, withLockTimeout } from './lock-waits.ts';
import type { Migration } from './migrations.ts';

/** Applies one file and records it. */
export async function applyMigration(session: MigrationSession, migration: Migration): Promise<void> {
  const { client } = session;
  const what = `Migration ${migration.name}`;
  const concurrent = concurrentStatements(migration.sql);
  if (!concurrent) return withLockTimeout(session, what, () => applyInTransaction(session, migration));
  try {
    for (const statement of concurrent) await applyConcurrently(session, statement);
  } catch (error) {
    throw new Error(`${what} failed, and goes on from there when it is started again: ${(error as Error).message}`, {
      cause: error,
    });
  }
  await client.query(recordSql, [migration.name, migration.checksum]);
}

const recordSql = `
  INSERT INTO _prisma_migrations (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
  VALUES (gen_random_uuid(), $1, $2, now(), clock_timestamp(), 1)`;

/** The file and its record commit together: a process that dies leaves neither. */
async function applyInTransaction({ client }: MigrationSession, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(sql);
    // In the same transaction, before anything takes an id of a new sequence.
    if (await isNumbered(client)) await client.query('SELECT place_sequences()');
    await client.query(recordSql, [name, checksum]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw new Error(`Migration ${name} failed, and nothing of it was kept: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
