import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { templateDatabase } from './template-database.ts';

/** A database of the test's own, cloned from the migrated template; `drop` removes it, connections and all. */
export async function cloneDatabase(): Promise<{ url: string; drop: () => Promise<void> }> {
  const admin = inject('postgresUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(admin, `CREATE DATABASE ${name} TEMPLATE ${templateDatabase} STRATEGY FILE_COPY`);
  return {
    url: admin.replace('/postgres?', `/${name}?`),
    drop: () => run(admin, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

/** Has Postgres count the rows of a clone's tables now, which it would do by itself at a time of its own. */
export const analyse = ({ url }: { url: string }): Promise<void> => run(url, 'ANALYZE');

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
