import pg from 'pg';
import { expect } from 'vitest';
import type { TestApp } from './app.ts';
import { ofOperation, type RawClient } from './live.ts';

export interface ListUpdate {
  change: 'ADDED' | 'CHANGED' | 'REMOVED' | 'RELOAD';
  id: string | null;
  node: Record<string, unknown> | null;
}

/** The events of a followed list so far. */
export const listUpdates = ({ messages }: RawClient, field: string, id = '1'): ListUpdate[] =>
  ofOperation(messages, id).flatMap(({ payload }) => (payload?.data?.[field] as ListUpdate | undefined) ?? []);

/**
 * Waits until the processes that make `touch` have been heard by the one that answers the subscription. Before, a list may be reloaded once more:
 * the first notice of a process says that earlier ones were missed.
 */
export async function untilFollowed(
  client: RawClient,
  { field, id = '1', touches }: { field: string; id?: string; touches: (() => Promise<unknown>)[] },
): Promise<number> {
  for (const touch of touches)
    for (let isFollowed = false; !isFollowed;) {
      const before = listUpdates(client, field, id).length;
      await touch();
      isFollowed = await client
        .until(() => {
          const news = listUpdates(client, field, id).slice(before);
          return news.length > 0 && [news.every(({ change }) => change !== 'RELOAD')];
        })
        .then(([heard]) => heard as boolean);
    }
  return listUpdates(client, field, id).length;
}

/** Breaks the listening connections of every process on the database. */
export async function killListeners({ databaseUrl }: TestApp): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rowCount } = await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'causeway-live' AND datname = current_database()`,
  );
  await client.end();
  expect(rowCount).toBeGreaterThan(0);
}
