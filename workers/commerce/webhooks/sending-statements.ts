import type { Attempt, DeliveryStatus } from '#src/commerce/webhooks/deliveries.inputs.ts';
import { groupGivenUp } from '#src/commerce/webhooks/delivery-failures.declarations.ts';
import { isNew } from '#src/commerce/webhooks/pending-deliveries.store.ts';
import { serverSql } from '#src/infra/postgres/connections/server-session.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns, rowsOfArrays } from '#src/infra/postgres/statements/columns.ts';
import { awaitAll, type Tx } from '#src/infra/postgres/tx.ts';
import type { Fingerprint } from '#src/journal/error-groups/error-fingerprint.rules.ts';
import type { Attemptable } from './sending-rules.ts';

/**
 * Statements of the senders. A sender claims a destination's queue for a time and is then the only one that sends to it, so that its
 * rate, concurrency and order hold whatever the number of workers, and one statement claims many deliveries.
 */

export interface QueueKey {
  tenantId: string;
  destinationId: number;
}

const keyColumns = 'q.tenant_id AS "tenantId", q.destination_id AS "destinationId"';

/** Claims queues with due deliveries that no living sender holds, the longest waiting first. */
export async function claimQueues(
  tx: Pick<SystemTx, 'query'>,
  { owner, leaseMs, limit }: { owner: string; leaseMs: number; limit: number },
): Promise<QueueKey[]> {
  const { rows } = await tx.query<QueueKey>({
    name: 'claim-webhook-queues',
    text: `UPDATE webhook_queues q SET owner = $1, lease_until = clock_timestamp() + $2 * interval '1 ms'
      FROM (
        SELECT tenant_id, destination_id FROM webhook_queues
        WHERE due_at <= clock_timestamp() AND (lease_until IS NULL OR lease_until < clock_timestamp())
        ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
      ) AS due
      WHERE q.tenant_id = due.tenant_id AND q.destination_id = due.destination_id RETURNING ${keyColumns}`,
    values: [owner, leaseMs, limit],
  });
  return rows;
}

/** A queue and up to where its new deliveries have been recorded, on the server from which they were read; undefined before any was. */
export interface Progress extends QueueKey {
  sentTo: number | undefined;
  server: string | undefined;
}

/**
 * The position that a sender reports, unless it comes from another server: after a failover that lost the last commits, new deliveries
 * may have ids below it. It is never above the sequence that gives them.
 */
const reportedSql = (sentTo: string, server: string): string =>
  `CASE WHEN ${server} = ${serverSql} AND ${sentTo} IS NOT NULL THEN least(${sentTo}, coalesce((SELECT pg_sequence_last_value('webhook_deliveries_id_seq')), 0)) END`;

/** A queue that a sender still holds, and its position. */
export interface Renewed extends QueueKey {
  sentTo: number;
}

/**
 * Extends the leases of a sender, notes how far it is, and returns its queues. One with an expired lease is the sender's until another
 * claims it. Several queues are always locked in the order of their destinations.
 */
export async function renewQueues(
  tx: Pick<SystemTx, 'query'>,
  { owner, leaseMs, queues }: { owner: string; leaseMs: number; queues: readonly Progress[] },
): Promise<Renewed[]> {
  const { rows } = await tx.query<Renewed>({
    name: 'renew-webhook-queues',
    text: `UPDATE webhook_queues q SET lease_until = clock_timestamp() + $2 * interval '1 ms', sent_to = coalesce(given.sent_to, q.sent_to)
      FROM (
        SELECT q.tenant_id, q.destination_id, ${reportedSql('given.sent_to', 'given.server')} AS sent_to FROM webhook_queues q
        JOIN unnest($3::text[], $4::bigint[], $5::bigint[], $6::text[]) AS given(tenant_id, destination_id, sent_to, server)
          ON q.tenant_id = given.tenant_id AND q.destination_id = given.destination_id AND q.owner = $1
        ORDER BY q.tenant_id, q.destination_id FOR NO KEY UPDATE OF q
      ) AS given
      WHERE q.tenant_id = given.tenant_id AND q.destination_id = given.destination_id
      RETURNING ${keyColumns}, q.sent_to AS "sentTo"`,
    values: [owner, leaseMs, ...toColumns(queues, 'tenantId', 'destinationId', 'sentTo', 'server')],
  });
  return rows;
}

