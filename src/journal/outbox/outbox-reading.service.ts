import type { Deps } from '#src/infra/deps.ts';
import type { Database, SystemTx } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { numberEvents } from './outbox-order.store.ts';
import {
  type Cursor,
  holdsUnsettled,
  keepFailure,
  movePast,
  readCursor,
  readEvents,
  readHeads,
  readKinds,
  readWanted,
  skipEvent,
  slowDown,
} from './outbox-reading.store.ts';
import type { EventKind, EventSpan, OutboxConsumer, OutboxEvent, Position } from './outbox.ts';

export type Pass =
  /** `behind`: more events may be waiting. */
  | { outcome: 'handled'; events: number; behind: boolean }
  /** `held`: events are waiting but may not be read yet, because a transaction that began before theirs is still open. */
  | { outcome: 'idle'; held: boolean }
  /** Another worker serves the consumer. */
  | { outcome: 'locked' }
  /** The pause after a failure is not over. */
  | { outcome: 'backing_off'; ms: number };

/** A pass that failed, with its cursor and the events that were read, if any; the cause is the consumer's error. */
export class PassError extends Error {
  readonly cursor: Cursor;
  readonly events: OutboxEvent[];
  /** True if there was, or may have been, more than one event, so that the event at fault is unknown. */
  readonly isOfMany: boolean;

