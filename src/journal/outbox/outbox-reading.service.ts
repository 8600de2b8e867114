import type { Deps } from '#src/infra/deps.ts';
import { columnsOf } from '#src/infra/postgres/columns.ts';
import type { Database, SystemTx } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import type { EventKind, OutboxConsumer, OutboxEvent } from './outbox.ts';

/** How far a consumer has read, and how it continues. */
export interface Cursor {
  xid: number;
  id: number;
  batchSize: number;
  failures: number;
  retryInMs: number;
}

export type Pass =
  /** `behind`: more events may be waiting. */
  | { outcome: 'handled'; events: number; behind: boolean }
  /** `held`: events are waiting, but a transaction that began before theirs is still open. */
  | { outcome: 'idle'; held: boolean }
  /** Another worker serves the consumer. */
  | { outcome: 'locked' }
  /** The pause after a failure is not over. */
  | { outcome: 'backing_off'; ms: number };

/** A pass that failed, with its cursor and events; the cause is what the consumer threw. */
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

// An id is drawn before its transaction commits, so reading by id alone would miss transactions that commit late. Below xmin every
// transaction has ended: no event can appear there any more, and the order of (xid, id) is final.
const settled = `(xid, id) > ($1::bigint, $2::bigint) AND xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
const head = `id, xid, event_id AS "eventId", tenant_id AS "tenantId", topic, pg_column_size(data) AS "storedBytes"`;
const columns = `${head}, data, metadata, created_at AS "createdAt"`;

export const readEventsSql = `SELECT ${columns} FROM outbox_events WHERE ${settled} ORDER BY xid, id LIMIT $3`;

// What a batch holds, and where it ends.
const readKindsSql = `
  WITH batch AS MATERIALIZED (
    SELECT xid, id, tenant_id, topic FROM outbox_events WHERE ${settled} ORDER BY xid, id LIMIT $3
  ), last AS (
    SELECT xid, id FROM batch ORDER BY xid DESC, id DESC LIMIT 1
  )
  SELECT tenant_id AS "tenantId", topic, (SELECT count(*) FROM batch) AS events, (SELECT xid FROM last) AS xid, (SELECT id FROM last) AS id
  FROM batch GROUP BY tenant_id, topic`;

const readWantedSql = (read: string): string => `
  SELECT ${read} FROM outbox_events
  WHERE (xid, id) > ($1::bigint, $2::bigint) AND (xid, id) <= ($3::bigint, $4::bigint)
    AND (tenant_id, topic) IN (SELECT * FROM unnest($5::text[], $6::text[]))
  ORDER BY xid, id`;

const readWanted = {
  heads: { name: 'outbox-read-heads', text: readWantedSql(head) },
  events: { name: 'outbox-read-wanted', text: readWantedSql(columns) },
};

/** The events of these heads with what they say, by id. */
export async function readEventsOf(
  client: SystemTx,
  heads: readonly Pick<OutboxEvent, 'id'>[],
): Promise<Map<number, OutboxEvent>> {
  if (heads.length === 0) return new Map();
  const { rows } = await client.query<OutboxEvent>({
    name: 'outbox-read-events-of',
    text: `SELECT ${columns} FROM unnest($1::bigint[]) AS wanted(event) JOIN outbox_events ON id = event`,
    values: columnsOf(heads, 'id'),
  });
  return new Map(rows.map((event) => [event.id, event]));
}

/**
 * Hands one batch of events to a consumer, in order, once every older transaction has ended. The cursor moves past them in the
 * transaction of the consumer's own writes. Only one process at a time serves a consumer: the lock belongs to the transaction, so
 * it is released the moment its holder dies, and an idle pass writes nothing. Throws a PassError when the consumer fails.
 */
export async function relayBatch(database: Database, consumer: OutboxConsumer): Promise<Pass> {
  return database.withSystem(async (client): Promise<Pass> => {
    if (!(await tryLockNamed(client, `outbox/${consumer.name}`))) return { outcome: 'locked' };
    // Read in a statement after the lock, not in the same one: a statement sees the cursor as of the statement's start.
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
    const { size, last, events } = await readBatch(client, consumer, cursor);
    if (!last) return { outcome: 'idle', held: await holdsUnsettled(client, cursor) };
    try {
      const done = events.length > 0 ? await consumer.handle(client, events) : 0;
      const isAll = done === events.length;
      await moveCursor(client, consumer.name, cursor, isAll ? last : events[done - 1]);
      return { outcome: 'handled', events: isAll ? size : done, behind: !isAll || size === cursor.batchSize };
    } catch (error) {
      throw new PassError(cursor, events, error);
    }
  });
}

/** A batch: how many events it spans, its last position, and those of its events that the consumer is to handle. */
interface Batch {
  size: number;
  last: Pick<OutboxEvent, 'xid' | 'id'> | undefined;
  events: OutboxEvent[];
}

async function readBatch(client: SystemTx, consumer: OutboxConsumer, cursor: Cursor): Promise<Batch> {
  const { xid, id, batchSize } = cursor;
  const values = [xid, id, batchSize];
  // After a failure the consumer is given each event, so that the one at fault is known.
  if (!consumer.wanted || batchSize === 1) {
    const { rows: events } = await client.query<OutboxEvent>({ name: 'outbox-read', text: readEventsSql, values });
    return { size: events.length, last: events.at(-1), events };
  }
  const { rows: kinds } = await client.query<EventKind & { events: number; xid: number; id: number }>({
    name: 'outbox-kinds',
    text: readKindsSql,
    values,
  });
  const [last] = kinds;
  if (!last) return { size: 0, last, events: [] };
  const wanted = await consumer.wanted(client, kinds).catch((error: unknown) => {
    throw new PassError(cursor, [], error);
  });
  if (wanted.length === 0) return { size: last.events, last, events: [] };
  const { rows: events } = await client.query<OutboxEvent>({
    ...(consumer.headsOnly ? readWanted.heads : readWanted.events),
    values: [xid, id, last.xid, last.id, ...columnsOf(wanted, 'tenantId', 'topic')],
  });
  return { size: last.events, last, events };
}

async function holdsUnsettled(client: SystemTx, { xid, id }: Cursor): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'outbox-held',
    text: 'SELECT FROM outbox_events WHERE (xid, id) > ($1::bigint, $2::bigint) ORDER BY xid, id LIMIT 1',
    values: [xid, id],
  });
  return rowCount === 1;
}

/** Moves the cursor past `last`. A batch that a failure made smaller grows again with each success. */
async function moveCursor(
  client: SystemTx,
  consumer: string,
  from: Cursor,
  last: Pick<OutboxEvent, 'xid' | 'id'> | undefined,
): Promise<void> {
  if (!last)
    throw new Error(
      `The consumer ${consumer} returned a number that is not between 1 and the number of events it was given.`,
    );
  const { rowCount } = await client.query({
    name: 'outbox-move',
    text: `UPDATE outbox_cursors SET xid = $2, id = $3, batch_size = $4, failures = 0, retry_at = NULL
      WHERE consumer = $1 AND xid = $5 AND id = $6`,
    values: [consumer, last.xid, last.id, Math.min(fullBatch, from.batchSize * 2), from.xid, from.id],
  });
  if (rowCount !== 1) throw new Error(`The cursor of ${consumer} was moved by another process.`);
}

// An event that fails is retried after these delays; then it is put aside, so that it holds up the others for seconds only.
const retryDelaysMs = [100, 1_000, 5_000];

/**
 * Records that a pass failed. A batch is then retried one event at a time, and a single event after a pause. After its last
 * attempt the event is skipped: the consumer refuses it, and then keeps it itself, or it is put aside in outbox_failures. Rejects
 * while the database does not answer, since the events are then not the cause.
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
    // Another worker has handled the event meanwhile.
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

/** Returns the error, or undefined if the consumer keeps the event. */
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
