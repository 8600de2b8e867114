import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { webhookDeliveries } from '#src/commerce/webhooks/fan-out.service.ts';
import type { Deps } from '#src/infra/deps.ts';
import { createRedactor } from '#src/infra/logs/redact.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { type PassError, recordFailure, relayBatch } from '#src/journal/outbox/outbox-reading.service.ts';
import { openCursor } from '#src/journal/outbox/outbox-upkeep.store.ts';
import type { OutboxConsumer } from '#src/journal/outbox/outbox.ts';
import { cloneDatabase } from '#test/setup/database.ts';

const log = { error: () => undefined, warn: () => undefined } as unknown as Deps['log'];
const tenants = ['one', 'two'];
const topics = ['thing.made', 'thing.sold', 'thing.lost'];
let database: Database;
let drop: () => Promise<void>;
/** Past row-level security, and with the rights to change tables. */
let owner: pg.Client;
const own = webhookDeliveries({ log });
/** The same consumer, which is given the heads of all events. */
const { handleSpan: _, ...byHeads } = own;

beforeAll(async () => {
  const clone = await cloneDatabase();
  ({ drop } = clone);
  database = openDatabase({ url: clone.url, poolSize: 2 });
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  await database.global.org.create({ data: { id: 'acme', name: 'Acme' } });
  await database.global.tenant.createMany({ data: tenants.map((id) => ({ id, orgId: 'acme', name: id })) });
});
afterAll(async () => {
  await owner.end();
  await database.close();
  await drop();
});

async function addDestination(tenant: string, takes: string[], status = 'enabled', filter?: string): Promise<number> {
  const { rows } = await owner.query<{ id: string }>(
    `WITH made AS (
       INSERT INTO webhook_destinations (tenant_id, name, url, topics, status, disabled_reason, filter)
       VALUES ($1, 'ERP', 'https://erp.example.com', $2, $3, CASE $3 WHEN 'disabled' THEN 'manual' END, $4)
       RETURNING tenant_id, id
     ) INSERT INTO webhook_queues (tenant_id, destination_id) SELECT * FROM made RETURNING destination_id AS id`,
    [tenant, takes, status, filter ?? null],
  );
  return Number(rows[0]?.id);
}

/** Starts afresh: no destination, delivery or event. */
const clear = (): Promise<unknown> =>
  owner.query(
    'TRUNCATE webhook_destinations, webhook_queues, webhook_deliveries, webhook_payloads, outbox_events, outbox_cursors CASCADE',
  );

/** Events of all tenants and topics in turn, with their number as data. */
const publish = (count: number): Promise<unknown> =>
  database.system.query(
    `INSERT INTO outbox_events (tenant_id, topic, data, metadata)
     SELECT ($1::text[])[1 + n % 2], ($2::text[])[1 + n % 3], jsonb_build_object('n', n), '{}' FROM generate_series(1, $3::int) AS n`,
    [tenants, topics, count],
  );

async function relay(consumer: OutboxConsumer): Promise<number[]> {
  await openCursor(database, consumer.name);
  const passes: number[] = [];
  const pass = async (): Promise<boolean> => {
    await database.system.query('UPDATE outbox_cursors SET retry_at = NULL');
    const done = await relayBatch(database, consumer).catch(async (error: PassError) => {
      await recordFailure({ database, redactor: createRedactor() }, consumer, error);
    });
    if (done?.outcome === 'handled') passes.push(await madeSoFar());
    return done?.outcome === 'idle' && !done.held;
  };
  // Transactions of other tests hold events up on the server they share.
  await expect.poll(pass, { interval: 5, timeout: 20_000 }).toBe(true);
  return passes;
}

interface Made {
  tenant: string;
  destination: number;
  status: string;
  topic: string;
  body: string;
}

const joined = 'webhook_deliveries d JOIN webhook_payloads p ON p.id = d.payload_id AND p.tenant_id = d.tenant_id';

const madeSoFar = async (): Promise<number> => {
  const { rows } = await database.system.query<{ many: number }>(`SELECT count(*)::int AS many FROM ${joined}`);
  return rows[0]?.many ?? 0;
};

/** All deliveries in the order of their ids. */
const made = async (): Promise<Made[]> =>
  (
    await database.system.query<Made & Record<string, unknown>>(
      `SELECT d.tenant_id AS tenant, d.destination_id AS destination, d.status, p.topic, p.body
       FROM ${joined} ORDER BY d.id`,
    )
  ).rows;

test('events are fanned out together like one by one: the same deliveries, in the same order', async () => {
  const results: Made[][] = [];
  for (const consumer of [own, byHeads]) {
    await clear();
    await owner.query('ALTER SEQUENCE webhook_destinations_id_seq RESTART');
    await addDestination('one', ['*']);
    await addDestination('one', ['thing.sold', 'thing.made'], 'disabled');
    await addDestination('two', ['thing.lost']);
    await addDestination('two', ['thing.unknown']);
    await publish(300);
    await relay(consumer);
    results.push(await made());
  }
  const shown = (deliveries: Made[]): unknown[] =>
    deliveries.map(({ body, ...each }) => ({ ...each, n: (JSON.parse(body) as { data: { n: number } }).data.n }));
  expect(shown(results[0] as Made[])).toEqual(shown(results[1] as Made[]));
  expect(results[0]).toHaveLength(150 + 100 + 50);
  const numbers = results[0]?.map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n) ?? [];
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
});

