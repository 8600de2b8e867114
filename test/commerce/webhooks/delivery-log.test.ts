import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeliveryFilter, deliveryList } from '#src/commerce/webhooks/deliveries.reads.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { pageOfList, type Place } from '#src/infra/postgres/lists/ordered-list.ts';
import { analyse, cloneDatabase } from '#test/setup/database.ts';

const tenantId = 'acme-shop';
const logged = 20_000;

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 2 });
  await database.system.query(
    `INSERT INTO webhook_payloads (tenant_id, event_id, topic, body, size)
     SELECT $1, gen_random_uuid(), CASE n % 3 WHEN 0 THEN 'order.created' ELSE 'stock.changed' END, '{}', 2 FROM generate_series(1, ${logged}) n ORDER BY n`,
    [tenantId],
  );
  await database.system.query(
    `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status)
     SELECT tenant_id, 1 + id % 2, id, CASE WHEN id % 1000 = 0 THEN 'held' ELSE 'delivered' END FROM webhook_payloads ORDER BY id`,
  );
  await analyse(clone);
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

interface Plan {
  'Node Type': string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

const filters: [string, Omit<DeliveryFilter, 'tenantId'>][] = [
  ['everything', {}],
  ['one destination', { destinationId: '1' }],
  ['what was delivered', { status: ['delivered'] }],
  ['what is held', { status: ['held'] }],
  ['what is stopped', { status: ['failed', 'held'] }],
  ['a frequent topic', { topic: 'stock.changed' }],
  ['what was made since long ago', { since: new Date('2026-01-01T00:00:00Z') }],
];

/** Under row-level security, as the application reads. */
test.each(filters)(
  'a page of the log reads few more rows than it shows, in both directions: %s',
  async (_what, filter) => {
    for (const direction of ['ASC', 'DESC'] as const) {
      for (const after of [undefined, [String(logged / 2)] satisfies Place]) {
        const page = { take: 26, skip: 0, backwards: false, after, before: undefined };
        const { text, values = [] } = pageOfList(
          deliveryList,
          { tenantId, ...filter },
          { field: 'CREATED_AT', direction },
          page,
        );
        const [row] = await database.tenantQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>(tenantId, {
          text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
          values,
        });
        const plans = flatten(row?.['QUERY PLAN'][0]?.Plan as Plan);
        const scanned = plans
          .filter((plan) => plan['Node Type'].includes('Scan'))
          .map((plan) => plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0));
        expect(Math.max(...scanned)).toBeLessThan(100);
      }
    }
  },
);

test('deliveries are created in the order of their times, whenever their transactions began', async () => {
  const client = new pg.Client({ connectionString: clone.url });
  await client.connect();
  const insert = `INSERT INTO webhook_deliveries (tenant_id, destination_id, payload_id, status) VALUES ('acme-shop', 3, 1, 'delivered')`;
  await client.query('BEGIN');
  await client.query(`SELECT pg_sleep(0.01)`);
  await database.system.query(insert);
  await client.query(insert);
  await client.query('COMMIT');
  await client.end();
  const rows = await database.tenantQuery<{ created: Date; updated: Date }>(tenantId, {
    text: 'SELECT created_at AS created, updated_at AS updated FROM webhook_deliveries WHERE destination_id = 3 ORDER BY id',
  });
  const times = rows.map(({ created }) => created.getTime());
  expect(times).toHaveLength(2);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  for (const { created, updated } of rows) expect(updated.getTime()).toBeGreaterThanOrEqual(created.getTime());
});
