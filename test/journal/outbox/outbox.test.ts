import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { eventOrders } from '#src/infra/migrations/event-order.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { parseNotice } from '#src/infra/postgres/notices.ts';
import { type Pass, PassError, recordFailure, relayBatch } from '#src/journal/outbox/outbox-reading.service.ts';
import { readEventsSql } from '#src/journal/outbox/outbox-reading.store.ts';
import { openCursor, sweepOutbox } from '#src/journal/outbox/outbox-upkeep.store.ts';
import { type OutboxConsumer, type OutboxEvent, publishEvent } from '#src/journal/outbox/outbox.ts';
import { cloneDatabase } from '#test/setup/database.ts';
import { orderEvents } from '#test/setup/event-order.ts';
import { anyTopic } from '#test/setup/topics.ts';

describe.each(eventOrders)('Events in the order: %s', (order) => {
  const tenants = ['one', 'two'];
  let url: string;
  let drop: () => Promise<void>;
  let database: Database;
  beforeAll(async () => {
    ({ url, drop } = await cloneDatabase());
    await orderEvents(url, order);
    database = openDatabase({ url, poolSize: 60 });
    await database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
    await database.global.tenant.createMany({ data: tenants.map((id) => ({ id, orgId: 'acme', name: id })) });
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });

  let names = 0;
  /** A consumer of its own for each test, with a cursor behind everything that other tests wrote. */
  async function newConsumer(handle: OutboxConsumer['handle']): Promise<OutboxConsumer> {
    const consumer = { name: `test-${(names += 1)}`, handle };
    await openCursor(database, consumer.name);
    return consumer;
  }

  beforeEach(async () => {
    await database.system.query('DELETE FROM outbox_events');
    await database.system.query('DELETE FROM outbox_cursors');
  });

  const publish = (data: unknown, tenantId = 'one') =>
    database.withTenant(tenantId, (tx) => publishEvent(tx, { tenantId, topic: anyTopic('thing.made'), data }));

  const redactor = createRedactor();

  async function catchFailure(consumer: OutboxConsumer): Promise<PassError> {
    const error: unknown = await relayPass(database, consumer).catch((failure: unknown) => failure);
    if (!(error instanceof PassError)) throw new Error('The pass did not fail.');
    return error;
  }

  /** Makes a pass over existing events. It waits for transactions of other tests on the same server, which may delay events. */
  async function relayPass(through: Database, consumer: OutboxConsumer): Promise<Pass> {
    for (;;) {
      const pass = await relayBatch(through, consumer);
      if (pass.outcome !== 'idle' || !pass.held) return pass;
      await delay(2);
    }
  }

  /** Passes until nothing is left to read; failures are recorded like the relay does, and the pauses after them are skipped. */
  async function drain(consumer: OutboxConsumer, through = database): Promise<void> {
    for (;;) {
      let pass: Pass;
      try {
        pass = await relayBatch(through, consumer);
      } catch (error) {
        if (!(error instanceof PassError)) throw error;
        await recordFailure({ database: through, redactor }, consumer, error);
        continue;
      }
      if (pass.outcome === 'idle' && !pass.held) return;
      if (pass.outcome === 'backing_off')
        await through.system.query('UPDATE outbox_cursors SET retry_at = NULL WHERE consumer = $1', [consumer.name]);
      else if (pass.outcome !== 'handled') await delay(2);
    }
  }

  describe('writing events', () => {
    test('keeps an event only if its transaction commits, and only for its tenant', async () => {
      const failed = database.withTenant('one', async (tx) => {
        await publishEvent(tx, { tenantId: 'one', topic: anyTopic('thing.made'), data: 1 });
        throw new Error('the change fails');
      });
      await expect(failed).rejects.toThrow('the change fails');
      const eventId = await publish({ n: 2 });
      const seen = (tenantId: string) =>
        database.withTenant(tenantId, (tx) => tx.outboxEvent.findMany({ select: { eventId: true } }));
      expect(await seen('one')).toEqual([{ eventId }]);
      expect(await seen('two')).toEqual([]);
      const forged = database.withTenant('two', (tx) =>
        publishEvent(tx, { tenantId: 'one', topic: anyTopic('thing.made'), data: 3 }),
      );
      await expect(forged).rejects.toThrow(/row-level security/);
    });

    test('accepts any JSON, null too, and refuses what Postgres cannot store', async () => {
      await publish(null);
      await expect(publish({ text: 'a\0b' })).rejects.toMatchObject({ fields: { data: [expect.any(String)] } });
      const { rows } = await database.system.query('SELECT data, metadata FROM outbox_events');
      expect(rows).toEqual([{ data: null, metadata: {} }]);
    });

    test('sends one notice for a transaction, however many events it writes', async () => {
      // Notices of earlier commits are sent a little later.
      await database.notices.flushed();
      const client = await database.system.connect();
      const notices: string[] = [];
      client.on('notification', ({ payload }) => notices.push(payload ?? ''));
      await client.query('LISTEN causeway_outbox');
      await database.withTenant('one', async (tx) => {
        for (const data of [1, 2, 3]) await publishEvent(tx, { tenantId: 'one', topic: anyTopic('thing.made'), data });
      });
      await database.notices.flushed();
      await client.query('UNLISTEN *');
      client.release(true);
      // Notices without entries are heartbeats.
      expect(notices.flatMap((payload) => parseNotice(payload)?.entries)).toEqual([1]);
    });
  });

  describe('reading events', () => {
    test('loses none and keeps the order when twenty writers commit late and out of order', async () => {
      const read: OutboxEvent[] = [];
      const consumer = await newConsumer(async (_client, events) => read.push(...events) && events.length);
      const written = new AbortController();
      const reading = (async () => {
        while (!written.signal.aborted) {
          await relayBatch(database, consumer);
          await delay(1);
        }
        await drain(consumer);
      })();

      // The first transaction to begin is the last to commit. Reading by id alone would miss its event.
      const late = await database.system.connect();
      // The writers may take longer than the idle timeout of the system's transactions.
      await late.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
      await late.query(`INSERT INTO outbox_events (tenant_id, topic, data) VALUES ('one', 'thing.made', '"late"')`);
      const writers = Array.from({ length: 20 }, async (_, writer) => {
        for (let n = 0; n < 15; n++) {
          await database.withSystem(async (client) => {
            await client.query(`INSERT INTO outbox_events (tenant_id, topic, data) VALUES ('one', 'thing.made', $1)`, [
              JSON.stringify(`${writer}/${n}`),
            ]);
            await delay((writer * 7 + n * 13) % 25);
          });
        }
      });
      await Promise.all(writers);
      await delay(50);
      // With numbers, committed events can be read. In the order of transactions, they wait for the oldest open one.
      if (order === 'snapshot') expect(read).toEqual([]);
      else await expect.poll(() => read.length, { timeout: 30_000 }).toBe(300);
      await late.query('COMMIT');
      late.release();
      written.abort();
      await reading;

      const { rows } = await database.system.query<{ id: number }>('SELECT id FROM outbox_events ORDER BY xid, id');
      expect(rows).toHaveLength(301);
      expect(read.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
      expect(read.at(order === 'snapshot' ? 0 : -1)?.data).toBe('late');
    });

    test('does nothing while another process works, and takes over when its connection is killed', async () => {
      const other = openDatabase({ url, poolSize: 2, applicationName: 'other-relay' });
      await asOwner('CREATE TABLE receipts (event_id uuid)');
      await asOwner('GRANT SELECT, INSERT ON receipts TO causeway_system');
      const write: OutboxConsumer['handle'] = async (client, events) => {
        for (const { eventId } of events) await client.query('INSERT INTO receipts VALUES ($1)', [eventId]);
        return events.length;
      };
      const started = Promise.withResolvers<void>();
      const consumer = await newConsumer(write);
      const stuck: OutboxConsumer = {
        name: consumer.name,
        async handle(client, events) {
          await write(client, events);
          started.resolve();
          await client.query('SELECT pg_sleep(20)');
          return events.length;
        },
      };
      const ids = [await publish(1), await publish(2)];
      const pass = relayPass(other, stuck).catch((error: unknown) => error);
      await started.promise;
      expect(await relayBatch(database, consumer)).toEqual({ outcome: 'locked' });
      await asOwner(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'other-relay'`);
      expect(await pass).toBeInstanceOf(PassError);
      await drain(consumer);
      const { rows } = await database.system.query<{ event_id: string }>('SELECT event_id FROM receipts');
      expect(rows.map(({ event_id: id }) => id)).toEqual(ids);
      await other.close();
    });

    test('puts an event aside that fails every time, and handles all the others once and in order', async () => {
      const read: unknown[] = [];
      const consumer = await newConsumer(async (_client, events) => {
        if (events.some(({ data }) => data === 5)) throw new Error('five is right out');
        read.push(...events.map(({ data }) => data));
        return events.length;
      });
      for (let n = 1; n <= 12; n++) await publish(n);
      await drain(consumer);
      expect(read).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12]);
      const { rows } = await database.system.query(
        `SELECT f.error, e.data FROM outbox_failures f JOIN outbox_events e USING (id)`,
      );
      expect(rows).toEqual([{ error: expect.stringContaining('five is right out'), data: 5 }]);
    });

    test('lets a consumer refuse an event, and puts it aside without secrets if that fails', async () => {
      redactor.add('hunter-two');
      const refused: unknown[] = [];
      const consumer: OutboxConsumer = {
        ...(await newConsumer(async (_client, [event]) => {
          throw new Error(`No ${JSON.stringify(event?.data)} for hunter-two.`);
        })),
        async refuse(client, { data }, error) {
          await client.query(`SELECT 1 / $1::int`, [data]);
          refused.push([data, (error as Error).message]);
        },
      };
      await publish(1);
      await publish(0);
      await drain(consumer);
      expect(refused).toEqual([[1, 'No 1 for hunter-two.']]);
      const { rows } = await database.system.query(
        'SELECT f.error, e.data FROM outbox_failures f JOIN outbox_events e USING (id) WHERE consumer = $1',
        [consumer.name],
      );
      expect(rows).toEqual([
        { error: expect.stringMatching(/No 0 for \[redacted\]\..*failed as well: division by zero/), data: 0 },
      ]);
    });

    test('puts nothing aside that another process has handled meanwhile', async () => {
      let fails = true;
      const consumer = await newConsumer(async (_client, events) => {
        if (fails) throw new Error('not here');
        return events.length;
      });
      await publish(1);
      for (let tries = 1; tries <= 3; tries += 1) {
        await recordFailure({ database, redactor }, consumer, await catchFailure(consumer));
        await database.system.query('UPDATE outbox_cursors SET retry_at = NULL');
      }
      const last = await catchFailure(consumer);
      fails = false;
      expect(await relayPass(database, consumer)).toMatchObject({ outcome: 'handled', events: 1 });
      expect(await recordFailure({ database, redactor }, consumer, last)).toBe('retry');
      const { rowCount } = await database.system.query('SELECT FROM outbox_failures WHERE consumer = $1', [
        consumer.name,
      ]);
      expect(rowCount).toBe(0);
    });

    test('continues where the consumer stopped early', async () => {
      const batches: unknown[][] = [];
      const consumer = await newConsumer(async (_client, events) => {
        batches.push(events.map(({ data }) => data));
        return 2;
      });
      // In one transaction, so that they can be read together or not at all.
      await database.withTenant('one', async (tx) => {
        for (let n = 1; n <= 4; n++)
          await publishEvent(tx, { tenantId: 'one', topic: anyTopic('thing.made'), data: n });
      });
      await relayPass(database, consumer);
      await relayPass(database, consumer);
      expect(batches).toEqual([
        [1, 2, 3, 4],
        [3, 4],
      ]);
    });

    test('refuses a consumer that claims more events than it was given', async () => {
      const consumer = await newConsumer(async () => 7);
      await publish(1);
      await expect(relayPass(database, consumer)).rejects.toThrow(/number of events it was given/);
    });

    test('finds the next events with the index, whatever the table contains', async () => {
      await database.system.query(
        `INSERT INTO outbox_events (tenant_id, topic, data, xid) SELECT 'one', 'thing.made', '{}', n FROM generate_series(1, 30000) AS n`,
      );
      // Autovacuum would do this too, but at an unknown time.
      await asOwner('ANALYZE outbox_events');
      const plan = await database.withSystem(async (client) => {
        // The planner must choose among all plans, without knowing the parameters.
        await client.query(
          `SELECT set_config(name, CASE vartype WHEN 'bool' THEN 'on' ELSE 'force_generic_plan' END, true) FROM pg_settings
         WHERE name IN ('enable_seqscan', 'enable_sort', 'plan_cache_mode')`,
        );
        await client.query(`PREPARE reading AS ${readEventsSql}`);
        const { rows } = await client.query<{ 'QUERY PLAN': string }>('EXPLAIN EXECUTE reading(400, 3, 200)');
        await client.query('DEALLOCATE reading');
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      });
      expect(plan).toMatch(/Index Scan using outbox_events_xid_id_idx/);
      expect(plan).toMatch(/Index Cond: .*ROW\(xid, id\) > /);
      expect(plan).not.toMatch(/Seq Scan|Sort/);
    });
  });

  describe('keeping events', () => {
    test('deletes only old events that every cursor has passed', async () => {
      const fast = await newConsumer(async (_client, events) => events.length);
      const slow = await newConsumer(async () => 1);
      for (const data of ['behind', 'unread', 'new']) await publish(data);
      await asOwner(
        `UPDATE outbox_events SET created_at = now() - interval '8 days' WHERE data IN ('"behind"', '"unread"')`,
      );
      await drain(fast);
      await relayPass(database, slow);
      expect(await sweepOutbox(database)).toBe(false);
      expect(await remaining()).toEqual(['unread', 'new']);
      await drain(slow);
      await sweepOutbox(database);
      expect(await remaining()).toEqual(['new']);
    });
  });

  test('gives events ids in the order in which they are published', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.push(await publish(count));
      await delay(2);
    }
    expect(ids.toSorted()).toEqual(ids);
  });

  const remaining = async (): Promise<unknown[]> => {
    const { rows } = await database.system.query<{ data: unknown }>('SELECT data FROM outbox_events ORDER BY xid, id');
    return rows.map(({ data }) => data);
  };

  /** Statements that the application's own roles may not run: change an event, create a table, end a connection. */
  async function asOwner(statement: string): Promise<void> {
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    try {
      await owner.query(statement);
    } finally {
      await owner.end();
    }
  }
});
