import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findStories, readStoryMark } from '#src/commerce/orders/story/order-story.reads.ts';
import { findOrdersOfRuns } from '#src/commerce/orders/story/run-order.reads.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { analyse, cloneDatabase } from '#test/setup/database.ts';

const tenantId = 'acme-shop';
const orders = 5_000;

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
/** Past row-level security. */
let owner: pg.Client;

/** Orders with two events each, of which each started a run with two steps, and made a dead letter and a delivery. */
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 2 });
  owner = new pg.Client({ connectionString: clone.url });
  await owner.connect();
  await owner.query(
    `INSERT INTO orders (tenant_id, number, currency, net, tax, gross, placed_at, created_at, updated_at)
     SELECT $1, n, 'EUR', 1, 0, 1, now(), now(), now() FROM generate_series(1, ${orders}) n`,
    [tenantId],
  );
  await owner.query(
    `INSERT INTO order_changes (tenant_id, order_id, action, channel, event_id, created_at)
     SELECT tenant_id, id, action, 'api', gen_random_uuid(), now() FROM orders, unnest(ARRAY['create', 'acknowledge']) AS action`,
  );
  await owner.query(
    `INSERT INTO workflows (tenant_id, name, blob, updated_at) VALUES ($1, 'To the ERP', '{}', now())`,
    [tenantId],
  );
  await owner.query(
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, event_id)
     SELECT c.tenant_id, w.id, 1, 1, 'event', c.event_id FROM order_changes c CROSS JOIN workflows w`,
  );
  await owner.query(
    `INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, started_at, calls)
     SELECT tenant_id, id, node, 1, node, 'succeeded', now(), CASE node WHEN 'send' THEN '[]'::jsonb END
     FROM runs, unnest(ARRAY['map', 'send']) AS node`,
  );
  await owner.query(
    `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, event_id)
     SELECT c.tenant_id, w.id, 1, 'event', gen_random_uuid(), c.event_id FROM order_changes c CROSS JOIN workflows w`,
  );
  await owner.query(
    `INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size)
     SELECT tenant_id, event_id, 'order.created', '{}', 2 FROM order_changes`,
  );
  await owner.query(
    `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status)
     SELECT tenant_id, 1, id, 'delivered' FROM webhook_payloads`,
  );
  await analyse(clone);
}, 120_000);
afterAll(async () => {
  await owner.end();
  await database.close();
  await clone.drop();
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

/** The rows that each scan of the statements of `work` read, which it runs under row-level security as the application does. */
async function countScanned(work: (explaining: Database) => Promise<unknown>): Promise<Map<string, number>> {
  const scanned = new Map<string, number>();
  const tenantQuery = (async (tenant: string, statement: { name?: string; text: string; values?: unknown[] }) => {
    const { name: _, ...unnamed } = statement as object as { name?: string; text: string; values: unknown[] };
    const [row] = await database.tenantQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(tenant, {
      text: `EXPLAIN (ANALYZE, FORMAT JSON) ${unnamed.text}`,
      values: unnamed.values,
    });
    const plans = flatten(row?.['QUERY PLAN'][0]?.Plan as Plan).filter((plan) => plan['Node Type'].includes('Scan'));
    const most = plans.map(
      (plan) => (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'],
    );
    scanned.set(statement.name ?? statement.text, Math.max(0, ...most));
    return database.tenantQuery(tenant, statement as never);
  }) as unknown as Database['tenantQuery'];
  await work({ ...database, tenantQuery });
  return scanned;
}

test('the stories of ten orders read few more rows than they tell', async () => {
  const rows = await database.tenantQuery<{ id: number }>(tenantId, {
    text: 'SELECT id::int AS id FROM orders WHERE tenant_id = $1 ORDER BY id DESC LIMIT 10',
    values: [tenantId],
  });
  const ids = rows.map(({ id }) => id);
  const scanned = await countScanned(async (explaining) => {
    const stories = await findStories(explaining, tenantId, ids, { runs: true, deliveries: true });
    const kinds = stories.get(ids[0] as number)?.map(({ kind }) => kind);
    expect(kinds?.toSorted()).toEqual([
      'change',
      'change',
      'deadLetter',
      'deadLetter',
      'delivery',
      'delivery',
      'run',
      'run',
      'step',
      'step',
    ]);
  });
  expect(scanned.size).toBe(5);
  expect(Math.max(...scanned.values())).toBeLessThanOrEqual(100);
});

test('whether a story changed is found without reading the stories of other orders', async () => {
  const [row] = await database.tenantQuery<{ id: number }>(tenantId, {
    text: 'SELECT max(id)::int AS id FROM orders WHERE tenant_id = $1',
    values: [tenantId],
  });
  const id = row?.id as number;
  const scanned = await countScanned(async (explaining) => {
    const before = await readStoryMark(explaining, tenantId, id);
    await owner.query(
      `UPDATE runs SET version = version + 1 WHERE event_id = (SELECT min(event_id::text)::uuid FROM order_changes WHERE order_id = $1)`,
      [id],
    );
    expect(await readStoryMark(explaining, tenantId, id)).not.toBe(before);
    expect(await readStoryMark(explaining, tenantId, 2 * orders)).toBeUndefined();
  });
  expect(Math.max(...scanned.values())).toBeLessThanOrEqual(20);
});

test('the orders of ten runs are found without reading the changes of other orders', async () => {
  const rows = await database.tenantQuery<{ id: number }>(tenantId, {
    text: 'SELECT id::int AS id FROM runs WHERE tenant_id = $1 ORDER BY id DESC LIMIT 10',
    values: [tenantId],
  });
  const ids = rows.map(({ id }) => id);
  const scanned = await countScanned(async (explaining) => {
    expect(new Set((await findOrdersOfRuns(explaining, tenantId, ids)).keys())).toEqual(new Set(ids));
  });
  expect(Math.max(...scanned.values())).toBeLessThanOrEqual(20);
});
