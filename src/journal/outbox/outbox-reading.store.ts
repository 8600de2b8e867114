import type { Database, SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { EventKind, EventSpan, KindInSpan, OutboxEvent, OutboxHead, Position } from './outbox.ts';

/** How far a consumer has read, and how it continues. */
export interface Cursor {
  xid: number;
  id: number;
  batchSize: number;
  failures: number;
  retryInMs: number;
}

// An id is allocated before its transaction commits, so reading by id alone would miss transactions that commit late. Below this bound no
// event can appear any more, and the order of (xid, id) is final.
const settled = `(xid, id) > ($1::bigint, $2::bigint) AND xid < outbox_settled()`;
const columns = `id, xid, event_id AS "eventId", tenant_id AS "tenantId", topic, pg_column_size(data) AS "storedBytes", data, metadata,
  created_at AS "createdAt"`;

export const readEventsSql = `SELECT ${columns} FROM outbox_events WHERE ${settled} ORDER BY xid, id LIMIT $3`;

// The kinds of events in a batch, and its end.
const readKindsSql = `
  WITH batch AS MATERIALIZED (
    SELECT xid, id, tenant_id, topic, pg_column_size(data) AS bytes FROM outbox_events WHERE ${settled} ORDER BY xid, id LIMIT $3
  ), last AS (
    SELECT xid, id FROM batch ORDER BY xid DESC, id DESC LIMIT 1
  )
  SELECT tenant_id AS "tenantId", topic, count(*) AS events, sum(bytes) AS "storedBytes", (SELECT count(*) FROM batch) AS "batchEvents",
    (SELECT xid FROM last) AS xid, (SELECT id FROM last) AS id
  FROM batch GROUP BY tenant_id, topic`;

const betweenSql = '(xid, id) > ($1::bigint, $2::bigint) AND (xid, id) <= ($3::bigint, $4::bigint)';
/**
 * The condition on the events of a span, whose positions and kinds are the first six parameters of a statement; see `spanValues`. Its
 * transactions have all ended.
 */
export const inSpanSql = `${betweenSql} AND (tenant_id, topic) IN (SELECT * FROM unnest($5::text[], $6::text[]))`;
export const spanValues = ({
  after,
  upTo,
  kinds,
}: Omit<EventSpan, 'kinds'> & { kinds: readonly EventKind[] }): unknown[] => [
  after.xid,
  after.id,
  upTo.xid,
  upTo.id,
  ...toColumns(kinds, 'tenantId', 'topic'),
];

/** The events of these heads with their data, by id. */
export async function readEventsByHead(
  client: SystemTx,
  heads: readonly Pick<OutboxEvent, 'id'>[],
): Promise<Map<number, OutboxEvent>> {
  if (heads.length === 0) return new Map();
  const { rows } = await client.query<OutboxEvent>({
    name: 'outbox-read-events-of',
    text: `SELECT ${columns} FROM unnest($1::bigint[]) AS wanted(event) JOIN outbox_events ON id = event`,
    values: toColumns(heads, 'id'),
  });
  return new Map(rows.map((event) => [event.id, event]));
}

export async function readCursor(client: SystemTx, consumer: string): Promise<Cursor | undefined> {
  const { rows } = await client.query<Cursor>({
    name: 'outbox-cursor',
    text: `SELECT xid, id, batch_size AS "batchSize", failures,
      greatest(0, coalesce(extract(epoch FROM retry_at - clock_timestamp()) * 1000, 0))::float8 AS "retryInMs"
      FROM outbox_cursors WHERE consumer = $1`,
    values: [consumer],
  });
  return rows[0];
}

/** The next events after the cursor, with their data. */
export async function readEvents(client: SystemTx, { xid, id }: Position, limit: number): Promise<OutboxEvent[]> {
  const values = [xid, id, limit];
  return (await client.query<OutboxEvent>({ name: 'outbox-read', text: readEventsSql, values })).rows;
}

/** A kind of event in a batch, with the batch's size and last position. */
export interface KindOfBatch extends KindInSpan, Position {
  batchEvents: number;
}

/** The kinds of event in the next batch after the cursor. */
export async function readKinds(client: SystemTx, { xid, id, batchSize }: Cursor): Promise<KindOfBatch[]> {
  const values = [xid, id, batchSize];
  return (await client.query<KindOfBatch>({ name: 'outbox-kinds', text: readKindsSql, values })).rows;
}

/** The heads of the events of a span, in the order of the outbox. */
export async function readHeads(client: SystemTx, span: EventSpan): Promise<OutboxHead[]> {
  const { rows } = await client.query<OutboxHead>({
    name: 'outbox-read-heads',
    text: `SELECT id, xid, tenant_id AS "tenantId", topic, pg_column_size(data) AS "storedBytes"
      FROM outbox_events WHERE ${inSpanSql} ORDER BY xid, id`,
    values: spanValues(span),
  });
  return rows;
}

/**
 * The limits of the events of a span that are handled together: the sum of a cost for each event, which depends on its kind, and the size
 * of data.
 */
export interface SpanLimits {
  /** The cost of one event, for each kind of the span in order. */
  costs: readonly number[];
  cost: number;
  storedBytes: number;
}

/** The first events of a span: the position of the last, and the indexes of their kinds in the span. */
export interface SpanPart {
  upTo: Position;
  places: number[];
}

/** The first events of a span within the limits: at least one. Undefined if the span has none. */
export async function readPart(
  client: SystemTx,
  span: EventSpan,
  { costs, cost, storedBytes }: SpanLimits,
): Promise<SpanPart | undefined> {
  const { rows } = await client.query<Position & Pick<SpanPart, 'places'>>({
    name: 'outbox-read-part',
    text: `WITH part AS MATERIALIZED (
        SELECT xid, id, place FROM (
          SELECT xid, id, place, row_number() OVER so_far AS number, sum(cost) OVER so_far AS cost, sum(bytes) OVER so_far AS bytes FROM (
            SELECT xid, id, place, cost, pg_column_size(data) AS bytes FROM outbox_events
            JOIN unnest($5::text[], $6::text[], $7::integer[]) WITH ORDINALITY AS kind(tenant_id, topic, cost, place) USING (tenant_id, topic)
            WHERE ${betweenSql}
          ) AS event WINDOW so_far AS (ORDER BY xid, id)
        ) AS summed WHERE number = 1 OR cost <= $8 AND bytes <= $9
      )
      SELECT xid, id, (SELECT json_agg(DISTINCT place - 1) FROM part) AS places FROM part ORDER BY xid DESC, id DESC LIMIT 1`,
    values: [...spanValues(span), costs, cost, storedBytes],
  });
  return rows.map(({ xid, id, places }) => ({ upTo: { xid, id }, places }))[0];
}

/** The first events of a span, with their data. */
export async function readWanted(client: SystemTx, span: EventSpan, limit: number): Promise<OutboxEvent[]> {
  const { rows } = await client.query<OutboxEvent>({
    name: 'outbox-read-wanted',
    text: `SELECT ${columns} FROM outbox_events WHERE ${inSpanSql} ORDER BY xid, id LIMIT $7`,
    values: [...spanValues(span), limit],
  });
  return rows;
}

/** True if there are events after the cursor that may not be read yet, because older transactions are open or the events have no number. */
export async function holdsUnsettled(client: SystemTx, { xid, id }: Cursor): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'outbox-held',
    text: 'SELECT FROM outbox_events WHERE (xid, id) > ($1::bigint, $2::bigint) ORDER BY xid, id LIMIT 1',
    values: [xid, id],
  });
  return rowCount === 1;
}

