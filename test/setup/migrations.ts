import type pg from 'pg';
import { applyConcurrently, concurrentStatements } from '#src/infra/migrations/concurrent-indexes.ts';
import { lockLimits } from '#src/infra/migrations/lock-waits.ts';
import type { Migration } from '#src/infra/migrations/migrations.ts';

/** Applies migrations to the database at `url` over the client, without recording them. */
export async function applyAll(client: pg.Client, url: string, migrations: readonly Migration[]): Promise<void> {
  const session = { client, url, limits: lockLimits, say: () => undefined };
  for (const { sql } of migrations) {
    const concurrent = concurrentStatements(sql);
    if (!concurrent) await client.query(sql);
    for (const statement of concurrent ?? []) await applyConcurrently(session, statement);
  }
}
