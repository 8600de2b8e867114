import { afterAll, beforeAll, expect, test } from 'vitest';
import { readSecretSql } from '#src/automation/secrets/secrets.reads.ts';
import { selectEntry } from '#src/automation/state/state-entries.store.ts';
import { purgeSql } from '#src/automation/state/state-purge.service.ts';
import { pageEntries } from '#src/automation/state/state.reads.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { analyse, cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 2 });
  await database.system.query(
    `INSERT INTO state_namespaces (tenant_id, namespace) SELECT t, n FROM unnest(ARRAY['shop', 'other']) t, unnest(ARRAY['a', 'b']) n`,
  );
  await database.system.query(
    `INSERT INTO state_entries (tenant_id, namespace, key, value, size, expires_at)
     SELECT t, n, 'order/' || lpad(k::text, 6, '0'), '1', 13, CASE WHEN k % 100 = 0 THEN now() + interval '1 hour' END
     FROM unnest(ARRAY['shop', 'other']) t, unnest(ARRAY['a', 'b']) n, generate_series(1, 20000) k`,
  );
  await analyse(clone);
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

/** With the application's role: under row-level security, which keeps conditions that are not leakproof from an index. */
async function explain({ text, values }: { text: string; values: unknown[] }): Promise<Plan[]> {
  const rows = await database.withTenant('shop', (tx) =>
    tx.$queryRawUnsafe<{ 'QUERY PLAN': { Plan: Plan }[] }[]>(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, ...values),
  );
  return flatten(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
}
const page = { take: 51, skip: 0, after: undefined, before: undefined };
/** Every scan uses the primary key and skips almost no rows. */
function expectKeyed(plans: Plan[], rows: number, by = 'state_entries_pkey') {
  const scans = plans.filter((plan) => /^(?!Subquery).*Scan/.test(plan['Node Type']));
  expect(scans.length).toBeGreaterThan(0);
  for (const scan of scans) {
    expect(scan).toMatchObject({ 'Node Type': 'Index Scan', 'Index Name': by });
    expect(scan['Rows Removed by Filter'] ?? 0).toBeLessThanOrEqual(1);
    expect(scan['Actual Rows']).toBeLessThanOrEqual(rows);
  }
}

test.each([
  ['the first page', '', { ...page, backwards: false }],
  ['a page by prefix', 'order/0199', { ...page, backwards: false }],
  ['a page deep within a prefix', 'order/01', { ...page, backwards: false, after: 'order/015000' }],
  ['the last page of a prefix', 'order/01', { ...page, backwards: true }],
])('%s reads what it shows, by the index', async (_what, prefix, keys) => {
  const plans = await explain(pageEntries('shop', { namespace: 'a', prefix }, keys));
  expectKeyed(plans, 51);
  expect(plans.map((plan) => plan['Node Type'])).not.toContain('Sort');
});

test('a prefix without matches reads no rows', async () => {
  const [scan] = (
    await explain(pageEntries('shop', { namespace: 'a', prefix: 'order/x' }, { ...page, backwards: false }))
  ).filter((plan) => plan['Node Type'] === 'Index Scan');
  expect(scan).toMatchObject({ 'Actual Rows': 0 });
  expect(scan?.['Index Cond']).toContain('key >=');
});

test('an entry is found by its key', async () => {
  const plans: Plan[] = [];
  await selectEntry(
    async (statement) => {
      plans.push(...(await explain(statement)));
      return [];
    },
    'shop',
    { namespace: 'a', key: 'order/000001' },
  );
  expectKeyed(plans, 1);
});

test('a secret is found by its key, together with its data key', async () => {
  const plans = await explain({ text: readSecretSql, values: ['shop', 'TOKEN'] });
  expect(plans.map((plan) => plan['Node Type'])).not.toContain('Hash Join');
});

test('upkeep finds expired entries by the index of expiries', async () => {
  await database.system.query(
    `UPDATE state_entries SET expires_at = now() - interval '1 s' WHERE tenant_id = 'shop' AND key < 'order/000200' AND expires_at IS NOT NULL`,
  );
  const { rows } = await database.system.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${purgeSql}`, [1_000]);
  const plans = flatten(rows[0]['QUERY PLAN'][0].Plan as Plan);
  const found = plans.find((plan) => plan['Index Name'] === 'state_entries_expiry_idx');
  expect(found).toMatchObject({ 'Node Type': 'Index Scan', 'Actual Rows': 2 });
  expect(plans.map((plan) => plan['Node Type'])).not.toContain('Seq Scan');
});
