import type pg from 'pg';
import { DatabaseClient } from '#src/infra/postgres/connections/database-client.ts';
import { PrimaryGuard, type PrimaryLog } from '#src/infra/postgres/connections/primary-guard.ts';
import { isOutage, OutageError } from '#src/infra/postgres/outages.ts';
import { sqlState } from '#src/infra/postgres/sql-errors.ts';
import { missingMigrations } from './apply-migrations.ts';
import { migrating } from './lock-holders.ts';

/** True if the database at `url` has every migration on disk; throws if it has others. */
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
 * The first connection of a process or a command, so its errors name the setting that is wrong. Reports a first connection to another
 * server to `log`: migrations may allocate ids.
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
    throw explained(error, client);
  }
}

/** The error of a connection as a sentence that names the setting it is about. */
function explained(error: unknown, { host, port }: pg.Client): unknown {
  if (!(error instanceof Error)) return error;
  const remedy = remedies[sqlState(error) ?? ''];
  if (refused.test(sqlState(error) ?? '')) {
    return new Error(`The database refuses what DATABASE_URL says: ${error.message}.${remedy ?? ''}`, { cause: error });
  }
  if (!isOutage(error)) return error;
  const place = host.startsWith('/') ? host : `${host}:${port}`;
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = (error.message || code).replace(/\.$/, '');
  const check = /^E[A-Z]/.test(code) ? ' Check its host and port, and that Postgres runs there.' : '';
  return new OutageError(
    `The database at ${place}, which DATABASE_URL names, cannot be used: ${reason}.${check}`,
    error,
  );
}

const remedies: Readonly<Record<string, string>> = {
  '28P01': ' Check its user and password.',
  '28000': ' Check its user, and that pg_hba.conf lets it in from here.',
  '3D000': ' Create that database, as docs/database.md says, or correct the name.',
};
