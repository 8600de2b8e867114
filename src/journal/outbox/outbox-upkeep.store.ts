import type { Database } from '#src/infra/postgres/database.ts';
import { lockNamed } from '#src/infra/postgres/named-locks.ts';

// Subtracted from the transaction ids of a former cluster: larger than any of them, and exact as a double.
const formerCluster = 2 ** 52;

/** Creates the cursor of a new consumer, before the oldest stored event. Call it before the consumer reads. */
export async function openCursor(database: Database, consumer: string): Promise<void> {
  await database.withSystem(async (client) => {
    await lockNamed(client, 'outbox');
    // A database restored from a dump starts counting transactions again, so its old events would sort after all new ones, and its cursors
    // would skip those. Both are moved below zero, in their order; an idempotency key identifies events that are then read again. With
    // numbers from the relay this is not needed, because the last number is restored with the events.
    await client.query(
      `WITH now AS (
         SELECT CASE form WHEN 'snapshot' THEN pg_snapshot_xmax(pg_current_snapshot())::text::bigint END AS next FROM outbox_order
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
 * Deletes one batch of events that are older than seven days and that every consumer has passed, and returns whether there may be more.
 * Events that were put aside are kept for thirty days. Reads the oldest first, so the cost depends only on what it deletes.
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
