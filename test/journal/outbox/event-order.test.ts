import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { countFailedRuns } from '#src/automation/runs/backlog.reads.ts';
import type { EventOrder } from '#src/infra/migrations/event-order.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { numberEvents } from '#src/journal/outbox/outbox-order.store.ts';
import { relayBatch } from '#src/journal/outbox/outbox-reading.service.ts';
import { openCursor } from '#src/journal/outbox/outbox-upkeep.store.ts';
import { type OutboxConsumer, publishEvent } from '#src/journal/outbox/outbox.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { orderEvents } from '#test/setup/event-order.ts';
import { anyTopic } from '#test/setup/topics.ts';

let url: string;
let drop: () => Promise<void>;
let database: Database;
beforeAll(async () => {
  ({ url, drop } = await cloneDatabase());
  database = openDatabase({ url, poolSize: 20 });
  await database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
  await database.global.tenant.create({ data: { id: 'one', orgId: 'acme', name: 'one' } });
});
afterAll(async () => {
  await database.close();
  await drop();
});
beforeEach(async () => {
  await orderEvents(url, 'snapshot');
  await database.system.query('DELETE FROM outbox_events');
  await database.system.query('DELETE FROM outbox_cursors');
});

let names = 0;
/** Makes a separate consumer for each test. `read` has the events that it has read. */
async function newConsumer(): Promise<{ consumer: OutboxConsumer; read: unknown[] }> {
  const read: unknown[] = [];
  const consumer: OutboxConsumer = {
    name: `test-${(names += 1)}`,
    handle: async (_client, events) => read.push(...events.map(({ data }) => data)) && events.length,
  };
  await openCursor(database, consumer.name);
  return { consumer, read };
}

const publish = (data: unknown, topic = 'thing.made') =>
  database.withTenant('one', (tx) => publishEvent(tx, { tenantId: 'one', topic: anyTopic(topic), data }));

/** Reads until nothing is left, because transactions of other tests on the same server may delay events. */
async function drain(consumer: OutboxConsumer): Promise<void> {
  for (;;) {
    const pass = await relayBatch(database, consumer);
    if (pass.outcome === 'idle' && !pass.held) return;
    if (pass.outcome !== 'handled') await delay(2);
  }
}

test('no event is lost or read twice while the order changes again and again between writers and a reader', async () => {
  const { consumer, read } = await newConsumer();
  const isWritten = new AbortController();
  const reading = (async () => {
    while (!isWritten.signal.aborted) {
      await relayBatch(database, consumer);
      await delay(1);
    }
    await drain(consumer);
  })();
  const writing = Promise.all(
    Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; n < 60; n += 1) {
        await database.withTenant('one', async (tx) => {
          await publishEvent(tx, { tenantId: 'one', topic: anyTopic('thing.made'), data: `${writer}/${n}` });
          await delay((writer + n) % 5);
        });
      }
    }),
  );
  for (const order of ['sequence', 'snapshot', 'sequence', 'snapshot', 'sequence'] satisfies EventOrder[]) {
    await delay(30);
    await orderEvents(url, order);
  }
  await writing;
  isWritten.abort();
  await reading;
  const expected = Array.from({ length: 8 }, (_, writer) => Array.from({ length: 60 }, (_, n) => `${writer}/${n}`));
  // Events that one writer commits in sequence are read in that sequence.
  for (const [writer, own] of expected.entries())
    expect(read.filter((data) => String(data).startsWith(`${writer}/`))).toEqual(own);
  expect(read).toHaveLength(8 * 60);
});

test('an event that commits after a later one is read after it, in the next pass', async () => {
  await orderEvents(url, 'sequence');
  const { consumer, read } = await newConsumer();
  const late = await database.system.connect();
  await late.query(`BEGIN; INSERT INTO outbox_events (tenant_id, topic, data) VALUES ('one', 'thing.made', '"late"')`);
  await publish('early');
  await drain(consumer);
  expect(read).toEqual(['early']);
  await late.query('COMMIT');
  late.release();
  await drain(consumer);
  expect(read).toEqual(['early', 'late']);
});

test('an event of a transaction that was open during both changes is read, although later events were read before it', async () => {
  const { consumer, read } = await newConsumer();
  const open = await database.system.connect();
  await open.query('BEGIN; SELECT pg_current_xact_id()');
  await orderEvents(url, 'sequence');
  await publish('first');
  await drain(consumer);
  await orderEvents(url, 'snapshot');
  await open.query(`INSERT INTO outbox_events (tenant_id, topic, data) VALUES ('one', 'thing.made', '"late"')`);
  await open.query('COMMIT');
  open.release();
  await drain(consumer);
  expect(read).toEqual(['first', 'late']);
});

