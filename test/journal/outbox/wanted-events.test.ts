import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { eventOrders } from '#src/infra/migrations/event-order.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { type PassError, recordFailure, relayBatch } from '#src/journal/outbox/outbox-reading.service.ts';
import { readPart } from '#src/journal/outbox/outbox-reading.store.ts';
import { openCursor } from '#src/journal/outbox/outbox-upkeep.store.ts';
import { type EventSpan, type OutboxConsumer, publishEvent } from '#src/journal/outbox/outbox.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { orderEvents } from '#test/setup/event-order.ts';
import { anyTopic } from '#test/setup/topics.ts';

describe.each(eventOrders)('Events in the order: %s', (order) => {
  let database: Database;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const clone = await cloneDatabase();
    ({ drop } = clone);
    await orderEvents(clone.url, order);
    database = openDatabase({ url: clone.url, poolSize: 2 });
    await database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
    await database.global.tenant.createMany({ data: ['one', 'two'].map((id) => ({ id, orgId: 'acme', name: id })) });
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });

  /** A consumer that reports the kinds it is asked about, and the events it is given. */
  async function createConsumer(name: string, wanted: NonNullable<OutboxConsumer['wanted']>) {
    const asked: string[][] = [];
    const given: string[] = [];
    const consumer: OutboxConsumer = {
      name,
      async wanted(client, kinds) {
        asked.push(kinds.map(({ tenantId, topic }) => `${tenantId} ${topic}`).toSorted());
        return wanted(client, kinds);
      },
      async handle(_client, events) {
        given.push(...events.map(({ tenantId, topic }) => `${tenantId} ${topic}`));
        return events.length;
      },
    };
    await openCursor(database, name);
    return { consumer, asked, given };
  }

  /** Writes in one transaction. With several, a pass might read only some of them while another test has an older open transaction. */
  async function publish(...events: [tenantId: string, topic: string][]): Promise<void> {
    await database.withSystem(async (tx) => {
      for (const [tenantId, topic] of events) await publishEvent(tx, { tenantId, topic: anyTopic(topic), data: null });
    });
  }

  /** Passes until nothing is left to read, as the relay does, but without its pauses. */
  async function drain(consumer: OutboxConsumer): Promise<void> {
    const isDone = async (): Promise<boolean> => {
      await database.system.query('UPDATE outbox_cursors SET retry_at = NULL');
      const pass = await relayBatch(database, consumer).catch(async (error: PassError) => {
        await recordFailure({ database, redactor: createRedactor() }, consumer, error);
      });
      return pass?.outcome === 'idle' && !pass.held;
    };
    // Transactions of other tests on the same server may delay events.
    await expect.poll(isDone, { interval: 5, timeout: 20_000 }).toBe(true);
  }

  test('events without a subscriber are skipped, and events of the wanted kinds are delivered in order', async () => {
    const { consumer, asked, given } = await createConsumer('choosing', async (_client, kinds) =>
      kinds.filter(({ tenantId, topic }) => tenantId === 'one' && topic !== 'thing.lost'),
    );
    await publish(['one', 'thing.lost'], ['two', 'thing.made']);
    await drain(consumer);
    expect(given).toEqual([]);
    expect(asked.flat()).toEqual(expect.arrayContaining(['one thing.lost', 'two thing.made']));
    await publish(['one', 'thing.made'], ['two', 'thing.made'], ['one', 'thing.sold'], ['one', 'thing.lost']);
    await drain(consumer);
    expect(given).toEqual(['one thing.made', 'one thing.sold']);
  });

  test('a consumer without `wanted` gets every event', async () => {
    const { consumer, given } = await createConsumer('doubting', async () => {
      throw new Error('It cannot tell.');
    });
    await database.system.query('DELETE FROM outbox_events');
    await publish(['one', 'thing.made'], ['two', 'thing.lost'], ['one', 'thing.sold']);
    await drain(consumer);
    expect(given).toEqual(['one thing.made', 'two thing.lost', 'one thing.sold']);
  });

  test('at most 200 events are read with their data at a time, and none is missed', async () => {
    await database.system.query('DELETE FROM outbox_events');
    await database.system.query(
      `INSERT INTO outbox_events (tenant_id, topic, data, metadata) SELECT CASE n % 3 WHEN 0 THEN 'two' ELSE 'one' END, 'thing.made', to_jsonb(n), '{}'
     FROM generate_series(1, 1000) AS n`,
    );
    const batches: unknown[][] = [];
    const consumer: OutboxConsumer = {
      name: 'reading-much',
      wanted: async (_client, kinds) => kinds.filter(({ tenantId }) => tenantId === 'one'),
      async handle(_client, events) {
        batches.push(events.map(({ data }) => data));
        return events.length;
      },
    };
    await openCursor(database, consumer.name);
    await drain(consumer);
    expect(batches.flat()).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1).filter((n) => n % 3 !== 0));
    expect(Math.max(...batches.map(({ length }) => length))).toBe(200);
  });

  /** A consumer of spans, which reports how many events it was given together, and those it was given one by one. */
  async function spanConsumer(name: string, handleSpan: NonNullable<OutboxConsumer['handleSpan']>) {
    await database.system.query('DELETE FROM outbox_events');
    const spans: EventSpan[] = [];
    const given: string[][] = [];
    const consumer: OutboxConsumer = {
      name,
      wanted: async (_client, kinds) => kinds.filter(({ topic }) => topic !== 'thing.lost'),
      async handleSpan(client, span) {
        spans.push(span);
        return handleSpan(client, span);
      },
      async handle(_client, events) {
        given.push(events.map(({ tenantId, topic }) => `${tenantId} ${topic}`));
        return events.length;
      },
    };
    await openCursor(database, name);
    return { consumer, spans, given };
  }

  const someEvents: [string, string][] = [
    ['one', 'thing.made'],
    ['two', 'thing.lost'],
    ['two', 'thing.made'],
    ['one', 'thing.made'],
  ];

  test('a consumer of spans gets the kinds of a span without its events', async () => {
    const { consumer, spans, given } = await spanConsumer('spanning', async (_client, { upTo }) => upTo);
    await publish(...someEvents);
    await drain(consumer);
    const seen = spans.flatMap(({ kinds }) => kinds);
    const count = (of: string): number =>
      seen.filter(({ tenantId }) => tenantId === of).reduce((sum, { events }) => sum + events, 0);
    expect([count('one'), count('two')]).toEqual([2, 1]);
    expect(seen.every(({ topic, storedBytes }) => topic === 'thing.made' && storedBytes > 0)).toBe(true);
    expect(given).toEqual([]);
  });

  test('a consumer that handled a part of a span gets the rest next', async () => {
    const kinds: (string | undefined)[][] = [];
    const { consumer, spans } = await spanConsumer('spanning-parts', async (client, span) => {
      const part = await readPart(client, span, { costs: span.kinds.map(() => 2), cost: 3, storedBytes: 1_000 });
      kinds.push(part?.places.map((place) => span.kinds[place]?.tenantId) ?? []);
      return part?.upTo;
    });
    await publish(...someEvents);
    await drain(consumer);
    const left = spans.map(({ kinds }) => kinds.reduce((sum, { events }) => sum + events, 0));
    expect(left.slice(-3)).toEqual([3, 2, 1]);
    expect(kinds.slice(-3)).toEqual([['one'], ['two'], ['one']]);
  });

  test('a consumer that cannot handle a span gets the heads of its events, in order', async () => {
    const { consumer, given } = await spanConsumer('spanning-heads', async () => undefined);
    await publish(...someEvents);
    await drain(consumer);
    expect(given.flat()).toEqual(['one thing.made', 'two thing.made', 'one thing.made']);
  });

  test('a consumer that fails on a span gets all events, wanted or not, one by one', async () => {
    const { consumer, spans, given } = await spanConsumer('spanning-badly', async () => {
      throw new Error('It is too much.');
    });
    await publish(...someEvents);
    await drain(consumer);
    expect(spans).not.toEqual([]);
    expect(given.flat()).toEqual(someEvents.map(([tenantId, topic]) => `${tenantId} ${topic}`));
  });
});
