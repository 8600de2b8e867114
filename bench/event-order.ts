/**
 * Measures the relay's time per event in each of the two orders: writes events, then reads them with a consumer that does nothing.
 * `node bench/event-order.ts [events=20000] [rounds=5]`
 */
import pg from 'pg';
import { declarations } from '#src/domains/domains.ts';
import { changeEventOrder, type EventOrder } from '#src/infra/migrations/event-order.ts';
import { lockLimits } from '#src/infra/migrations/lock-waits.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { relayBatch } from '#src/journal/outbox/outbox-reading.service.ts';
import { openCursor } from '#src/journal/outbox/outbox-upkeep.store.ts';
import type { OutboxConsumer } from '#src/journal/outbox/outbox.ts';
import { note, printFigure } from './lib/figure.ts';
import { withPostgres } from './lib/postgres.ts';

const [events = 20_000, rounds = 5] = process.argv.slice(2).map(Number);

await withPostgres(async (postgres) => {
  const url = await postgres.createDatabase('event_order');
  await migrate(url, declarations.jobs);
  const database = openDatabase({ url, poolSize: 4 });
  const consumer: OutboxConsumer = { name: 'bench', handle: async (_client, given) => given.length };
  await openCursor(database, consumer.name);
  const orderBy = async (order: EventOrder): Promise<void> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await changeEventOrder({ client, url, limits: lockLimits, say: note }, order);
    await client.end();
  };
  const relay = async (): Promise<number> => {
    await database.system.query(
      `INSERT INTO outbox_events (tenant_id, topic, data) SELECT 'bench-shop', 'thing.made', '{"id":"a","total":"12.50"}' FROM generate_series(1, $1)`,
      [events],
    );
    const start = performance.now();
    for (let read = 0; read < events;) {
      const pass = await relayBatch(database, consumer);
      if (pass.outcome === 'handled') read += pass.events;
    }
    return ((performance.now() - start) * 1_000) / events;
  };
  const microseconds: Record<EventOrder, number[]> = { snapshot: [], sequence: [] };
  for (let round = 0; round <= rounds; round += 1) {
    for (const order of ['snapshot', 'sequence'] as const) {
      await orderBy(order);
      const each = await relay();
      // The first round warms up both orders.
      if (round > 0) microseconds[order].push(each);
      note(`Round ${round}, ${order}: ${each.toFixed(1)} µs an event`);
    }
  }
  await database.close();
  const middle = (of: number[]) => of.toSorted((one, other) => one - other)[Math.floor(of.length / 2)] ?? 0;
  printFigure({
    figure: 'event-order-sequence',
    value: middle(microseconds.sequence),
    unit: 'µs an event',
    against: { name: 'the order of transactions', value: middle(microseconds.snapshot) },
    detail: { events, rounds },
  });
});
