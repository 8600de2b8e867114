import type { Database } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';

// Far below any transaction's number, and still a number that a double holds exactly.
const formerCluster = 2 ** 52;

/** Gives a consumer that is new its cursor, before the oldest event that is kept. To be called before it reads. */
export async function openCursor(database: Database, consumer: string): Promise<void> {
  await database.withSystem(async (client) => {
    await lockNamed(client, 'outbox');
    // A database restored from a dump counts transactions anew, so its cursors would stand before nothing and its events after
    // everything to come. Both go below zero, in the order they had; what then is read again is known by its idempotency key.
    await client.query(
      `WITH now AS (
         SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next
       ), moved AS (
         UPDATE outbox_events SET xid = xid - $1::bigint FROM now WHERE xid >= next RETURNING id
       )
       UPDATE outbox_cursors SET xid = xid - $1::bigint
       WHERE EXISTS (SELECT FROM moved) OR EXISTS (SELECT FROM outbox_cursors c, now WHERE c.xid >= next)`,
      [formerCluster],
    );
    await client.query(
      `INSERT INTO outbox_cursors (consumer, xid, id) SELECT $1, -2 * $2::bigint, 0 ON CONFLICT DO NOTHING`,
      [consumer, formerCluster],
    );
  });
}

const keptDays = 7;
const keptFailureDays = 30;
const sweepBatch = 5_000;

/**
 * Deletes one batch of events older than seven days that every consumer has behind it, and answers whether there may be
 * more. Those put aside are kept for a look, thirty days. Reads from the old end, so it costs what it deletes.
 */
export async function sweepOutbox({ system }: Database): Promise<boolean> {
  await system.query(`DELETE FROM outbox_failures WHERE created_at < now() - $1 * interval '1 day'`, [keptFailureDays]);
  const { rowCount } = await system.query(
    `DELETE FROM outbox_events WHERE id IN (
       SELECT id FROM (
         SELECT e.id, e.created_at FROM outbox_events e
         WHERE (e.xid, e.id) <= (SELECT xid, id FROM outbox_cursors ORDER BY xid, id LIMIT 1)
           AND NOT EXISTS (SELECT FROM outbox_failures f WHERE f.id = e.id)
         ORDER BY e.xid, e.id LIMIT $2
       ) AS oldest WHERE created_at < now() - $1 * interval '1 day'
     )`,
    [keptDays, sweepBatch],
  );
  return rowCount === sweepBatch;
}
