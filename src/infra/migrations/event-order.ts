import type pg from 'pg';
import { type MigrationSession, withLockTimeout } from './lock-waits.ts';

/** The two ways in which events get their places in the outbox: see docs/decisions/events-are-numbered-by-the-relay.md. */
export const eventOrders = ['snapshot', 'sequence'] as const;
export type EventOrder = (typeof eventOrders)[number];

/** The place of an event that has no number yet. It sorts after all numbers, and a double holds it exactly. */
const waiting = '9007199254740991';

/** The first place of a consumer's cursor, before all events. A double cannot hold lower numbers exactly. */
const beginning = '-9007199254740992';

const nextTransaction = 'pg_snapshot_xmax(pg_current_snapshot())::text::bigint';
/** The change counts open transactions too, because they may write their first event after it. */
const oldestTransaction = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** The definitions of the two functions that the statements of the outbox call. */
const functions: Readonly<Record<EventOrder, string>> = {
  snapshot: `
    CREATE OR REPLACE FUNCTION outbox_place() RETURNS bigint LANGUAGE sql VOLATILE
      RETURN pg_current_xact_id()::text::bigint;
    CREATE OR REPLACE FUNCTION outbox_settled() RETURNS bigint LANGUAGE sql STABLE
      RETURN pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
  sequence: `
    CREATE OR REPLACE FUNCTION outbox_place() RETURNS bigint LANGUAGE sql VOLATILE
      RETURN ${waiting};
    CREATE OR REPLACE FUNCTION outbox_settled() RETURNS bigint LANGUAGE sql STABLE
      RETURN (SELECT number + 1 FROM outbox_order)`,
};

export async function readEventOrder(client: pg.Client, lock: 'FOR UPDATE' | '' = ''): Promise<EventOrder> {
  const { rows } = await client.query<{ form: EventOrder }>(`SELECT form FROM outbox_order ${lock}`);
  if (!rows[0]) throw new Error('The table outbox_order has no row. Restore the database from a backup.');
  return rows[0].form;
}

/**
 * Changes the order of events in one transaction, as the owner of the tables, and returns the previous order. Existing events keep their
 * sequence, no cursor loses its place, and running processes need no restart. Waits for transactions that write or read events. Throws an
 * Error while a tenant is closed for a move.
 */
export async function changeEventOrder(session: MigrationSession, to: EventOrder): Promise<EventOrder> {
  const { client } = session;
  return withLockTimeout(session, 'Changing the order of events', async () => {
    await client.query('BEGIN');
    try {
      // Take the locks in the same sequence as the relay, to avoid a deadlock.
      const was = await readEventOrder(client, 'FOR UPDATE');
      if (was !== to) {
        // A reader holds its lock on the events until it has moved its cursor, so no cursor moves while this lock is held.
        await client.query('LOCK TABLE outbox_events IN ACCESS EXCLUSIVE MODE');
        await assertNoMove(client);
        // Row-level security shows the events to this role, but hides them from the owner.
        await client.query(`SET LOCAL ROLE causeway_system; ${prepare[to]}; SET LOCAL ROLE NONE`);
        await client.query(`UPDATE outbox_order SET form = '${to}'; ${functions[to]}`);
      }
      await client.query('COMMIT');
      return was;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    }
  });
}

/** A move records the position up to which events were read. If positions changed, its archive would miss unread events. */
async function assertNoMove(client: pg.Client): Promise<void> {
  await client.query('LOCK TABLE tenant_moves IN SHARE MODE');
  const { rows } = await client.query<{ tenant: string }>(
    'SELECT tenant FROM tenant_moves WHERE read_to IS NOT NULL ORDER BY tenant LIMIT 1',
  );
  if (rows[0])
    throw new Error(
      `The tenant ${rows[0].tenant} is closed for a move, which knows events by their order. Finish the move by tenant forget, or end it by tenant reopen, then start again.`,
    );
}

/** Statements that run under the lock. After them, the place of each event has the same meaning in both orders. */
const prepare: Readonly<Record<EventOrder, string>> = {
  // The next number must be greater than every transaction id so far, and every place that events of a former server have.
  sequence: `
    UPDATE outbox_order SET number = greatest(
      number, ${nextTransaction}, (SELECT max(xid) FROM outbox_events), (SELECT max(xid) FROM outbox_cursors))`,
  // Numbers may have reached the ids of open transactions, and numbers in a restored database may exceed all ids. Events and cursors then
  // move down together. They move no further than needed, because doubles must hold the numbers exactly even if the order changes often.
  snapshot: `
    UPDATE outbox_order SET number = number + 1;
    UPDATE outbox_events SET xid = number FROM outbox_order WHERE xid = ${waiting};
    WITH excess AS MATERIALIZED (
      SELECT number - ${oldestTransaction} + 1 AS length FROM outbox_order
    ), moved_events AS (
      UPDATE outbox_events SET xid = xid - length FROM excess WHERE length > 0
    ), moved_order AS (
      UPDATE outbox_order SET number = number - length, moved = moved + length FROM excess WHERE length > 0
    )
    UPDATE outbox_cursors SET xid = greatest(xid - length, ${beginning}) FROM excess WHERE length > 0`,
};
