import type { Database } from '#src/infra/postgres/database.ts';

const batchSize = 5_000;

/**
 * Gives the next number to committed events that have none yet, at most 5,000, and returns how many got it. Only one transaction at a time
 * gives numbers, and it holds a lock until it commits, so a reader that sees a number also sees all events with lower numbers. Does nothing
 * in the order `snapshot`, or while another process gives numbers.
 */
export async function numberEvents(database: Pick<Database, 'withSystem'>): Promise<number> {
  return database.withSystem(async (client) => {
    const { rowCount: locked } = await client.query({
      name: 'outbox-lock-order',
      text: `SELECT FROM outbox_order WHERE form = 'sequence' FOR UPDATE SKIP LOCKED`,
    });
    if (locked === 0) return 0;
    const { rowCount } = await client.query({
      name: 'outbox-number',
      text: `WITH waiting AS MATERIALIZED (
          SELECT id FROM outbox_events WHERE xid = outbox_place() ORDER BY id LIMIT $1
        ), next AS (
          UPDATE outbox_order SET number = number + 1 WHERE EXISTS (SELECT FROM waiting) RETURNING number
        )
        UPDATE outbox_events e SET xid = next.number FROM next, waiting WHERE e.id = waiting.id`,
      values: [batchSize],
    });
    return rowCount ?? 0;
  });
}