/**
 * Gives a queue back, to be looked at again when its next delivery is due, after `notBeforeMs` at the earliest. It is locked before
 * the deliveries are read: adding a delivery locks it as well (see insertDeliveries).
 */
export async function releaseQueue(
  tx: SystemTx,
  { tenantId, destinationId, owner, ordered, notBeforeMs, sentTo, server }: Released,
): Promise<void> {
  const key = [tenantId, destinationId];
  const reported = reportedSql('$5::bigint', '$6');
  await awaitAll([
    tx.query({
      name: 'lock-webhook-queue',
      text: 'SELECT FROM webhook_queues WHERE tenant_id = $1 AND destination_id = $2 FOR UPDATE',
      values: key,
    }),
    tx.query({
      name: ordered ? 'release-ordered-webhook-queue' : 'release-webhook-queue',
      text: `UPDATE webhook_queues q SET owner = NULL, lease_until = NULL, sent_to = coalesce(${reported}, q.sent_to), due_at = greatest((
          SELECT at FROM (
            (SELECT id, next_attempt_at AS at FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2 AND next_attempt_at IS NOT NULL
             ORDER BY ${ordered ? 'id' : 'next_attempt_at, id'} LIMIT 1)
            UNION ALL
            (SELECT id, created_at FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2 AND id > coalesce(${reported}, q.sent_to) AND ${isNew}
             ORDER BY id LIMIT 1)
          ) AS first ORDER BY ${ordered ? 'id' : 'at'} LIMIT 1
        ), CASE WHEN $4 > 0 THEN clock_timestamp() + $4 * interval '1 ms' END)
        WHERE tenant_id = $1 AND destination_id = $2 AND owner = $3`,
      values: [...key, owner, notBeforeMs, sentTo, server],
    }),
  ]);
}

export interface Released extends Progress {
  owner: string;
  ordered: boolean;
  notBeforeMs: number;
}

/** A delivery that is due, with the bytes to send. */
export interface DueDelivery extends Attemptable {
  id: number;
  /** When it fell due, as text that Postgres reads back exactly; null for a new one, which falls due when it is made. */
  dueAt: string | null;
  /** When it was created, in the same form. After a failover that lost commits, another delivery may have its id, but not its time. */
  madeAt: string;
  eventId: string;
  topic: string;
  /** The trace context of the event, as a `traceparent`; null if the event is not traced. */
  traceparent: string | null;
  /** The id that its sender gave the request which caused the event; null if it gave none. */
  requestId: string | null;
  body: string;
}

/** Bodies beyond this wait for the next read, so that large events do not add up in memory. */
export const bytesAtOnce = 4 * 1024 * 1024;
const timedColumns = `d.id, d.next_attempt_at::text AS "dueAt", d.created_at::text AS "madeAt", d.tries, d.tries_before AS "triesBefore", d.once, p.event_id AS "eventId", p.topic, p.traceparent, p.request_id AS "requestId"`;
const withPayload = 'JOIN webhook_payloads p ON p.tenant_id = d.tenant_id AND p.id = d.payload_id';

export interface Reading {
  /** Ids of the timed deliveries that are under way. */
  except: readonly number[];
  /** Where to continue: a backlog is then not searched again from its beginning, where sent deliveries stay until they are vacuumed. */
  after?: Pick<DueDelivery, 'dueAt' | 'id'> | undefined;
  /** The same for new deliveries; undefined continues after the last one that is recorded as sent. */
  newAfter: number | undefined;
  limit: number;
}

/** The next deliveries to a destination whose time has come. */
export async function readTimed(
  tx: Tx,
  { tenantId, destinationId }: QueueKey,
  { except, after, limit }: Reading,
): Promise<DueDelivery[]> {
  const { rows } = await tx.query<DueDelivery>({
    name: 'read-due-webhooks',
    text: `SELECT id, "dueAt", "madeAt", tries, "triesBefore", once, "eventId", topic, traceparent, "requestId", body FROM (
        SELECT ${timedColumns}, p.body, d.next_attempt_at, sum(p.size) OVER (ORDER BY d.next_attempt_at, d.id) - p.size AS bytes_before
        FROM (
          SELECT * FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2
            AND next_attempt_at <= clock_timestamp() AND (next_attempt_at, id) > ($5::timestamptz, $6::bigint) AND id <> ALL($3::bigint[])
          ORDER BY next_attempt_at, id LIMIT $4
        ) AS d ${withPayload}
      ) AS d WHERE bytes_before < ${bytesAtOnce} ORDER BY next_attempt_at, id`,
    values: [tenantId, destinationId, except, limit, after?.dueAt ?? '-infinity', after?.id ?? 0],
  });
  return rows;
}

