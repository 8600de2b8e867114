import { columnsOf } from '#src/infra/postgres/columns.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { together } from '#src/infra/postgres/together.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Attempt, DeliveryStatus } from './deliveries.inputs.ts';
import type { Attemptable } from './sending.rules.ts';

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

/** Extends the leases of a sender and returns its queues. One with an expired lease is the sender's until another claims it. */
export async function renewQueues(
  tx: Pick<SystemTx, 'query'>,
  { owner, leaseMs }: { owner: string; leaseMs: number },
): Promise<QueueKey[]> {
  const { rows } = await tx.query<QueueKey>({
    name: 'renew-webhook-queues',
    text: `UPDATE webhook_queues q SET lease_until = clock_timestamp() + $2 * interval '1 ms' WHERE owner = $1 RETURNING ${keyColumns}`,
    values: [owner, leaseMs],
  });
  return rows;
}

/**
 * Gives a queue back, to be looked at again when its next delivery is due, after `notBeforeMs` at the earliest. It is locked before
 * the deliveries are read: whoever adds one locks it as well (see insertDeliveries).
 */
export async function releaseQueue(
  tx: SystemTx,
  { tenantId, destinationId, owner, ordered, notBeforeMs }: QueueKey & Held,
): Promise<void> {
  const key = [tenantId, destinationId];
  await together([
    tx.query({
      name: 'lock-webhook-queue',
      text: 'SELECT FROM webhook_queues WHERE tenant_id = $1 AND destination_id = $2 FOR UPDATE',
      values: key,
    }),
    tx.query({
      name: ordered ? 'release-ordered-webhook-queue' : 'release-webhook-queue',
      text: `UPDATE webhook_queues SET owner = NULL, lease_until = NULL, due_at = greatest((
          SELECT next_attempt_at FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2 AND status = 'pending'
          ORDER BY ${ordered ? 'id' : 'next_attempt_at, id'} LIMIT 1
        ), CASE WHEN $4 > 0 THEN clock_timestamp() + $4 * interval '1 ms' END)
        WHERE tenant_id = $1 AND destination_id = $2 AND owner = $3`,
      values: [...key, owner, notBeforeMs],
    }),
  ]);
}

interface Held {
  owner: string;
  ordered: boolean;
  notBeforeMs: number;
}

/** A delivery that is due, with the bytes to send. */
export interface DueDelivery extends Attemptable {
  id: number;
  /** When it fell due, as text that Postgres reads back exactly. */
  dueAt: string;
  eventId: string;
  topic: string;
  body: string;
}

/** Bodies beyond this wait for the next read, so that large events do not add up in memory. */
export const bytesAtOnce = 4 * 1024 * 1024;
const dueColumns = `d.id, d.next_attempt_at::text AS "dueAt", d.tries, d.tries_before AS "triesBefore", d.once, p.event_id AS "eventId", p.topic, p.body`;
const withPayload = 'JOIN webhook_payloads p ON p.tenant_id = d.tenant_id AND p.id = d.payload_id';

export interface Reading {
  /** What the sender already has. */
  except: readonly number[];
  /** Where to go on: a backlog is then not searched again from its beginning, where what was sent lies until it is vacuumed. */
  after?: Pick<DueDelivery, 'dueAt' | 'id'> | undefined;
  limit: number;
}

/** The next deliveries to a destination that are due. */
export async function readDue(
  tx: Tx,
  { tenantId, destinationId }: QueueKey,
  { except, after, limit }: Reading,
): Promise<DueDelivery[]> {
  const { rows } = await tx.query<DueDelivery>({
    name: 'read-due-webhooks',
    text: `SELECT id, "dueAt", tries, "triesBefore", once, "eventId", topic, body FROM (
        SELECT ${dueColumns}, d.next_attempt_at, sum(p.size) OVER (ORDER BY d.next_attempt_at, d.id) - p.size AS bytes_before
        FROM (
          SELECT * FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2 AND status = 'pending'
            AND next_attempt_at <= clock_timestamp() AND (next_attempt_at, id) > ($5::timestamptz, $6::bigint) AND id <> ALL($3::bigint[])
          ORDER BY next_attempt_at, id LIMIT $4
        ) AS d ${withPayload}
      ) AS d WHERE bytes_before < ${bytesAtOnce} ORDER BY next_attempt_at, id`,
    values: [tenantId, destinationId, except, limit, after?.dueAt ?? '-infinity', after?.id ?? 0],
  });
  return rows;
}

/** The next delivery to an ordered destination; nothing while it waits for its next attempt. */
export async function readHead(tx: Tx, { tenantId, destinationId }: QueueKey): Promise<DueDelivery[]> {
  const { rows } = await tx.query<DueDelivery>({
    name: 'read-webhook-head',
    text: `SELECT ${dueColumns} FROM (
        SELECT * FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2 AND status = 'pending' ORDER BY id LIMIT 1
      ) AS d ${withPayload} WHERE d.next_attempt_at <= clock_timestamp()`,
    values: [tenantId, destinationId],
  });
  return rows;
}

/** The outcome of an attempt, and what follows it. */
export interface Result extends QueueKey, Omit<Attempt, 'status' | 'at'> {
  /** When it began, in epoch milliseconds. */
  atMs: number;
  attempt: Attempt['status'];
  status: DeliveryStatus;
  /** Until the next attempt, where one follows. */
  delayMs: number | null;
}

export interface Recorded extends QueueKey {
  id: number;
}

/**
 * Writes attempts and the outcome for their deliveries, many at once. An attempt counts only where it is the delivery's next, so a
 * result that is written again, or by two senders, changes nothing the second time. A delivery that was held during its attempt
 * stays held, unless the attempt succeeded.
 */
export async function recordResults(
  database: Pick<SystemTx, 'query'>,
  results: readonly Result[],
): Promise<Recorded[]> {
  const { rows } = await database.query<Recorded>({
    name: 'record-webhook-results',
    text: `WITH given AS (
        SELECT * FROM unnest($1::text[], $2::bigint[], $3::smallint[], $4::text[], $5::integer[], $6::text[], $7::integer[], $8::text[],
          $9::float8[], $10::text[], $11::float8[])
          AS given(tenant_id, id, try, attempt, http_code, error, duration_ms, response, at_ms, status, delay_ms)
      ), changed AS (
        UPDATE webhook_deliveries d SET tries = given.try, version = d.version + 1, updated_at = clock_timestamp(),
          status = CASE WHEN d.status = 'held' AND given.status <> 'delivered' THEN 'held' ELSE given.status END,
          next_attempt_at = CASE WHEN d.status <> 'held' AND given.status = 'pending'
            THEN clock_timestamp() + given.delay_ms * interval '1 ms' END
        FROM given WHERE d.tenant_id = given.tenant_id AND d.id = given.id AND d.tries = given.try - 1 AND d.status IN ('pending', 'held')
        RETURNING d.destination_id, given.*
      ), written AS (
        INSERT INTO webhook_attempts (tenant_id, delivery_id, try, status, http_code, error, duration_ms, response, at)
        SELECT tenant_id, id, try, attempt, http_code, error, duration_ms, response, to_timestamp(at_ms / 1000) FROM changed
      )
      SELECT tenant_id AS "tenantId", destination_id AS "destinationId", id FROM changed`,
    values: columnsOf(
      results,
      'tenantId',
      'deliveryId',
      'try',
      'attempt',
      'httpCode',
      'error',
      'durationMs',
      'response',
      'atMs',
      'status',
      'delayMs',
    ),
  });
  return rows;
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
    values: columnsOf(health, 'tenantId', 'destinationId', 'fails'),
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
