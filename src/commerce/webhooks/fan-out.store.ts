import type { SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import { awaitAll } from '#src/infra/postgres/tx.ts';
import { joinErrorGroups } from '#src/journal/error-groups/error-groups.store.ts';
import { inSpanSql, spanValues } from '#src/journal/outbox/outbox-reading.store.ts';
import type { EventKind, EventSpan, OutboxHead } from '#src/journal/outbox/outbox.ts';
import { groupFilterFault } from './delivery-failures.declarations.ts';
import { destinationsPerTenant } from './destinations.inputs.ts';

/** Statements for a batch of events of all tenants, in the transaction of the relay. */

/** A destination that takes a topic; `position` is that of the requested entry, from 1. */
export interface Subscriber {
  position: number;
  id: number;
  filter: string | null;
  isDisabled: boolean;
}

export async function findSubscribers(
  tx: SystemTx,
  wanted: readonly { tenantId: string; topic: string }[],
): Promise<Subscriber[]> {
  const { rows } = await tx.query<Subscriber>({
    name: 'find-webhook-subscribers',
    text: `SELECT wanted.position::int, d.id, d.filter, d.status = 'disabled' AS "isDisabled"
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS wanted(tenant_id, topic, position)
      CROSS JOIN LATERAL (
        SELECT id, filter, status FROM webhook_destinations d
        WHERE d.tenant_id = wanted.tenant_id AND d.topics && ARRAY[wanted.topic, '*'] ORDER BY id LIMIT ${2 * destinationsPerTenant}
      ) AS d`,
    values: toColumns(wanted, 'tenantId', 'topic'),
  });
  return rows;
}

export interface NewDelivery {
  tenantId: string;
  /** The place of its event among those that are written with it, from 1. */
  payload: number;
  destinationId: number;
  isHeld: boolean;
  reason: string | null;
}

/** Deliveries to one destination that were created, for the senders and live views that are notified of them. */
export interface MadeDeliveries {
  tenantId: string;
  destinationId: number;
  isHeld: boolean;
  /** The first and the last id. A ping, or a held delivery in a range of unheld ones, may have an id in between. */
  from: number;
  to: number;
}

/**
 * The body of an event, as `toEnvelope` defines it. It is written from the outbox by SQL, so that no process reads, parses and sends it
 * back.
 */
const bodySql = (event: string): string => `concat('{"id":"', ${event}.event_id, '","topic":', to_json(${event}.topic),
  ',"time":"', to_char(${event}.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '","tenant_id":', to_json(${event}.tenant_id),
  ',"data":', ${event}.data, ',"metadata":', ${event}.metadata, '}')`;

/** The statements that lock the queues of destinations, and make due those with something to send. */
const preparing = (tx: SystemTx, keys: unknown[], waiting: unknown[]) => [
  tx.query({
    name: 'lock-webhook-queues',
    text: `SELECT FROM webhook_queues WHERE (tenant_id, destination_id) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))
      ORDER BY tenant_id, destination_id FOR NO KEY UPDATE`,
    values: keys,
  }),
  tx.query({
    name: 'wake-webhook-queues',
    text: `UPDATE webhook_queues SET due_at = clock_timestamp()
      WHERE (tenant_id, destination_id) IN (SELECT * FROM unnest($1::text[], $2::bigint[]))
        AND (due_at IS NULL OR due_at > clock_timestamp())`,
    values: waiting,
  }),
];

/** Writes the payload of each row of `source`, which has the columns of an event, and `payload_id`. */
const payloadSql = (source: string): string => `
  INSERT INTO webhook_payloads (tenant_id, id, event_id, topic, traceparent, request_id, body, size)
  SELECT tenant_id, payload_id, event_id, topic, traceparent, request_id, body, octet_length(body) FROM (
    SELECT e.tenant_id, e.payload_id, e.event_id, e.topic, e.metadata ->> 'traceparent' AS traceparent, e.metadata ->> 'request_id' AS request_id, ${bodySql('e')} AS body FROM ${source} AS e OFFSET 0
  ) AS made`;
const returningMade = `RETURNING d.tenant_id, d.destination_id, d.id, d.status = 'held' AS is_held`;
const readMade = `SELECT tenant_id AS "tenantId", destination_id AS "destinationId", is_held AS "isHeld", min(id) AS "from", max(id) AS "to"
  FROM made GROUP BY tenant_id, destination_id, is_held`;

/**
 * Locks the queues of these destinations, makes due those with something to send, and writes payloads and deliveries in the given order. A
 * sender that finds nothing more to send locks its queue before it releases it, so it either sees these deliveries, or leaves the queue for
 * this statement to make due. A destination that has been deleted in the meantime gets nothing.
 */
export async function insertDeliveries(
  tx: SystemTx,
  events: readonly Pick<OutboxHead, 'id'>[],
  deliveries: readonly NewDelivery[],
): Promise<MadeDeliveries[]> {
  const keys = queueColumns(deliveries);
  const waiting = queueColumns(deliveries.filter(({ isHeld }) => !isHeld));
  const grouped = deliveries.map(({ tenantId, destinationId, reason }) =>
    reason === null ? { id: null } : { tenantId, ...groupFilterFault(destinationId, reason) },
  );
  const prepared = preparing(tx, keys, waiting);
  const inserted = tx.query<MadeDeliveries>({
    name: 'insert-webhook-deliveries',
    text: `WITH numbered AS MATERIALIZED (
        SELECT nextval('webhook_payloads_id_seq') AS payload_id, given.* FROM unnest($1::bigint[]) WITH ORDINALITY AS given(event, place)
      ), payload AS (
        ${payloadSql('(SELECT * FROM numbered JOIN outbox_events ON id = event)')}
      ), drawn AS MATERIALIZED (
        SELECT array_agg(payload_id ORDER BY place) AS ids FROM numbered
      ), living AS MATERIALIZED (
        SELECT array_agg(destination_id) AS ids FROM webhook_queues
        WHERE (tenant_id, destination_id) IN (SELECT * FROM unnest($7::text[], $8::bigint[]))
      ), made AS (
        INSERT INTO webhook_deliveries AS d (tenant_id, destination_id, payload_id, status, reason, error_group_id)
        SELECT given.tenant_id, given.destination_id, (SELECT ids FROM drawn)[given.payload],
          CASE WHEN given.is_held THEN 'held' ELSE 'pending' END, given.reason, given.error_group_id
        FROM unnest($2::text[], $3::integer[], $4::bigint[], $5::boolean[], $6::text[], $9::uuid[])
          WITH ORDINALITY AS given(tenant_id, payload, destination_id, is_held, reason, error_group_id, place)
        WHERE given.destination_id = ANY((SELECT ids FROM living)::bigint[])
        ORDER BY given.place ${returningMade}
      ) ${readMade}`,
    values: [
      ...toColumns(events, 'id'),
      ...toColumns(deliveries, 'tenantId', 'payload', 'destinationId', 'isHeld', 'reason'),
      ...keys,
      ...toColumns(grouped, 'id'),
    ],
  });
  const [{ rows }] = await awaitAll([inserted, ...prepared]);
  await joinErrorGroups(
    tx,
    grouped.filter((each) => each.id !== null),
  );
  return rows;
}

/** A destination that takes every event of a kind. */
export interface Taker extends EventKind {
  destinationId: number;
  isHeld: boolean;
}

/** The same for all events of a span, each of which goes to all takers of its kind. */
export async function insertSpan(tx: SystemTx, span: EventSpan, takers: readonly Taker[]): Promise<MadeDeliveries[]> {
  const keys = queueColumns(takers);
  const waiting = queueColumns(takers.filter(({ isHeld }) => !isHeld));
  const prepared = preparing(tx, keys, waiting);
  const inserted = tx.query<MadeDeliveries>({
    name: 'insert-webhook-deliveries-of-span',
    text: `WITH span AS MATERIALIZED (
        SELECT nextval('webhook_payloads_id_seq') AS payload_id, e.* FROM (
          SELECT tenant_id, topic, event_id, data, metadata, created_at FROM outbox_events WHERE ${inSpanSql} ORDER BY xid, id
        ) AS e
      ), payload AS (
        ${payloadSql('span')}
      ), living AS MATERIALIZED (
        SELECT taker.* FROM unnest($7::text[], $8::text[], $9::bigint[], $10::boolean[]) AS taker(tenant_id, topic, destination_id, is_held)
        JOIN webhook_queues USING (tenant_id, destination_id)
      ), made AS (
        INSERT INTO webhook_deliveries AS d (tenant_id, destination_id, payload_id, status)
        SELECT span.tenant_id, living.destination_id, span.payload_id, CASE WHEN living.is_held THEN 'held' ELSE 'pending' END
        FROM living JOIN span USING (tenant_id, topic) ORDER BY span.payload_id, living.destination_id ${returningMade}
      ) ${readMade}`,
    values: [...spanValues(span), ...toColumns(takers, 'tenantId', 'topic', 'destinationId', 'isHeld')],
  });
  const [{ rows }] = await awaitAll([inserted, ...prepared]);
  return rows;
}

type Queued = Pick<NewDelivery, 'tenantId' | 'destinationId'>;

/** The key columns of the queues of these deliveries. Ids of destinations are unique across tenants. */
function queueColumns(deliveries: readonly Queued[]): unknown[] {
  const queues = new Map<number, Queued>();
  for (const delivery of deliveries) queues.set(delivery.destinationId, delivery);
  return toColumns([...queues.values()], 'tenantId', 'destinationId');
}

/** Records at destinations why deliveries are held there. */
export async function noteProblems(
  tx: SystemTx,
  problems: readonly { tenantId: string; destinationId: number; problem: string | null }[],
): Promise<void> {
  await tx.query({
    name: 'note-webhook-problems',
    text: `UPDATE webhook_queues q SET problem = given.problem
      FROM unnest($1::text[], $2::bigint[], $3::text[]) AS given(tenant_id, destination_id, problem)
      WHERE q.tenant_id = given.tenant_id AND q.destination_id = given.destination_id AND q.problem IS DISTINCT FROM given.problem`,
    values: toColumns(problems, 'tenantId', 'destinationId', 'problem'),
  });
}
