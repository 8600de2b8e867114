import { randomUUID } from 'node:crypto';
import type { z } from 'zod';
import { storableJson } from '#src/infra/json.ts';
import type { Channel } from '#src/infra/live/pubsub-topic.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { type Cause, writeCause } from '#src/infra/tracing/cause.ts';
import type { Topic } from './topic.ts';

/**
 * The origin of an event. The events of a run name the run, its depth in the chain of runs that started it, and the first run of that
 * chain.
 */
export interface EventMetadata {
  source?: string;
  run_id?: number;
  workflow_id?: number;
  depth?: number;
  root_run_id?: number;
  /** The trace context of the change, written as the header `traceparent` of W3C Trace Context. */
  traceparent?: string;
  /** The id that its sender gave the request which caused the change. */
  request_id?: string;
  [key: string]: unknown;
}

export interface NewEvent<Data extends z.ZodType = z.ZodType> {
  tenantId: string;
  topic: Topic<Data>;
  data: z.input<Data>;
  metadata?: EventMetadata;
  /** What the change follows from: its actor, most often. */
  cause?: Cause | undefined;
  /** From `newEventId`, where the caller stores it with the change; absent: a new one. */
  id?: string | undefined;
  /** When it happened, in ISO 8601; absent: now. */
  at?: string;
}

/** An event without its data. */
export interface OutboxHead {
  /** Its position in the outbox, together with `xid`. */
  id: number;
  xid: number;
  tenantId: string;
  topic: string;
  /** The size of its data in the database, where they may be compressed. */
  storedBytes: number;
}

export interface OutboxEvent extends OutboxHead {
  /** Its public id. */
  eventId: string;
  data: unknown;
  metadata: EventMetadata;
  createdAt: Date;
}

/** The events of one topic of one tenant. */
export type EventKind = Pick<OutboxEvent, 'tenantId' | 'topic'>;

/** The place of an event in the order of the outbox. */
export type Position = Pick<OutboxEvent, 'xid' | 'id'>;

/** The events of some kinds after one position, up to another, which is that of the last event of any kind. */
export interface EventSpan {
  after: Position;
  upTo: Position;
  kinds: KindInSpan[];
}

export interface KindInSpan extends EventKind {
  /** The number of events of this kind. */
  events: number;
  /** The size of their data in the database together. */
  storedBytes: number;
}

/** A reader of the outbox, with a cursor of its own. */
export interface OutboxConsumer {
  name: string;
  /** How long it gathers events before it reads them, in milliseconds; without it, a commit of events wakes it. */
  gatherMs?: number;
  /**
   * Returns those of the kinds that the consumer handles; events of the others are skipped without being read, because most events have no
   * receiver. Without this method, it gets every event.
   */
  wanted?(client: SystemTx, kinds: EventKind[]): Promise<EventKind[]>;
  /**
   * Handles the events of a span like `handle`, but without getting them, and returns the position up to which it did: all of them, or
   * fewer if all would take too long. Returns undefined, having done nothing, if it needs the events: it then gets them without their data,
   * and reads what it needs with `readEventsByHead`.
   */
  handleSpan?(client: SystemTx, span: EventSpan): Promise<Position | undefined>;
  /**
   * Works in the transaction that also moves the cursor, so that each event takes effect once. Returns the number of events, from the
   * first, that it has handled: all of them, or fewer (at least one) if all would take too long.
   */
  handle(client: SystemTx, events: OutboxEvent[]): Promise<number>;
  /**
   * Stores an event that it could not handle, with the reason, where the users who expect it see it. Without this method, or if it fails
   * too, the event is put aside in outbox_failures, for an operator.
   */
  refuse?(client: SystemTx, event: OutboxEvent, error: unknown): Promise<void>;
}

declare module '#src/infra/services.ts' {
  interface Services {
    /** All readers of the outbox. A new one begins with the oldest stored event. */
    consumers: readonly OutboxConsumer[];
  }
}

/**
 * The statement that writes the events of `source`, a table expression with the columns tenant_id, topic, data and metadata (jsonb). A
 * statement that changes many rows takes it as one of its CTEs, so that their events cost no round trip, and then calls `wakeRelay`; all
 * other callers use `publishEvent`. Receivers order events by their time, so it is the time of this statement, which holds its locks: the
 * transaction may have begun long before, and waited for another that changed the same resource.
 */
export const insertEventsSql = (source: string, at = 'clock_timestamp()'): string => `
  INSERT INTO outbox_events (tenant_id, topic, data, metadata, created_at)
  SELECT tenant_id, topic, data, metadata, ${at} FROM ${source}`;

/** The channel that wakes the relay. */
export const outboxChannel: Channel<true> = { name: 'causeway_outbox', parse: () => true, keys: () => ['relay'] };

export const wakeRelay = (tx: Tx): void => tx.notify(outboxChannel.name, [1]);

/** An id of version 7, which begins with the time in milliseconds like those that the database gives (see docs/decisions/event-ids-by-time.md). */
export function newEventId(): string {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const insertNamedSql = (source: string): string => `
  INSERT INTO outbox_events (tenant_id, event_id, topic, data, metadata, created_at)
  SELECT tenant_id, event_id, topic, data, metadata, COALESCE(at, clock_timestamp()) FROM ${source}`;

const writeMetadata = ({ metadata = {}, cause = {} }: Pick<NewEvent, 'metadata' | 'cause'>): EventMetadata => ({
  ...metadata,
  ...writeCause(cause),
});

const insertOne = insertNamedSql(
  '(VALUES ($1, $2::uuid, $3, $4::jsonb, $5::jsonb, $6::timestamptz)) AS event(tenant_id, event_id, topic, data, metadata, at)',
);

/**
 * Writes an event in the transaction of the change that it reports, and returns its id. The relay is woken when the
 * transaction commits.
 */
export async function publishEvent<Data extends z.ZodType>(tx: Tx, event: NewEvent<Data>): Promise<string> {
  const data = storableJson(event.topic.data.parse(event.data), 'data');
  const metadata = storableJson(writeMetadata(event), 'metadata');
  const id = event.id ?? newEventId();
  await tx.query({
    name: 'publish-event',
    text: insertOne,
    values: [event.tenantId, id, event.topic.name, data, metadata, event.at],
  });
  wakeRelay(tx);
  return id;
}

const insertMany = insertNamedSql(
  'jsonb_to_recordset($1::jsonb) AS event(tenant_id text, event_id uuid, topic text, data jsonb, metadata jsonb, at timestamptz)',
);

/** The same for many events in one statement. */
export async function publishEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ id = newEventId(), at, tenantId, topic, data, ...event }) => ({
    tenant_id: tenantId,
    event_id: id,
    topic: topic.name,
    data: topic.data.parse(data),
    metadata: writeMetadata(event),
    at,
  }));
  await tx.query({ name: 'publish-events', text: insertMany, values: [storableJson(rows, 'data')] });
  wakeRelay(tx);
}
