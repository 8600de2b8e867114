import type { Database } from '#src/infra/postgres/database.ts';
import type { OrderedList } from '#src/infra/postgres/lists/ordered-list.ts';
import type { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { Attempt, Delivery, DeliveryStatus } from './deliveries.inputs.ts';
import { pendingIds } from './pending-deliveries.store.ts';

/** All given filters must match; a filter that is null or absent does not apply. */
export interface DeliveryFilter {
  tenantId: string;
  destinationId?: string | null;
  topic?: string | null;
  status?: readonly DeliveryStatus[] | null;
  eventId?: string | null;
  since?: Date | null;
  until?: Date | null;
  errorGroupId?: string | null;
}

export const deliveryList: OrderedList<'CREATED_AT', DeliveryFilter> = {
  from: 'webhook_deliveries',
  id: { sql: 'id', type: 'bigint' },
  // Id and time are both set when the row is created. Every index of the table ends in the id and none has the time, so ordering by time
  // would sort the whole log.
  orders: { CREATED_AT: [] },
  where({ tenantId, destinationId, topic, status, eventId, since, until, errorGroupId }, parameters) {
    const tenant = parameters.add(tenantId);
    const conditions = [`tenant_id = ${tenant}`];
    const destination = destinationId == null ? undefined : parameters.add(destinationId);
    if (destination) conditions.push(`destination_id = ${destination}`);
    if (status?.length) conditions.push(statusCondition([...new Set(status)], { tenant, destination }, parameters));
    if (errorGroupId != null) conditions.push(`error_group_id = ${parameters.add(errorGroupId)}`);
    if (since) conditions.push(`created_at >= ${parameters.add(since)}`);
    if (until) conditions.push(`created_at < ${parameters.add(until)}`);
    const payload = [
      ...(topic ? [`topic = ${parameters.add(topic)}`] : []),
      ...(eventId ? [`event_id = ${parameters.add(eventId)}`] : []),
    ];
    // The topic of an event is stored once, with its payload, and not with each delivery.
    if (payload.length > 0)
      conditions.push(
        `payload_id IN (SELECT id FROM webhook_payloads WHERE tenant_id = ${tenant} AND ${payload.join(' AND ')})`,
      );
    return conditions;
  },
};

/** The few pending deliveries, and those that are stopped, are found without reading the delivered ones. */
function statusCondition(
  statuses: readonly DeliveryStatus[],
  { tenant, destination }: { tenant: string; destination: string | undefined },
  parameters: SqlParameters,
): string {
  const stopped = statuses.filter((status) => status === 'failed' || status === 'held');
  const parts = [
    ...(statuses.includes('pending') ? [`id = ANY(ARRAY(${pendingIds({ tenant, destination })}))`] : []),
    ...(statuses.includes('delivered') ? [`status = ${parameters.add('delivered')}`] : []),
    ...(stopped.length === 1 ? [`stopped = ${parameters.add(stopped[0])}`] : []),
    ...(stopped.length > 1 ? [`stopped = ANY(${parameters.add(stopped)})`] : []),
  ];
  return `(${parts.join(' OR ')})`;
}

const columns = `d.id, d.destination_id AS "destinationId", p.event_id AS "eventId", p.topic, d.status, d.tries,
  CASE WHEN d.status = 'pending' THEN coalesce(d.next_attempt_at, d.created_at) END AS "nextAttemptAt", d.reason, d.version, d.created_at AS "createdAt", d.updated_at AS "updatedAt"`;
const joined = `webhook_deliveries d JOIN webhook_payloads p ON p.tenant_id = d.tenant_id AND p.id = d.payload_id`;

type Reader = Pick<Database, 'tenantQuery'>;

/** The deliveries with these ids, in any order. */
export const findDeliveries = (
  { tenantQuery }: Reader,
  tenantId: string,
  ids: readonly (string | bigint | number)[],
): Promise<Delivery[]> =>
  tenantQuery<Delivery & Record<string, unknown>>(tenantId, {
    name: 'find-webhook-deliveries',
    text: `SELECT ${columns} FROM ${joined} WHERE d.tenant_id = $1 AND d.id = ANY($2::bigint[])`,
    values: [tenantId, ids.map(String)],
  });

/** The deliveries of these events, in the order they were made, at most `most` of each. */
export const findEventDeliveries = (
  { tenantQuery }: Reader,
  tenantId: string,
  eventIds: readonly string[],
  most: number,
): Promise<Delivery[]> =>
  tenantQuery<Delivery & Record<string, unknown>>(tenantId, {
    name: 'find-webhook-deliveries-of-events',
    text: `SELECT found.* FROM unnest($2::uuid[]) AS wanted(event_id) CROSS JOIN LATERAL (
        SELECT ${columns} FROM ${joined} WHERE p.tenant_id = $1 AND p.event_id = wanted.event_id ORDER BY d.id LIMIT ${most}
      ) AS found ORDER BY found.id`,
    values: [tenantId, eventIds],
  });

export interface Changes {
  destinationId: number;
  from: number;
  to: number;
  /** The maximum age of the last change, by the clock of the database. */
  withinMs: number;
  most: number;
}

/** Deliveries to a destination that changed recently and have an id in the range; the lowest ids first. */
export const findChanged = (
  { tenantQuery }: Reader,
  tenantId: string,
  { destinationId, from, to, withinMs, most }: Changes,
): Promise<Delivery[]> =>
  tenantQuery<Delivery & Record<string, unknown>>(tenantId, {
    name: 'find-changed-webhook-deliveries',
    text: `SELECT ${columns} FROM ${joined}
      WHERE d.tenant_id = $1 AND d.destination_id = $2 AND d.id BETWEEN $3 AND $4
        AND d.updated_at >= statement_timestamp() - $5::float8 * interval '1 ms' ORDER BY d.id LIMIT $6`,
    values: [tenantId, destinationId, from, to, withinMs, most],
  });

/** A delivery, and how long ago it last changed, by the clock of the database. */
export interface AgedDelivery extends Delivery {
  ageMs: number;
}

/** The newest deliveries of a tenant or to one destination, in ascending order; with `pending`, only those that wait. */
export const findNewest = (
  { tenantQuery }: Reader,
  tenantId: string,
  { destinationId, pending, most }: { destinationId: number | null; pending: boolean; most: number },
): Promise<AgedDelivery[]> => {
  const destination = destinationId === null ? undefined : '$3';
  const end = 'ORDER BY id DESC LIMIT $2';
  const found = pending
    ? `SELECT id FROM (${pendingIds({ tenant: '$1', destination, end })}) AS waiting`
    : `SELECT id FROM webhook_deliveries WHERE tenant_id = $1${destination ? ` AND destination_id = ${destination}` : ''}`;
  return tenantQuery<AgedDelivery & Record<string, unknown>>(tenantId, {
    text: `SELECT ${columns}, extract(epoch FROM statement_timestamp() - d.updated_at)::float8 * 1000 AS "ageMs"
      FROM ${joined} WHERE d.tenant_id = $1 AND d.id = ANY(ARRAY(${found} ${end})) ORDER BY d.id`,
    values: [tenantId, most, ...(destination ? [destinationId] : [])],
  });
};

const attemptColumns = `delivery_id AS "deliveryId", try, status, http_code AS "httpCode", error, duration_ms AS "durationMs", response, at`;

/** The attempts of each of these deliveries, in order. */
export async function findAttempts(
  { tenantQuery }: Reader,
  tenantId: string,
  deliveryIds: readonly number[],
): Promise<Map<number, Attempt[]>> {
  const rows = await tenantQuery<Attempt & Record<string, unknown>>(tenantId, {
    name: 'find-webhook-attempts',
    text: `SELECT a.* FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT ${attemptColumns} FROM webhook_attempts WHERE tenant_id = $1 AND delivery_id = wanted.id ORDER BY try DESC LIMIT 100
      ) AS a ORDER BY "deliveryId", try`,
    values: [tenantId, deliveryIds],
  });
  return Map.groupBy(rows, ({ deliveryId }) => deliveryId);
}

/** The last attempt of each of these deliveries, without those that were not attempted. */
export async function findLastAttempts(
  { tenantQuery }: Reader,
  tenantId: string,
  deliveryIds: readonly number[],
): Promise<Map<number, Attempt>> {
  const rows = await tenantQuery<Attempt & Record<string, unknown>>(tenantId, {
    name: 'find-last-webhook-attempts',
    text: `SELECT a.* FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT ${attemptColumns} FROM webhook_attempts WHERE tenant_id = $1 AND delivery_id = wanted.id ORDER BY try DESC LIMIT 1
      ) AS a`,
    values: [tenantId, deliveryIds],
  });
  return new Map(rows.map((attempt) => [attempt.deliveryId, attempt]));
}

/** The bytes that are sent, as text, for each of these deliveries. */
export async function findBodies(
  { tenantQuery }: Reader,
  tenantId: string,
  deliveryIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await tenantQuery<{ id: number; body: string }>(tenantId, {
    name: 'find-webhook-bodies',
    text: `SELECT d.id, p.body FROM ${joined} WHERE d.tenant_id = $1 AND d.id = ANY($2::bigint[])`,
    values: [tenantId, deliveryIds],
  });
  return new Map(rows.map(({ id, body }) => [id, body]));
}

export type Backlog = Record<'pending' | 'failed' | 'held', number> & {
  /** When the oldest was made that failed or is held. */
  unsentSince: Date | null;
};

/** How many deliveries to a destination are pending, failed or held, each counted up to 100,000. */
export async function countBacklog({ tenantQuery }: Reader, tenantId: string, destinationId: number): Promise<Backlog> {
  const end = 'LIMIT 100000';
  const count = (status: DeliveryStatus, ids: string): string =>
    `(SELECT count(*) FROM (${ids} ${end}) AS counted) AS ${status}`;
  const stopped = (as: 'failed' | 'held'): string =>
    count(as, `SELECT FROM webhook_deliveries WHERE tenant_id = $1 AND destination_id = $2 AND stopped = '${as}'`);
  const oldest = `(SELECT created_at FROM webhook_deliveries
    WHERE tenant_id = $1 AND destination_id = $2 AND stopped IS NOT NULL ORDER BY id LIMIT 1) AS "unsentSince"`;
  const pending = count('pending', `SELECT FROM (${pendingIds({ tenant: '$1', destination: '$2', end })}) AS waiting`);
  const [row] = await tenantQuery<Backlog>(tenantId, {
    name: 'count-webhook-backlog',
    text: `SELECT ${pending}, ${stopped('failed')}, ${stopped('held')}, ${oldest}`,
    values: [tenantId, destinationId],
  });
  return row ?? { pending: 0, failed: 0, held: 0, unsentSince: null };
}