  constructor(cursor: Cursor, events: OutboxEvent[], cause: unknown, isOfMany: boolean) {
    const what = events.length === 1 ? 'an event' : 'events';
    super(`Handling ${what} failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'PassError';
    this.cursor = cursor;
    this.events = events;
    this.isOfMany = isOfMany;
  }
}

/**
 * A pass costs about 3 ms of processor time whatever the number of its events, half of it in Postgres, so a backlog is read in larger
 * batches. Otherwise batches are small: the events of a pass take effect together, at its end.
 */
const usualBatch = 500;
const backlogBatch = 2_000;
/** The most events to read with their data, because each may be large. */
const wholeBatch = 200;

/**
 * Passes one batch of events to a consumer, in order, once every older transaction has ended. The cursor moves past them in the transaction
 * of the consumer's own writes. Only one process at a time serves a consumer: the lock belongs to the transaction, so it is released the
 * moment its holder dies, and an idle pass writes nothing. Throws a PassError when the consumer fails.
 */
export async function relayBatch(database: Database, consumer: OutboxConsumer): Promise<Pass> {
  const pass = await passBatch(database, consumer);
  const mayWaitForNumbers = pass.outcome === 'idle' && pass.held;
  return mayWaitForNumbers && (await numberEvents(database)) > 0 ? passBatch(database, consumer) : pass;
}

async function passBatch(database: Database, consumer: OutboxConsumer): Promise<Pass> {
  return database.withSystem(async (client): Promise<Pass> => {
    if (!(await tryLockNamed(client, `outbox/${consumer.name}`))) return { outcome: 'locked' };
    // Read in a separate statement after the lock: the statement that takes the lock would see the cursor as of its own start.
    const cursor = await readCursor(client, consumer.name);
    if (!cursor) throw new Error(`The consumer ${consumer.name} has no cursor; open it first.`);
    if (cursor.retryInMs > 0) return { outcome: 'backing_off', ms: cursor.retryInMs };
    const batch = await readBatch(client, consumer, cursor);
    const { size, last, isFull } = batch;
    if (!last) return { outcome: 'idle', held: await holdsUnsettled(client, cursor) };
    try {
      const { reached, done } = await handleBatch(client, consumer, batch);
      const isAll = reached?.id === last.id;
      await moveCursor(client, consumer.name, cursor, reached, isAll && isFull);
      return { outcome: 'handled', events: isAll ? size : done, behind: !isAll || isFull };
    } catch (error) {
      throw new PassError(cursor, batch.events, error, batch.span !== undefined || batch.events.length > 1);
    }
  });
}

/** A batch: the number of its events, its last position, and the part for the consumer. */
interface Batch {
  size: number;
  last: Position | undefined;
  /** The kinds that the consumer wants; undefined if it gets `events` instead. */
  span?: EventSpan;
  events: OutboxEvent[];
  /** True if more events may follow. */
  isFull: boolean;
}

/** Events with their data, up to `limit`. */
const toBatch = (events: OutboxEvent[], limit: number): Batch => ({
  size: events.length,
  last: events.at(-1),
  events,
  isFull: events.length === limit,
});

async function readBatch(client: SystemTx, consumer: OutboxConsumer, cursor: Cursor): Promise<Batch> {
  // After a failure the consumer gets the events one by one, so that the one at fault is found.
  if (!consumer.wanted || cursor.batchSize === 1) {
    const limit = Math.min(cursor.batchSize, wholeBatch);
    return toBatch(await readEvents(client, cursor, limit), limit);
  }
  const kinds = await readKinds(client, cursor);
  const [last] = kinds;
  if (!last) return { size: 0, last, events: [], isFull: false };
  const wanted = await consumer.wanted(client, kinds).catch((error: unknown) => {
    throw new PassError(cursor, [], error, false);
  });
  const names = new Set(wanted.map(kindName));
  const span = { after: cursor, upTo: last, kinds: kinds.filter((kind) => names.has(kindName(kind))) };
  const batch = { size: last.batchEvents, last, isFull: last.batchEvents === cursor.batchSize, events: [] };
  if (wanted.length === 0) return batch;
  if (consumer.handleSpan) return { ...batch, span };
  const events = await readWanted(client, span, wholeBatch);
  return events.length === wholeBatch ? toBatch(events, wholeBatch) : { ...batch, events };
}

const kindName = ({ tenantId, topic }: EventKind): string => `${tenantId}/${topic}`;

/** Passes a batch to its consumer; returns the position up to which it was handled, and the number of events up to there, at most. */
async function handleBatch(
  client: SystemTx,
  consumer: OutboxConsumer,
  { size, last, span, events }: Batch,
): Promise<{ reached: Position | undefined; done: number }> {
  const reached = span && (await consumer.handleSpan?.(client, span));
  if (reached) return { reached, done: size };
  // A consumer that handles spans reads the data of events by itself.
  const given = span ? ((await readHeads(client, span)) as OutboxEvent[]) : events;
  const done = given.length > 0 ? await consumer.handle(client, given) : 0;
  return { reached: done === given.length ? last : given[done - 1], done };
}

/**
 * Moves the cursor past `last`. A batch size that a failure reduced grows again with each success, and in a backlog beyond the usual size.
 */
async function moveCursor(
  client: SystemTx,
  consumer: string,
  from: Cursor,
  last: Position | undefined,
  isBacklog: boolean,
): Promise<void> {
  if (!last)
    throw new Error(
      `The consumer ${consumer} returned a number that is not between 1 and the number of events it was given.`,
    );
  const isMoved = await movePast(
    client,
    consumer,
    from,
    last,
    Math.min(isBacklog ? backlogBatch : usualBatch, from.batchSize * 2),
  );
  if (!isMoved) throw new Error(`The cursor of ${consumer} was moved by another process.`);
}

// An event that fails is retried after these delays, then put aside, so that it delays the others for seconds only.
const retryDelaysMs = [100, 1_000, 5_000];

/**
 * Records that a pass failed. A batch is then retried one event at a time, and a single event after a pause. After its last attempt the
 * event is skipped: the consumer refuses it, and then stores it itself, or it is put aside in outbox_failures. Rejects while the database
 * does not respond, because the events are then not the cause.
 */
export async function recordFailure(
  { database, redactor }: Pick<Deps, 'database' | 'redactor'>,
  consumer: OutboxConsumer,
  failure: PassError,
): Promise<'retry' | 'refused' | 'put_aside'> {
  const { cursor, events, isOfMany } = failure;
  const [event] = events;
  const delay = isOfMany ? 0 : retryDelaysMs[cursor.failures];
  if (delay !== undefined || !event) {
    await slowDown(database, consumer.name, cursor, {
      failures: isOfMany ? 0 : cursor.failures + 1,
      delayMs: delay,
    });
    return 'retry';
  }
  return database.withSystem(async (client) => {
    // Another worker has handled the event meanwhile.
    if (!(await skipEvent(client, consumer.name, cursor, event))) return 'retry';
    const error = await refuse(client, consumer, event, failure);
    if (error === undefined) return 'refused';
    await keepFailure(client, consumer.name, event, redactor.text(error));
    return 'put_aside';
  });
}

/** Returns the error, or undefined if the consumer stores the event. */
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