/** Reads the first timed delivery to an ordered destination; its body is null until its time comes. */
export async function readHead(tx: Tx, { tenantId, destinationId }: QueueKey): Promise<Passed<DueDelivery>[]> {
  const { rows } = await tx.query<Passed<DueDelivery>>({
    name: 'read-webhook-head',
    text: `SELECT ${timedColumns}, CASE WHEN d.next_attempt_at <= clock_timestamp() THEN p.body END AS body FROM (
        SELECT * FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2 AND next_attempt_at IS NOT NULL ORDER BY id LIMIT 1
      ) AS d ${withPayload}`,
    values: [tenantId, destinationId],
  });
  return rows;
}

/** A delivery without a body is not sent now. */
export type Passed<Delivery> = Omit<Delivery, 'body'> & { body: string | null };
export type NewDelivery = Pick<
  DueDelivery,
  'id' | 'madeAt' | 'eventId' | 'topic' | 'traceparent' | 'requestId' | 'body'
>;

/**
 * Reads the next deliveries to a destination by their ids. Those that are no longer new are returned without a body, and the reader
 * continues after them, so that no read covers more than `limit` rows, even if a disabled destination has left a million held deliveries.
 */
export async function readNew(
  tx: Tx,
  { tenantId, destinationId }: QueueKey,
  { newAfter = null, limit }: { newAfter: number | null | undefined; limit: number },
): Promise<Passed<NewDelivery>[]> {
  // CASE, because under row-level security COALESCE is not leakproof and would not use the index.
  const { rows } = await tx.query<Passed<NewDelivery>>({
    name: 'read-new-webhooks',
    text: `SELECT id, "madeAt", "eventId", topic, traceparent, "requestId", body FROM (
        SELECT d.id, d.created_at::text AS "madeAt", p.event_id AS "eventId", p.topic, p.traceparent, p.request_id AS "requestId", p.body, coalesce(sum(p.size) OVER (ORDER BY d.id) - coalesce(p.size, 0), 0) AS bytes_before
        FROM (
          SELECT id, tenant_id, created_at, CASE WHEN ${isNew} THEN payload_id END AS payload_id FROM webhook_deliveries
          WHERE tenant_id = $1 AND destination_id = $2
            AND id > CASE WHEN $3::bigint IS NULL THEN (SELECT sent_to FROM webhook_queues WHERE tenant_id = $1 AND destination_id = $2) ELSE $3 END
          ORDER BY id LIMIT $4
        ) AS d LEFT ${withPayload}
      ) AS d WHERE bytes_before < ${bytesAtOnce} ORDER BY id`,
    values: [tenantId, destinationId, newAfter, limit],
  });
  return rows;
}

/** The outcome of an attempt, and what follows it. */
export interface Result extends QueueKey, Pick<DueDelivery, 'madeAt'>, Omit<Attempt, 'status' | 'at'> {
  /** When it began, in epoch milliseconds. */
  atMs: number;
  attempt: Attempt['status'];
  status: DeliveryStatus;
  /** Until the next attempt, if one follows. */
  delayMs: number | null;
}

const given = rowsOfArrays({
  tenant_id: 'text',
  destination_id: 'bigint',
  id: 'bigint',
  made_at: 'timestamptz',
  try: 'smallint',
  attempt: 'text',
  http_code: 'integer',
  error: 'text',
  duration_ms: 'integer',
  response: 'text',
  at_ms: 'float8',
  status: 'text',
  delay_ms: 'float8',
  error_group_id: 'uuid',
});

/** The group of a delivery that gets no further attempt; undefined for any other. */
export const groupResult = ({ status, destinationId, ...answer }: Result): Fingerprint | undefined =>
  status === 'failed' || status === 'held' ? groupGivenUp(destinationId, answer) : undefined;

