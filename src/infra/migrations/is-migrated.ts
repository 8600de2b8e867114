import type pg from 'pg';
import { DatabaseClient } from '#src/infra/postgres/database-client.ts';
import { PrimaryGuard, type PrimaryLog } from '#src/infra/postgres/primary-guard.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { missingMigrations } from './apply-migrations.ts';
import { migrating } from './lock-holders.ts';

/** Whether the database at `url` has every migration on disk; throws where it has others. */
export async function isMigrated(url: string): Promise<boolean> {
  const client = await connectToMigrate(url);
  try {
    return (await missingMigrations(client)).length === 0;
  } finally {
    await client.end();
  }
}

/** The server refuses the user or its password, or has no such database. */
const refused = /^(28|3D)/;

/**
 * The first connection of a process or a command, so it names the setting that a refusal is about, and tells `log` where it is the first on
 * another server: migrations may draw ids.
 */
export async function connectToMigrate(url: string, log?: PrimaryLog): Promise<pg.Client> {
  const client = new DatabaseClient({
    connectionString: url,
    application_name: migrating,
    primary: new PrimaryGuard(log),
  });
  try {
    return await client.connect();
  } catch (error) {
    if (!refused.test(sqlState(error) ?? '')) throw error;
    throw new Error(`The database refuses what DATABASE_URL says: ${(error as Error).message}.`, { cause: error });
  }
}
