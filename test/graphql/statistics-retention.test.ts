import pg from 'pg';
import { afterAll, beforeEach, expect } from 'vitest';
import { insertRollupChangesSql } from '#src/automation/runs/rollups/run-rollups.store.ts';
import { domains } from '#src/domains/domains.ts';
import { createHistory } from '#test/automation/retention/history.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';

const dayMs = 86_400_000;
const span = 5_000_000;
const tenantId = 'acme-shop';
const tasks = domains.flatMap(({ periodicTasks = [] }) => periodicTasks);
let api: TestApp;
let owner: pg.Client;
let history: ReturnType<typeof createHistory>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  history = createHistory(api);
  owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
});
afterAll(() => owner.end());
beforeEach(() =>
  owner.query(
    `TRUNCATE runs, steps, run_log_lines, run_payloads, run_results, run_rollups, run_rollup_changes,
       dead_letters, dead_letter_payloads, webhook_deliveries`,
  ),
);

/** Does what a worker does every hour. */
async function perform(name: string): Promise<void> {
  const task = tasks.find((each) => each.name === name);
  if (!task) throw new Error(`There is no periodic task ${name}.`);
  await task.work(api.deps, new AbortController().signal);
}

/** From now on rows of the table go into this partition. */
async function fill(table: string, part: number): Promise<void> {
  await owner.query('SELECT setval($1, $2)', [`${table}_id_seq`, part * span + 1_000]);
  await owner.query('SELECT ensure_partitions()');
}
const isThere = async (table: string): Promise<boolean> =>
  (await owner.query('SELECT to_regclass($1) IS NOT NULL AS there', [table])).rows[0].there;

const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
type Bucket = Record<string, number> & { from: string; until: string };
interface Series {
  countedSince: string | null;
  total: Record<string, number>;
  buckets: Bucket[];
}

/** The series of the last `days`, up to `before` days ago, by the day of UTC. */
async function ask(name: string, counts: string, days: number, more: object = {}, before = 0): Promise<Series[]> {
  const dates = name === 'orderStats' || name === 'importStats' ? '' : 'countedSince';
  const { data, errors } = await api.graphql<Record<string, Series | Series[]>>(
    `query ($filter: ${name.charAt(0).toUpperCase() + name.slice(1)}Filter!) {
      ${name}(filter: $filter, interval: DAY) { ${dates} total { ${counts} } buckets { from until ${counts} } } }`,
    { filter: { since: daysAgo(days), until: daysAgo(before), ...more } },
  );
  expect(errors).toBeUndefined();
  return [data[name] as Series | Series[]].flat();
}

/** Whole days that the answer says are complete. */
const complete = ({ countedSince, buckets }: Series) =>
  countedSince === null ? buckets : buckets.filter(({ from }) => from >= countedSince);

function expectDaysAgo(instant: string | null | undefined, days: number): void {
  expect(Math.abs(Date.parse(instant ?? '') - daysAgo(days).getTime())).toBeLessThan(60_000);
}

test('runs whose rows and partitions are deleted stay counted until their counts are deleted, and the answer says since when they are kept', async () => {
  await history.settings(tenantId, { run: 10 });
  const workflowId = await history.openWorkflow(tenantId);
  await fill('runs', 0);
  const ids = [];
  for (const [age, status] of [
    [405, 'failed'],
    [50, 'succeeded'],
    [50, 'failed'],
  ] as const)
    ids.push(await history.run({ workflowId, age, status }));
  for (const part of [1, 2, 3]) await fill('runs', part);
  for (const age of [40, 12, 9]) ids.push(await history.run({ workflowId, age }));
  await owner.query(insertRollupChangesSql('runs', 1));
  const read = async (days: number, before = 0) =>
    (await ask('runStats', 'total succeeded failed p95Ms', days, {}, before))[0] as Series;
  const recent = await read(60);
  const old = await read(410, 45);
  expect([recent.total['total'], old.total['total']]).toEqual([5, 3]);
  expect(recent.countedSince).toBeNull();
  expectDaysAgo(old.countedSince, 400);

  await perform('sweep-retention');
  expect(await isThere('runs_p0')).toBe(false);
  expect((await owner.query('SELECT id FROM runs')).rows).toEqual([{ id: String(ids.at(-1)) }]);
  expect(await read(60)).toEqual(recent);
  expect(complete(await read(410, 45))).toEqual(complete(old));

  await perform('fold-run-rollups');
  await perform('purge-run-rollups');
  expect(await read(60)).toEqual(recent);
  const left = await read(410, 45);
  expect(left.total['total']).toBe(2);
  expectDaysAgo(left.countedSince, 400);
  expect(complete(left)).toEqual(complete(old));
});