/** Moves the cursor past an event, unless another process has moved it. */
export async function movePast(
  client: SystemTx,
  consumer: string,
  from: Position,
  last: Position,
  batchSize: number,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'outbox-move',
    text: `UPDATE outbox_cursors SET xid = $2, id = $3, batch_size = $4, failures = 0, retry_at = NULL
      WHERE consumer = $1 AND xid = $5 AND id = $6`,
    values: [consumer, last.xid, last.id, batchSize, from.xid, from.id],
  });
  return rowCount === 1;
}

/** Makes the consumer continue one event at a time, after a pause; its cursor does not move. */
export async function slowDown(
  { system }: Pick<Database, 'system'>,
  consumer: string,
  at: Position,
  { failures, delayMs }: { failures: number; delayMs: number | undefined },
): Promise<void> {
  await system.query(
    `UPDATE outbox_cursors SET batch_size = 1, failures = $4, retry_at = clock_timestamp() + $5 * interval '1 ms'
     WHERE consumer = $1 AND xid = $2 AND id = $3`,
    [consumer, at.xid, at.id, failures, delayMs],
  );
}

/** Moves the cursor past an event that failed, unless another process has moved it; batches stay small. */
export async function skipEvent(client: SystemTx, consumer: string, from: Position, event: Position): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE outbox_cursors SET xid = $4, id = $5, failures = 0, retry_at = NULL
     WHERE consumer = $1 AND xid = $2 AND id = $3`,
    [consumer, from.xid, from.id, event.xid, event.id],
  );
  return rowCount === 1;
}

/** Puts an event aside, with the error of its consumer. */
export async function keepFailure(
  client: SystemTx,
  consumer: string,
  { id, eventId, tenantId }: OutboxEvent,
  error: string,
): Promise<void> {
  await client.query(
    `INSERT INTO outbox_failures (consumer, id, event_id, tenant_id, error) VALUES ($1, $2, $3, $4, left($5, 2000))`,
    [consumer, id, eventId, tenantId, error],
  );
}