/**
 * Writes attempts and the outcome for their deliveries, many in one statement. An attempt counts only when it is the delivery's next.
 * A result that is written again, or by two senders, therefore changes nothing the second time, and the result of a delivery that was
 * lost is dropped. A delivery that was held during its attempt, or given up with its destination, stays so unless the attempt succeeded.
 */
export async function recordResults(database: Pick<SystemTx, 'query'>, results: readonly Result[]): Promise<void> {
  await database.query({
    name: 'record-webhook-results',
    text: `WITH changed AS (
        UPDATE webhook_deliveries d SET tries = given.try, version = d.version + 1, updated_at = clock_timestamp(),
          status = CASE WHEN d.status IN ('held', 'failed') AND given.status <> 'delivered' THEN d.status ELSE given.status END,
          reason = CASE WHEN given.status <> 'delivered' THEN d.reason END,
          error_group_id = CASE WHEN given.status <> 'delivered' THEN coalesce(given.error_group_id, d.error_group_id) END,
          next_attempt_at = CASE WHEN d.status = 'pending' AND given.status = 'pending'
            THEN clock_timestamp() + given.delay_ms * interval '1 ms' END
        FROM ${given} AS given WHERE d.tenant_id = given.tenant_id AND d.id = given.id AND d.destination_id = given.destination_id
          AND d.created_at = given.made_at AND d.tries = given.try - 1
          AND d.status IN ('pending', 'held', 'failed')
        RETURNING given.*
      )
      INSERT INTO webhook_attempts (tenant_id, delivery_id, try, status, http_code, error, duration_ms, response, at)
      SELECT tenant_id, id, try, attempt, http_code, error, duration_ms, response, to_timestamp(at_ms / 1000) FROM changed`,
    values: toColumns(
      results.map((result) => ({ ...result, errorGroupId: groupResult(result)?.id })),
      'tenantId',
      'destinationId',
      'deliveryId',
      'madeAt',
      'try',
      'attempt',
      'httpCode',
      'error',
      'durationMs',
      'response',
      'atMs',
      'status',
      'delayMs',
      'errorGroupId',
    ),
  });
}

/** Records since when destinations have failed, or that they have recovered. */
export async function noteHealth(tx: SystemTx, health: readonly (QueueKey & { fails: boolean })[]): Promise<void> {
  await tx.query({
    name: 'note-webhook-health',
    text: `UPDATE webhook_queues q SET failing_since = CASE WHEN due.fails THEN clock_timestamp() END, warned_at = NULL,
        problem = CASE WHEN due.fails THEN q.problem END
      FROM (
        SELECT q.tenant_id, q.destination_id, given.fails FROM webhook_queues q
        JOIN unnest($1::text[], $2::bigint[], $3::boolean[]) AS given(tenant_id, destination_id, fails)
          ON q.tenant_id = given.tenant_id AND q.destination_id = given.destination_id AND (q.failing_since IS NULL) = given.fails
        ORDER BY q.tenant_id, q.destination_id FOR NO KEY UPDATE OF q
      ) AS due WHERE q.tenant_id = due.tenant_id AND q.destination_id = due.destination_id`,
    values: toColumns(health, 'tenantId', 'destinationId', 'fails'),
  });
}

/** A destination that has failed for so long that its tenant is warned, or that it is disabled. */
export interface Ailing extends QueueKey {
  orgId: string;
  failingSince: Date;
  isWarned: boolean;
}

/** Destinations without a success for 24 hours and without a warning, and for 5 days with a warning at least a day old. */
export async function findAiling(tx: Pick<SystemTx, 'query'>): Promise<Ailing[]> {
  const { rows } = await tx.query<Ailing>({
    text: `SELECT ${keyColumns}, t.org_id AS "orgId", q.failing_since AS "failingSince", q.warned_at IS NOT NULL AS "isWarned"
      FROM webhook_queues q
      JOIN webhook_destinations d ON d.tenant_id = q.tenant_id AND d.id = q.destination_id AND d.status = 'enabled'
      JOIN tenants t ON t.id = q.tenant_id
      WHERE q.failing_since <= now() - interval '1 day' AND (q.warned_at IS NULL
        OR q.warned_at <= now() - interval '1 day' AND q.failing_since <= now() - interval '5 days')
      ORDER BY q.failing_since LIMIT 100`,
  });
  return rows;
}