test('the order cannot change while a tenant is closed for a move, because the move has recorded a position', async () => {
  const owner = new pg.Client({ connectionString: url });
  await owner.connect();
  await owner.query(
    `INSERT INTO tenant_moves (tenant, move_id, direction, state, read_to)
     VALUES ('two', gen_random_uuid(), 'out', 'closed', '{"xid": "1", "id": "1"}')`,
  );
  await expect(orderEvents(url, 'sequence')).rejects.toThrow(/The tenant two is closed for a move.*tenant reopen/);
  await owner.query('DELETE FROM tenant_moves');
  await orderEvents(url, 'sequence');
  await owner.end();
});

test('positions stay exact as doubles however often the order changes', async () => {
  const { consumer, read } = await newConsumer();
  const idle = await newConsumer();
  const events = Array.from({ length: 6 }, (_, round) => `event ${round}`);
  // The numbers overtake the id of this open transaction.
  const open = await database.system.connect();
  await open.query('BEGIN; SELECT pg_current_xact_id()');
  for (const event of events) {
    await orderEvents(url, 'sequence');
    await publish(event);
    await drain(consumer);
    await orderEvents(url, 'snapshot');
  }
  await open.query('COMMIT');
  open.release();
  const { rows } = await database.system.query<{ xid: string }>(
    'SELECT xid::text FROM outbox_events UNION SELECT xid::text FROM outbox_cursors',
  );
  expect(rows.filter(({ xid }) => String(Number(xid)) !== xid)).toEqual([]);
  expect(read).toEqual(events);
  await drain(idle.consumer);
  expect(idle.read).toEqual(events);
});

test('numbers are given by one process at a time, and only if events wait for them', async () => {
  await publish('by transaction');
  expect(await numberEvents(database)).toBe(0);
  await orderEvents(url, 'sequence');
  expect(await numberEvents(database)).toBe(0);
  const readNumber = async () =>
    (await database.system.query<{ number: number }>('SELECT number FROM outbox_order')).rows[0];
  const before = await readNumber();
  for (let n = 0; n < 20; n += 1) await publish(n);
  const given = await Promise.all(Array.from({ length: 6 }, () => numberEvents(database)));
  expect(given.toSorted((a, b) => b - a)).toEqual([20, 0, 0, 0, 0, 0]);
  expect(await numberEvents(database)).toBe(0);
  expect(await readNumber()).toEqual({ number: (before?.number ?? 0) + 1 });
});

test('each failed run is counted once, whatever the order changes to', async () => {
  let { until } = await countFailedRuns(database, undefined);
  let counted = 0;
  let published = 0;
  for (const order of ['sequence', 'snapshot', 'sequence'] satisfies EventOrder[]) {
    await publish({}, 'run.failed');
    await orderEvents(url, order);
    await publish({}, 'run.failed');
    await numberEvents(database);
    published += 2;
    const count = async () => {
      const reading = await countFailedRuns(database, until);
      ({ until } = reading);
      return (counted += reading.failed);
    };
    // Transactions of other tests hold events up on the server they share.
    await expect.poll(count, { timeout: 30_000 }).toBe(published);
  }
  expect((await countFailedRuns(database, until)).failed).toBe(0);
});

// Written by hand as in a restored dump: the numbers are far above those of the server's transactions.
const former = 1e12;
const restore = async (...events: string[]): Promise<void> => {
  for (const [n, data] of events.entries()) {
    await database.system.query(
      `INSERT INTO outbox_events (id, tenant_id, topic, data, xid) VALUES ($1, 'one', 'thing.made', $2, $3)`,
      [1_000_000 - n, JSON.stringify(data), former + n],
    );
  }
};

test('readers continue in a database restored from a dump, where transaction ids start again', async () => {
  const [far, slow] = [await newConsumer(), await newConsumer()];
  await restore('read', 'unread', 'last');
  await database.system.query('UPDATE outbox_cursors SET xid = $2, id = 1000000 WHERE consumer = $1', [
    far.consumer.name,
    former,
  ]);
  await database.system.query('UPDATE outbox_cursors SET xid = 2, id = 1 WHERE consumer = $1', [slow.consumer.name]);
  await publish('new');
  await Promise.all([far, slow, far].map(({ consumer }) => openCursor(database, consumer.name)));
  await drain(far.consumer);
  expect(far.read).toEqual(['unread', 'last', 'new']);
  await drain(slow.consumer);
  expect(slow.read).toEqual(['read', 'unread', 'last', 'new']);
});

test('readers continue after numbers were restored from a dump, and after a change to the order of transactions', async () => {
  await orderEvents(url, 'sequence');
  const { consumer, read } = await newConsumer();
  await restore('read', 'unread');
  await database.system.query('UPDATE outbox_order SET number = $1', [former + 1]);
  await database.system.query('UPDATE outbox_cursors SET xid = $2, id = 1000000 WHERE consumer = $1', [
    consumer.name,
    former,
  ]);
  await openCursor(database, consumer.name);
  await publish('waits');
  await orderEvents(url, 'snapshot');
  await publish('new');
  await drain(consumer);
  expect(read).toEqual(['unread', 'waits', 'new']);
});
