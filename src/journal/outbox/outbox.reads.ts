import type { Database } from '#src/infra/postgres/database.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import type { FailureFilter, FailureKey } from './outbox.inputs.ts';

/** An event that a consumer could neither handle nor refuse, and that was put aside. */
export interface OutboxFailure {
  /** The event's place in the outbox. */
  id: number;
  consumer: string;
  eventId: string;
  tenantId: string;
  topic: string;
  error: string;
  publishedAt: Date;
  createdAt: Date;
}

type Place = [id: number, consumer: string];

/** Cursors of failures. They name the consumer too, because several consumers may fail on one event. */
export const failureCursors: Cursors<OutboxFailure, Place> = {
  write: ({ id, consumer }) => `${id}:${consumer}`,
  read(text) {
    const [, id, consumer] = /^(\d{1,16}):([a-z0-9-]{1,100})$/.exec(text) ?? [];
    return consumer === undefined ? undefined : [Number(id), consumer];
  },
};

const columns = `f.id, f.consumer, f.event_id AS "eventId", f.tenant_id AS "tenantId", e.topic, f.error,
  e.created_at AS "publishedAt", f.created_at AS "createdAt"`;

/** The failures within the filter with their events, for a FROM. */
function failuresWithin({ consumer, topic, tenantId, since, until }: FailureFilter, parameters: SqlParameters): string {
  const where = ['true'];
  if (consumer != null) where.push(`f.consumer = ${parameters.add(consumer)}`);
  if (topic != null) where.push(`e.topic = ${parameters.add(topic)}`);
  if (tenantId != null) where.push(`f.tenant_id = ${parameters.add(tenantId)}`);
  if (since) where.push(`f.created_at >= ${parameters.add(since)}`);
  if (until) where.push(`f.created_at < ${parameters.add(until)}`);
  return `outbox_failures f JOIN outbox_events e ON e.id = f.id WHERE ${where.join(' AND ')}`;
}

/** A page of the events of all tenants that were put aside, within the filter, newest first. */
export async function listFailures(
  { system }: Database,
  filter: FailureFilter,
  { take, skip, backwards, after, before }: KeyPage<Place>,
): Promise<OutboxFailure[]> {
  const way = backwards ? 'ASC' : 'DESC';
  const parameters = new SqlParameters();
  let from = failuresWithin(filter, parameters);
  const at = ([id, consumer]: Place) => `(${parameters.add(id)}::bigint, ${parameters.add(consumer)}::text)`;
  if (after) from += ` AND (f.id, f.consumer) < ${at(after)}`;
  if (before) from += ` AND (f.id, f.consumer) > ${at(before)}`;
  const { rows } = await system.query<OutboxFailure>(
    `SELECT ${columns} FROM ${from}
     ORDER BY f.id ${way}, f.consumer ${way} LIMIT ${parameters.add(take)} OFFSET ${parameters.add(skip)}`,
    parameters.values,
  );
  return rows;
}

/** One event that was put aside, for this consumer. */
export async function findFailure(
  { system }: Database,
  { consumer, eventId }: FailureKey,
): Promise<OutboxFailure | undefined> {
  const { rows } = await system.query<OutboxFailure>(
    `SELECT ${columns} FROM outbox_failures f JOIN outbox_events e ON e.id = f.id WHERE f.consumer = $1 AND f.event_id = $2`,
    [consumer, eventId],
  );
  return rows[0];
}

/** The number of events that were put aside, within the filter, up to `most`. */
export async function countFailures({ system }: Database, filter: FailureFilter, most: number): Promise<number> {
  const parameters = new SqlParameters();
  const from = failuresWithin(filter, parameters);
  const { rows } = await system.query<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT FROM ${from} LIMIT ${parameters.add(most)}) AS counted`,
    parameters.values,
  );
  return rows[0]?.count ?? 0;
}

/** The backlog and the failures of a consumer of the outbox. */
export interface ConsumerHealth {
  consumer: string;
  /** Its events that were put aside. */
  failures: number;
  /** Age of the oldest event that it has not read; 0 if it has read all. */
  lagSeconds: number;
}

export async function consumersHealth({ system }: Database): Promise<ConsumerHealth[]> {
  const { rows } = await system.query<ConsumerHealth>(
    `SELECT c.consumer, (SELECT count(*) FROM outbox_failures f WHERE f.consumer = c.consumer) AS failures,
       coalesce((
         SELECT greatest(0, extract(epoch FROM clock_timestamp() - e.created_at)) FROM outbox_events e
         WHERE (e.xid, e.id) > (c.xid, c.id) ORDER BY e.xid, e.id LIMIT 1
       ), 0)::float8 AS "lagSeconds"
     FROM outbox_cursors c ORDER BY c.consumer`,
  );
  return rows;
}
