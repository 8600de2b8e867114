import { afterAll, beforeAll, expect, test } from 'vitest';
import { workflowList } from '#src/automation/workflows/workflows.reads.ts';
import { type Database, openDatabase } from '#src/infra/postgres/database.ts';
import { type Order, pageOfList, type Place } from '#src/infra/postgres/lists/ordered-list.ts';
import { analyse, cloneDatabase } from '#test/setup/database.ts';

let clone: Awaited<ReturnType<typeof cloneDatabase>>;
let database: Database;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = openDatabase({ url: clone.url, poolSize: 2 });
  await database.system.query(
    `INSERT INTO workflows (tenant_id, name, blob, updated_at)
     SELECT t, 'Flow ' || lpad(n::text, 6, '0'), '{}', '2026-01-01T00:00:00Z'::timestamptz + n / 3 * interval '1 minute'
     FROM unnest(ARRAY['shop', 'other']) t, generate_series(1, 10000) n`,
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
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

const deep = String(Date.UTC(2026, 0, 1) + 1_000 * 60_000);
const pages: [field: Order<keyof typeof workflowList.orders>['field'], index: string, after: Place][] = [
  ['CREATED_AT', 'workflows_pkey', ['3000']],
  ['UPDATED_AT', 'workflows_changes_idx', [deep, '3000']],
  ['NAME', 'workflows_tenant_id_name_key', ['Flow 003000', '3000']],
];

/** Under row-level security, as the application reads. */
test.each(pages)(
  'a page of workflows by %s reads only the rows that it shows, in both directions',
  async (field, index, after) => {
    for (const direction of ['ASC', 'DESC'] as const) {
      for (const place of [undefined, after]) {
        const page = { take: 51, skip: 0, backwards: false, after: place, before: undefined };
        const { text, values = [] } = pageOfList(workflowList, { tenantId: 'shop' }, { field, direction }, page);
        const [row] = await database.tenantQuery<{ 'QUERY PLAN': { Plan: Plan }[] }>('shop', {
          text: `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
          values,
        });
        const plans = flatten(row?.['QUERY PLAN'][0]?.Plan as Plan);
        const [scan, ...others] = plans.filter((plan) => plan['Node Type'].includes('Scan'));
        expect(scan).toMatchObject({ 'Node Type': expect.stringMatching(/^Index( Only)? Scan$/), 'Index Name': index });
        expect(others).toEqual([]);
        // The row that the cursor is of, and those it shares its instant with.
        expect((scan?.['Actual Rows'] ?? 0) + (scan?.['Rows Removed by Filter'] ?? 0)).toBeLessThanOrEqual(56);
      }
    }
  },
);
