import pg from 'pg';
import { vi } from 'vitest';
import type { TestApp } from './app.ts';
import { expectNoConnections } from './leaks.ts';

/** How many rows of some tables were read, changed, and changed without a new entry in an index. */
export interface CountedRows {
  read: number;
  changed: number;
  inPlace: number;
}

/**
 * Closes the app and answers what Postgres has counted of the tables whose names a pattern fits. A session that is open may report
 * ten seconds late; one that ends does so before it is gone.
 */
export async function countRowsAtEnd(
  { close, databaseUrl }: Pick<TestApp, 'close' | 'databaseUrl'>,
  pattern: string,
): Promise<CountedRows> {
  await close();
  await expectNoConnections(databaseUrl);
  return withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<CountedRows>(
      `SELECT sum(coalesce(idx_tup_fetch, 0) + seq_tup_read)::int AS read, sum(n_tup_upd)::int AS changed,
        sum(n_tup_hot_upd)::int AS "inPlace" FROM pg_stat_user_tables WHERE relname ~ $1`,
      [pattern],
    );
    return rows[0] as CountedRows;
  });
}

/**
 * Waits until nobody sees rows as they were before a change: the room of those cannot be used again. A transaction of any other
 * database counts too, as a snapshot of this one begins at the oldest of the whole server.
 */
export const untilNobodySeesBefore = ({ databaseUrl }: Pick<TestApp, 'databaseUrl'>): Promise<void> =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ xid: string }>('SELECT pg_current_xact_id() AS xid');
    await vi.waitUntil(
      async () => {
        const { rowCount } = await client.query(
          `SELECT WHERE pg_snapshot_xmin(pg_current_snapshot()) > $1::xid8 AND NOT EXISTS (
             SELECT FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_xmin IS NOT NULL
           )`,
          [rows[0]?.xid],
        );
        return rowCount === 1;
      },
      { timeout: 20_000, interval: 10 },
    );
  });

async function withClient<Answer>(url: string, use: (client: pg.Client) => Promise<Answer>): Promise<Answer> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
