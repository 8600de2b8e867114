import type { Database } from '#src/infra/postgres/database.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import type { FailureKey } from './outbox.inputs.ts';

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
    const [, id, consumer] = /^(\d{1,15}):([a-z0-9-]{1,100})$/.exec(text) ?? [];
    return consumer === undefined ? undefined : [Number(id), consumer];
  },
};

const columns = `f.id, f.consumer, f.event_id AS "eventId", f.tenant_id AS "tenantId", e.topic, f.error,
  e.created_at AS "publishedAt", f.created_at AS "createdAt"`;

/** A page of the events of all tenants that were put aside, newest first. */
export async function listFailures(
  { system }: Database,
  { take, skip, backwards, after, before }: KeyPage<Place>,
): Promise<OutboxFailure[]> {
  const way = backwards ? 'ASC' : 'DESC';
  const { rows } = await system.query<OutboxFailure>(
    `SELECT ${columns}
     FROM outbox_failures f JOIN outbox_events e ON e.id = f.id
     WHERE ($1::bigint IS NULL OR (f.id, f.consumer) < ($1, $2::text)) AND ($3::bigint IS NULL OR (f.id, f.consumer) > ($3, $4::text))
     ORDER BY f.id ${way}, f.consumer ${way} LIMIT $5 OFFSET $6`,
    [after?.[0] ?? null, after?.[1] ?? null, before?.[0] ?? null, before?.[1] ?? null, take, skip],
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

/** The number of events that were put aside, up to `most`. */
export async function countFailures({ system }: Database, most: number): Promise<number> {
  const { rows } = await system.query<{ count: number }>(
    'SELECT count(*) AS count FROM (SELECT FROM outbox_failures LIMIT $1) AS counted',
    [most],
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