test('a destination that is deleted before the deliveries are created gets none, and the others get theirs', async () => {
  await clear();
  const gone = await addDestination('one', ['*']);
  const kept = await addDestination('one', ['*']);
  await publish(6);
  await relay({
    ...own,
    async handleSpan(client, span) {
      // A deletion that commits after the destinations were found.
      const meanwhile: typeof client = Object.assign(Object.create(client) as typeof client, {
        async query(statement: { name?: string }) {
          const answer = await client.query(statement as Parameters<typeof client.query>[0]);
          if (statement.name === 'find-webhook-subscribers')
            await owner.query('DELETE FROM webhook_destinations WHERE id = $1', [gone]);
          return answer;
        },
      });
      return own.handleSpan?.(meanwhile, span);
    },
  });
  expect((await made()).map(({ destination }) => destination)).toEqual([kept, kept, kept]);
});

test('no transaction creates more than 5,000 deliveries, and none is missing or created twice', async () => {
  await clear();
  for (let n = 0; n < 60; n += 1) await addDestination('one', ['*']);
  // The first 200, which are read together, make 6,000 deliveries.
  await publish(220);
  const passes = await relay(own);
  const steps = passes.map((after, place) => after - (passes[place - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(5_000);
  const deliveries = await made();
  expect(deliveries).toHaveLength(6_600);
  expect(new Set(deliveries.map(({ destination, body }) => `${destination} ${body}`)).size).toBe(6_600);
});

test('events with many receivers, or large ones, count fully when they come before small ones', async () => {
  await clear();
  for (let n = 0; n < 100; n += 1) await addDestination('one', ['thing.made']);
  const last = await addDestination('two', ['*']);
  const publishAs = (tenant: string, topic: string, text: string, count: number): Promise<unknown> =>
    database.system.query(
      `INSERT INTO outbox_events (tenant_id, topic, data, metadata) SELECT $1, $2, jsonb_build_object('n', n, 'text', ${text}), '{}' FROM generate_series(1, $3::int) AS n`,
      [tenant, topic, count],
    );
  await publishAs('one', 'thing.made', "''", 60);
  await publishAs('two', 'thing.made', "''", 300);
  const woken: number[][] = [];
  const many = await relay({
    ...own,
    async handleSpan(client, span) {
      const upTo = await own.handleSpan?.(client, span);
      const { rows } = await client.query<{ id: number }>(
        'SELECT destination_id AS id FROM webhook_queues WHERE due_at IS NOT NULL',
      );
      woken.push(rows.map(({ id }) => id));
      return upTo;
    },
  });
  // A destination whose events are in a later part is not woken until then.
  expect(woken[0]).toHaveLength(100);
  expect(woken[0]).not.toContain(last);
  const steps = many.map((after, place) => after - (many[place - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(5_000);
  expect(many.at(-1)).toBe(60 * 100 + 300);

  await clear();
  await addDestination('two', ['*']);
  // Postgres finds nothing to compress in hashes.
  const megabyte = "(SELECT string_agg(md5(part::text), '') FROM generate_series(1, 32768) AS part)";
  await publishAs('two', 'thing.made', megabyte, 20);
  await publishAs('two', 'thing.made', "''", 400);
  const large = await relay(own);
  expect(large[0]).toBeLessThanOrEqual(16);
  expect(large.at(-1)).toBe(420);
});

test('if one event cannot be stored, those before and after it are still delivered', async () => {
  await clear();
  await addDestination('one', ['*']);
  await owner.query(`ALTER TABLE webhook_payloads ADD CONSTRAINT breaks CHECK (body NOT LIKE '%"n": 4}%')`);
  await publish(8);
  await relay(own);
  await owner.query('ALTER TABLE webhook_payloads DROP CONSTRAINT breaks');
  const numbers = (await made()).map(({ body }) => (JSON.parse(body) as { data: { n: number } }).data.n);
  expect(numbers).toEqual([2, 6, 8]);
  const { rows } = await database.system.query('SELECT consumer FROM outbox_failures');
  expect(rows).toEqual([{ consumer: 'webhooks' }]);
});

test('events for a destination with a filter are evaluated, and other destinations get theirs', async () => {
  await clear();
  const filtered = await addDestination('one', ['*'], 'enabled', 'event.data.n > 4');
  const all = await addDestination('one', ['*']);
  await publish(6);
  await relay(own);
  const numbers = (await made()).map(({ destination, body }) => [
    destination,
    (JSON.parse(body) as { data: { n: number } }).data.n,
  ]);
  expect(numbers).toEqual([
    [all, 2],
    [all, 4],
    [filtered, 6],
    [all, 6],
  ]);
});