test('deliveries that left the log are not counted, and the answer says since when all are', async () => {
  const { rows } = await owner.query<{ id: string }>(
    `INSERT INTO webhook_destinations (tenant_id, name, url, topics, updated_at)
     VALUES ($1, 'ERP', 'https://erp.example', '{*}', now()) RETURNING id`,
    [tenantId],
  );
  const make = (ages: number[]) =>
    owner.query(
      `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status, tries, created_at)
       SELECT $1, $2, 1, status, 2, now() - age * interval '1 day' FROM unnest($3::int[]) AS age, unnest('{delivered,failed}'::text[]) AS status`,
      [tenantId, rows[0]?.id, ages],
    );
  await fill('webhook_deliveries', 0);
  await make([50, 40]);
  await fill('webhook_deliveries', 1);
  await make([35, 29]);
  for (const part of [2, 3]) await fill('webhook_deliveries', part);
  await make([32, 28, 5]);
  const read = async (days: number) =>
    (await ask('deliveryStats', 'total delivered failed attempts', days))[0] as Series;
  const [long, short] = [await read(60), await read(20)];
  expect([long.total['total'], short.total['total']]).toEqual([14, 2]);

  await perform('sweep-webhooks');
  expect(await isThere('webhook_deliveries_p0')).toBe(false);
  // The partition with one that is kept waits for it with the older one.
  const { rows: kept } = await owner.query<{ age: number }>(
    `SELECT DISTINCT (extract(epoch FROM now() - created_at) / 86400)::int AS age FROM webhook_deliveries ORDER BY age`,
  );
  expect(kept.map(({ age }) => age)).toEqual([5, 28, 29, 35]);
  const left = await read(60);
  expect(left.total).toEqual({ total: 8, delivered: 4, failed: 4, attempts: 16 });
  expectDaysAgo(left.countedSince, 30);
  expect(complete(left)).toEqual(complete(long));
  expect(complete(left).reduce((sum, { total }) => sum + (total ?? 0), 0)).toBe(6);
  expect(await read(20)).toEqual({ ...short, countedSince: null });
  await owner.query('TRUNCATE webhook_deliveries');
  const empty = await read(60);
  expect(empty.total['total']).toBe(0);
  expectDaysAgo(empty.countedSince, 30);
});

