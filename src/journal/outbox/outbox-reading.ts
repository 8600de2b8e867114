import type { Deps } from '#src/infra/deps.ts';
import type { Database, SystemTx } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import type { OutboxConsumer, OutboxEvent } from './outbox.ts';

/** How far a consumer has read, and how it is to go on. */
export interface Cursor {
  xid: number;
  id: number;
  batchSize: number;
  failures: number;
  retryInMs: number;
}

export type Pass =
  /** `behind`: there may be more to read at once. */
  | { outcome: 'handled'; events: number; behind: boolean }
  /** `held`: events are there, but a transaction that began before theirs is still open. */
  | { outcome: 'idle'; held: boolean }
  /** Another worker serves the consumer. */
  | { outcome: 'locked' }
  /** The pause after a failure is not over. */
  | { outcome: 'backing_off'; ms: number };

/** A pass that failed, with where it stood; the cause is what the consumer threw. */
export class PassError extends Error {
  readonly cursor: Cursor;
  readonly events: OutboxEvent[];

  constructor(cursor: Cursor, events: OutboxEvent[], cause: unknown) {
    super(`Handling ${events.length} events failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
    this.name = 'PassError';
    this.cursor = cursor;
    this.events = events;
  }
}

export const fullBatch = 200;

// An id is drawn before its transaction commits, so reading by id alone would pass over whoever commits late. Below xmin every
// transaction has ended: nothing can appear there any more, and the order of (xid, id) is final.
export const readEventsSql = `
  SELECT id, xid, event_id AS "eventId", tenant_id AS "tenantId", topic, data, metadata, created_at AS "createdAt"
  FROM outbox_events
  WHERE (xid, id) > ($1::bigint, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
  ORDER BY xid, id LIMIT $3`;

/**
 * One batch for one consumer: events that every older transaction has settled, in order, and the cursor moved behind them
 * with whatever the consumer wrote. One process at a time does it: the lock is the transaction's, so it is free again the
 * moment its holder dies, and an idle look at it writes nothing. Throws a PassError when the consumer fails.
 */
export async function relayBatch(database: Database, consumer: OutboxConsumer): Promise<Pass> {
  return database.withSystem(async (client): Promise<Pass> => {
    if (!(await tryLockNamed(client, `outbox/${consumer.name}`))) return { outcome: 'locked' };
    // Read after the lock is held, not with it: a statement sees the cursor as it was when the statement began.
    const { rows } = await client.query<Cursor>({
      name: 'outbox-cursor',
      text: `SELECT xid, id, batch_size AS "batchSize", failures,
        greatest(0, coalesce(extract(epoch FROM retry_at - clock_timestamp()) * 1000, 0))::float8 AS "retryInMs"
        FROM outbox_cursors WHERE consumer = $1`,
      values: [consumer.name],
    });
    const [cursor] = rows;
    if (!cursor) throw new Error(`The consumer ${consumer.name} has no cursor; open it first.`);
    if (cursor.retryInMs > 0) return { outcome: 'backing_off', ms: cursor.retryInMs };
    const { rows: events } = await client.query<OutboxEvent>({
      name: 'outbox-read',
      text: readEventsSql,
      values: [cursor.xid, cursor.id, cursor.batchSize],
    });
    if (events.length === 0) return { outcome: 'idle', held: await holdsUnsettled(client, cursor) };
    try {
      const done = await consumer.handle(client, events);
      await moveCursor(client, consumer.name, cursor, events[done - 1]);
      return { outcome: 'handled', events: done, behind: done < events.length || events.length === cursor.batchSize };
    } catch (error) {
      throw new PassError(cursor, events, error);
    }
  });
}

async function holdsUnsettled(client: SystemTx, { xid, id }: Cursor): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'outbox-held',
    text: 'SELECT FROM outbox_events WHERE (xid, id) > ($1::bigint, $2::bigint) ORDER BY xid, id LIMIT 1',
    values: [xid, id],
  });
  return rowCount === 1;
}

/** Moves behind `last`. A batch that was cut small by a failure grows again with each success. */
async function moveCursor(
  client: SystemTx,
  consumer: string,
  from: Cursor,
  last: OutboxEvent | undefined,
): Promise<void> {
  if (!last) throw new Error(`The consumer ${consumer} answered a number of events that it was not given.`);
  const { rowCount } = await client.query({
    name: 'outbox-move',
    text: `UPDATE outbox_cursors SET xid = $2, id = $3, batch_size = $4, failures = 0, retry_at = NULL
      WHERE consumer = $1 AND xid = $5 AND id = $6`,
    values: [consumer, last.xid, last.id, Math.min(fullBatch, from.batchSize * 2), from.xid, from.id],
  });
  if (rowCount !== 1) throw new Error(`The cursor of ${consumer} was moved by someone else.`);
}

// An event that fails is tried again after these; then it is put aside, so that it holds up the others for seconds only.
const retryDelaysMs = [100, 1_000, 5_000];

/**
 * Writes down that a pass failed. A batch goes on one event at a time, a single event after a pause, and after its last try it
 * is passed over: refused by the consumer, which then keeps it itself, or put aside in outbox_failures. Rejects where the
 * database does not answer: then it was not the events.
 */
export async function recordFailure(
  { database, redactor }: Pick<Deps, 'database' | 'redactor'>,
  consumer: OutboxConsumer,
  failure: PassError,
): Promise<'retry' | 'refused' | 'put_aside'> {
  const { cursor, events } = failure;
  const [event] = events;
  const delay = events.length > 1 ? 0 : retryDelaysMs[cursor.failures];
  const at = [consumer.name, cursor.xid, cursor.id];
  if (delay !== undefined || !event) {
    await database.system.query(
      `UPDATE outbox_cursors SET batch_size = 1, failures = $4, retry_at = clock_timestamp() + $5 * interval '1 ms'
       WHERE consumer = $1 AND xid = $2 AND id = $3`,
      [...at, events.length > 1 ? 0 : cursor.failures + 1, delay],
    );
    return 'retry';
  }
  return database.withSystem(async (client) => {
    const { rowCount } = await client.query(
      `UPDATE outbox_cursors SET xid = $4, id = $5, failures = 0, retry_at = NULL
       WHERE consumer = $1 AND xid = $2 AND id = $3`,
      [...at, event.xid, event.id],
    );
    // Another worker did better meanwhile.
    if (rowCount !== 1) return 'retry';
    const error = await refuse(client, consumer, event, failure);
    if (error === undefined) return 'refused';
    await client.query(
      `INSERT INTO outbox_failures (consumer, id, event_id, tenant_id, error) VALUES ($1, $2, $3, $4, left($5, 2000))`,
      [consumer.name, event.id, event.eventId, event.tenantId, redactor.text(error)],
    );
    return 'put_aside';
  });
}

/** Answers what went wrong, or undefined where the consumer keeps the event. */
async function refuse(
  client: SystemTx,
  consumer: OutboxConsumer,
  event: OutboxEvent,
  failure: PassError,
): Promise<string | undefined> {
  if (!consumer.refuse) return failure.message;
  await client.query('SAVEPOINT refusing');
  try {
    await consumer.refuse(client, event, failure.cause);
    return undefined;
  } catch (error) {
    await client.query('ROLLBACK TO SAVEPOINT refusing');
    return `${failure.message} Refusing it failed as well: ${error instanceof Error ? error.message : String(error)}`;
  }
}
