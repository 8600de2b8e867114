import type { Tx } from '#src/infra/postgres/tx.ts';
import { isNew } from './pending-deliveries.store.ts';

/** Statements for the deliveries of one tenant. */

/** A delivery that a statement has changed. */
export interface Changed {
  id: number;
  destinationId: number;
}

const changed = `RETURNING d.id, d.destination_id AS "destinationId"`;
/** A transaction with more would hold its locks too long. */
export const batchSize = 5_000;

/**
 * The position in the deliveries that wait for a destination: after `after`; new ones also after `sentTo`, up to which the queue has been
 * processed.
 */
export interface Waiting {
  destinationId: bigint | number;
  sentTo: number;
  after: number;
}

const endPending =
  (text: string) =>
  async (tx: Tx, tenantId: string, { destinationId, sentTo, after }: Waiting): Promise<Changed[]> => {
    const of = 'tenant_id = $1 AND destination_id = $2 AND id > $3';
    const lowest = `ORDER BY id LIMIT ${batchSize}`;
    const { rows } = await tx.query<Changed>({
      text: `UPDATE webhook_deliveries d SET ${text}, next_attempt_at = NULL, version = d.version + 1, updated_at = clock_timestamp()
        WHERE d.tenant_id = $1 AND d.id = ANY(ARRAY(
          SELECT id FROM webhook_deliveries WHERE tenant_id = $1 AND status = 'pending' AND id = ANY(ARRAY(
            (SELECT id FROM webhook_deliveries WHERE ${of} AND next_attempt_at IS NOT NULL ${lowest})
            UNION ALL (SELECT id FROM webhook_deliveries WHERE ${of} AND id > $4 AND ${isNew} ${lowest})
          )) ${lowest} FOR UPDATE
        )) ${changed}`,
      values: [tenantId, destinationId, after, sentTo],
    });
    return rows;
  };

/** Holds a batch of the deliveries that wait for a destination. */
export const holdBatch = endPending(`status = 'held'`);

/** True if a destination is disabled; the lock keeps it so until the transaction ends. */
export async function lockDisabled(tx: Tx, tenantId: string, destinationId: bigint | number): Promise<boolean> {
  const { rowCount } = await tx.query({
    text: `SELECT FROM webhook_destinations WHERE tenant_id = $1 AND id = $2 AND status = 'disabled' FOR SHARE`,
    values: [tenantId, destinationId],
  });
  return rowCount === 1;
}

/** Fails a batch of the deliveries that wait for a deleted destination. */
export const giveUpBatch = endPending(`status = 'failed', reason = 'The destination was deleted.'`);

/** Makes a destination due, so that a sender reads its deliveries. */
export const wakeQueue = async (tx: Tx, tenantId: string, destinationId: bigint | number): Promise<void> => {
  await tx.query({
    text: `UPDATE webhook_queues SET due_at = clock_timestamp() WHERE tenant_id = $1 AND destination_id = $2
      AND (due_at IS NULL OR due_at > clock_timestamp())`,
    values: [tenantId, destinationId],
  });
};

/** Queues one additional attempt of each delivery; it does not continue the schedule. */
export async function queueOnce(tx: Tx, tenantId: string, ids: readonly (number | bigint)[]): Promise<Changed[]> {
  const { rows } = await tx.query<Changed>({
    text: `UPDATE webhook_deliveries d SET status = 'pending', next_attempt_at = clock_timestamp(), once = d.once OR d.status <> 'pending',
        reason = NULL, error_group_id = NULL, version = d.version + 1, updated_at = clock_timestamp()
      WHERE d.tenant_id = $1 AND d.id = ANY($2::bigint[]) ${changed}`,
    values: [tenantId, ids],
  });
  return rows;
}

export interface Recovery {
  destinationId: bigint;
  since: Date;
  /** Null: all topics. */
  topics: readonly string[] | null;
}

const recoverable = `d.tenant_id = $1 AND d.destination_id = $2 AND d.stopped IS NOT NULL AND d.created_at >= $3
  AND ($4::text[] IS NULL OR EXISTS (
    SELECT FROM webhook_payloads p WHERE p.tenant_id = d.tenant_id AND p.id = d.payload_id AND p.topic = ANY($4)
  ))`;
const recoveryValues = (tenantId: string, { destinationId, since, topics }: Recovery) => [
  tenantId,
  destinationId,
  since,
  topics,
];

/** Queues a batch of the deliveries after `from` that were given up or held, each with its complete schedule again. */
export async function recoverBatch(tx: Tx, tenantId: string, recovery: Recovery, from: number): Promise<Changed[]> {
  const { rows } = await tx.query<Changed>({
    text: `UPDATE webhook_deliveries d SET status = 'pending', next_attempt_at = clock_timestamp(), tries_before = d.tries, once = false,
        reason = NULL, error_group_id = NULL, version = d.version + 1, updated_at = clock_timestamp()
      WHERE d.tenant_id = $1 AND d.id = ANY(ARRAY(
        SELECT d.id FROM webhook_deliveries d WHERE ${recoverable} AND d.id > $5 ORDER BY d.id LIMIT ${batchSize} FOR UPDATE
      )) ${changed}`,
    values: [...recoveryValues(tenantId, recovery), from],
  });
  return rows;
}

export async function countRecoverable(tx: Tx, tenantId: string, recovery: Recovery): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    text: `SELECT count(*) AS count FROM webhook_deliveries d WHERE ${recoverable}`,
    values: recoveryValues(tenantId, recovery),
  });
  return Number(rows[0]?.count);
}

/** Stores a payload for one destination alone, with its delivery. */
export async function insertSingle(
  tx: Tx,
  tenantId: string,
  { destinationId, eventId, topic, body, isHeld }: SingleDelivery,
): Promise<Changed> {
  const { rows } = await tx.query<Changed>({
    text: `WITH payload AS (
        INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size) VALUES ($1, $3, $4, $5, octet_length($5)) RETURNING id
      )
      INSERT INTO webhook_deliveries AS d (tenant_id, destination_id, payload_id, status, next_attempt_at)
      SELECT $1, $2, id, CASE WHEN $6 THEN 'held' ELSE 'pending' END, CASE WHEN NOT $6 THEN now() END FROM payload ${changed}`,
    values: [tenantId, destinationId, eventId, topic, body, isHeld],
  });
  return rows[0] as Changed;
}

export interface SingleDelivery {
  destinationId: bigint;
  eventId: string;
  topic: string;
  body: string;
  isHeld: boolean;
}