test('firings whose runs and dead letters are deleted are not counted, and the answer says since when all are', async () => {
  const workflowId = await history.openWorkflow(tenantId);
  const { rows } = await owner.query<{ id: string }>(
    `INSERT INTO triggers (tenant_id, workflow_id, type, name, updated_at) VALUES ($1, $2, 'webhook', 'Hook', now()) RETURNING id`,
    [tenantId, workflowId],
  );
  const triggerId = rows[0]?.id as string;
  await fill('runs', 0);
  for (const age of [60, 50]) await history.run({ workflowId, age });
  for (const part of [1, 2, 3]) await fill('runs', part);
  for (const [age, status] of [
    [45, 'queued'],
    [25, 'failed'],
    [15, 'succeeded'],
    [2, 'failed'],
  ] as const)
    await history.run({ workflowId, age, status });
  // It fired long ago and ended yesterday.
  await history.run({ workflowId, age: 22, endedAge: 1 });
  for (const [status, age] of [
    ['discarded', 40],
    ['discarded', 3],
    ['pending', 41],
  ] as const)
    await history.letter(tenantId, status, age);
  await owner.query('UPDATE runs SET trigger_id = $1', [triggerId]);
  await owner.query('UPDATE dead_letters SET trigger_id = $1, workflow_id = $2', [triggerId, workflowId]);
  const counts = 'total unfinished succeeded failed deadLetters';
  const read = async (days: number) => (await ask('triggerStats', counts, days, { triggerId }))[0] as Series;

  await history.settings(tenantId, { run: null });
  const all = await read(90);
  expect(all.countedSince).toBeNull();
  expect(all.total).toEqual({ total: 10, unfinished: 1, succeeded: 4, failed: 2, deadLetters: 3 });
  await perform('sweep-retention');
  expect(await read(90)).toEqual(all);

  await history.settings(tenantId, { run: 20 });
  await perform('sweep-retention');
  expect(await isThere('runs_p0')).toBe(false);
  const left = await read(90);
  expect(left.total).toEqual({ total: 6, unfinished: 1, succeeded: 2, failed: 1, deadLetters: 2 });
  expectDaysAgo(left.countedSince, 20);
  expect(complete(left)).toEqual(complete({ ...all, countedSince: left.countedSince }));
  expect((await read(10)).countedSince).toBeNull();

  const keep = (days: string) =>
    owner.query(`UPDATE workflows SET blob = jsonb_set(blob, '{settings}', $2) WHERE id = $1`, [workflowId, days]);
  await keep('{"retention_days": 5}');
  await perform('sweep-retention');
  const shorter = await read(90);
  expect(shorter.total).toEqual({ total: 5, unfinished: 1, succeeded: 1, failed: 1, deadLetters: 2 });
  expectDaysAgo(shorter.countedSince, 5);
  expect(complete(shorter)).toEqual(complete({ ...all, countedSince: shorter.countedSince }));
  await keep('{}');
  await owner.query('DELETE FROM retention_settings');
  expect((await read(80)).countedSince).toBeNull();
  expectDaysAgo((await read(100)).countedSince, 90);
});

test('orders and imports of last year stay counted after everything that a worker does periodically, though rejected rows are deleted', async () => {
  await history.settings(tenantId, { run: 1, step: 1, log: 1, audit: 1 });
  await owner.query(
    `INSERT INTO orders (tenant_id, number, status, currency, net, tax, gross, placed_at, created_at, updated_at)
     SELECT $1, n, CASE WHEN n % 3 = 0 THEN 'cancelled' ELSE 'completed' END, 'EUR', n, 1, n + 1, at, at, at
     FROM generate_series(1, 40) AS n, LATERAL (SELECT now() - n * interval '9 days' AS at) AS placed`,
    [tenantId],
  );
  await owner.query(
    `WITH jobs AS (
       INSERT INTO bulk_jobs (tenant_id, kind, target, profile, profile_name, upload_id, dry_run, status, rows_read, rows_written, rows_unchanged,
         rows_rejected, created_at, finished_at)
       SELECT $1, 'import', 'stock', '{}', 'ERP', nextval('uploads_id_seq'), false, (ARRAY['completed', 'failed', 'cancelled'])[1 + n % 3], 5, 3, 1, 1, at, at
       FROM generate_series(1, 40) AS n, LATERAL (SELECT now() - n * interval '9 days' AS at) AS made RETURNING tenant_id, id
     ) INSERT INTO import_rejects (tenant_id, job_id, line, "column", reason) SELECT tenant_id, id, 1, 'sku', 'It is missing.' FROM jobs`,
    [tenantId],
  );
  const read = async () => [
    await ask('orderStats', 'orders cancelled net gross', 365),
    await ask('importStats', 'completed failed cancelled rowsRead rowsWritten rowsUnchanged rowsRejected', 365),
  ];
  const before = await read();
  expect(before.map(([series]) => series?.total)).toEqual([
    { orders: 27, cancelled: 13, net: '547', gross: '574' },
    { completed: 13, failed: 14, cancelled: 13, rowsRead: 200, rowsWritten: 120, rowsUnchanged: 40, rowsRejected: 40 },
  ]);
  for (const { name } of tasks) await perform(name);
  const { rows } = await owner.query<{ left: string }>('SELECT count(*) AS left FROM import_rejects');
  expect(rows).toEqual([{ left: '3' }]);
  expect(await read()).toEqual(before);
});
