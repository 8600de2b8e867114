import { DatabaseClient } from '#src/infra/postgres/connections/database-client.ts';

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
