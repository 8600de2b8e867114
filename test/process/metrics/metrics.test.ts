import pg from 'pg';
import { expect } from 'vitest';
import { deliveryBacklogSql } from '#src/commerce/webhooks/delivery-backlog.reads.ts';
import { openDatabase } from '#src/infra/postgres/database.ts';
import { createMetrics } from '#src/process/metrics/metrics.ts';
import { test } from '#test/setup/app-test.ts';
import { startPostgresProxy } from '#test/setup/postgres-proxy.ts';
import { readFigures } from './figures.ts';

test('the installation shows its workers, what is due for delivery, and the room of its sequences', async ({
  ownApi: { database, databaseUrl },
}) => {
  const before = readFigures(await createMetrics(database).metrics());
  expect(before).toMatchObject({
    causeway_workers: 0,
    causeway_due_webhook_destinations: 0,
    causeway_due_delivery_age_seconds: 0,
    causeway_partitions_ahead: 1,
    causeway_database_away: 0,
  });
  expect(before['causeway_database_timeline']).toBeGreaterThanOrEqual(1);
  expect(before['causeway_sequence_used_ratio']).toBeLessThan(0.01);
  // Past row-level security.
  const owner = new pg.Client({ connectionString: databaseUrl });
  await owner.connect();
  // Queues without their destinations.
  await owner.query('SET session_replication_role = replica');
  await owner.query(
    `INSERT INTO workers (id, host, pid, lease_until)
     SELECT gen_random_uuid(), 'here', 1, now() + left_over FROM unnest(ARRAY[interval '1 hour', interval '-1 s']) AS left_over`,
  );
  await owner.query(
    `INSERT INTO webhook_queues (tenant_id, destination_id, due_at)
     VALUES ('acme-shop', 1, now() - interval '90 s'), ('acme-outlet', 2, now() - interval '5 s'), ('acme-shop', 3, now() + interval '1 hour'), ('acme-shop', 4, NULL)`,
  );
  await owner.query(`SELECT setval('outbox_events_id_seq', (2 ^ 44)::bigint)`);
  // Into the last partition that there is.
  await owner.query(`SELECT setval('webhook_deliveries_id_seq', 5000000)`);
  await owner.end();
  const after = readFigures(await createMetrics(database).metrics());
  expect(after).toMatchObject({
    causeway_workers: 1,
    causeway_due_webhook_destinations: 2,
    causeway_partitions_ahead: 0,
  });
  expect(after['causeway_sequence_used_ratio']).toBeCloseTo(0.5);
  expect(after['causeway_due_delivery_age_seconds']).toBeGreaterThanOrEqual(90);
  expect(after['causeway_due_delivery_age_seconds']).toBeLessThan(600);
});

test('what is due for delivery is read by an index of what is due or will be', async ({ ownApi: { database } }) => {
  const { rows } = await database.system.query(`EXPLAIN ${deliveryBacklogSql}`);
  expect(rows.map((row) => row['QUERY PLAN'] as string).join('\n')).toContain('webhook_queues_due_idx');
});

test('a process shows its connections by pool, and a worker its places for runs', async ({ ownApi: { database } }) => {
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isOpen = new Promise<void>((resolve) => {
    void database.withSystem(async (tx) => {
      await tx.query('SELECT');
      resolve();
      await held;
    });
  });
  await isOpen;
  const worker = readFigures(await createMetrics(database, () => ({ used: 3, all: 200 })).metrics());
  expect(worker['causeway_database_connections{pool="system",state="busy"}']).toBeGreaterThanOrEqual(1);
  expect(worker).toMatchObject({
    'causeway_database_connections{pool="application",state="waiting"}': 0,
    'causeway_database_connections{pool="tenant SQL",state="waiting"}': 0,
    'causeway_run_slots{state="used"}': 3,
    'causeway_run_slots{state="free"}': 197,
  });
  release();
  expect(readFigures(await createMetrics(database).metrics())).not.toHaveProperty('causeway_run_slots{state="used"}');
});

test('a process is measured while the database is away', async ({ ownApi }) => {
  await ownApi.database.close();
  const text = await createMetrics(ownApi.database).metrics();
  expect(readFigures(text)).toMatchObject({ causeway_two_primaries: 0 });
  expect(readFigures(text)).not.toHaveProperty('causeway_workers');
});

test('a process whose database does not answer says so, and serves its other figures', async ({
  ownApi: { databaseUrl },
}) => {
  const url = new URL(databaseUrl.replace('@/', '@localhost/'));
  const proxy = await startPostgresProxy(`${url.searchParams.get('host')}/.s.PGSQL.5432`);
  const database = openDatabase({ url: `postgresql://postgres@127.0.0.1:${proxy.port}${url.pathname}`, poolSize: 2 });
  const metrics = createMetrics(database);
  expect(readFigures(await metrics.metrics())).toMatchObject({ causeway_database_away: 0 });
  await proxy.close();
  const away = readFigures(await metrics.metrics());
  expect(away).toMatchObject({ causeway_database_away: 1 });
  expect(away).toHaveProperty('causeway_two_primaries', 0);
  await database.close();
});
