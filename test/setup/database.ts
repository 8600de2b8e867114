import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { templateDatabase } from './template-database.ts';

/** The one connection of a test worker to the server itself. A new one for each statement would be a third of all that tests make. */
let kept: pg.Pool | undefined;

/** Where a test looks at the server, or at its own database from outside. */
export function server(): pg.Pool {
  kept ??= new pg.Pool({
    connectionString: inject('postgresUrl'),
    max: 1,
    idleTimeoutMillis: 0,
    allowExitOnIdle: true,
  });
  return kept;
}

/** A database of the test's own, cloned from the migrated template; `drop` removes it, connections and all. */
export async function cloneDatabase(): Promise<{ name: string; url: string; drop: () => Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await server().query(`CREATE DATABASE ${name} TEMPLATE ${templateDatabase} STRATEGY FILE_COPY`);
  return {
    name,
    url: inject('postgresUrl').replace('/postgres?', `/${name}?`),
    drop: async () => void (await server().query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
  };
}

/** Has Postgres count the rows of a clone's tables now, which it would do by itself at a time of its own. */
export async function analyse({ url }: { url: string }): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('ANALYZE');
  } finally {
    await client.end();
  }
}
