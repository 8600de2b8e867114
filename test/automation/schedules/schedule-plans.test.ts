import { expect } from 'vitest';
import { findHandled } from '#src/automation/schedules/schedule-firing.store.ts';
import { test } from '#test/setup/app-test.ts';
import { analyse } from '#test/setup/database.ts';

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Actual Rows': number;
  Plans?: Plan[];
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

test('handled ticks are found by key, even if Postgres expects none', async ({ api }) => {
  // The statistics of a table whose ticks have been deleted, or whose first ones are of this minute.
  await analyse({ url: api.databaseUrl });
  const fireAt = new Date('2026-03-02T05:15:00Z');
  const ticks = Array.from({ length: 500 }, (_, n) => ({ tenantId: 'acme-shop', triggerId: n + 1, fireAt }));
  const plans = await api.database.withSystem(async (tx) => {
    expect(await findHandled(tx, ticks)).toEqual(new Set());
    await tx.query(
      `INSERT INTO schedule_ticks (tenant_id, trigger_id, fire_at, outcome)
       SELECT 'acme-shop', trigger_id, fire_at, 'skipped' FROM generate_series(1, 10000, 2) AS trigger_id,
         generate_series($1::timestamptz - interval '2 hours', $1, interval '1 hour') AS fire_at`,
      [fireAt],
    );
    expect(await findHandled(tx, ticks)).toEqual(new Set(ticks.keys().filter((n) => n % 2 === 0)));
    const { rows } = await tx.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE "find-handled-ticks" (array_fill('acme-shop'::text, '{${ticks.length}}'),
         '{${ticks.map(({ triggerId }) => triggerId).join()}}', array_fill(timestamptz '${fireAt.toISOString()}', '{${ticks.length}}'))`,
    );
    return flatten(rows[0]?.['QUERY PLAN'][0]?.Plan as Plan);
  });
  const scans = plans.filter((plan) => plan['Relation Name'] === 'schedule_ticks');
  expect(scans).toHaveLength(1);
  expect(scans[0]?.['Node Type']).toMatch(/^Index/);
  for (const column of ['tenant_id', 'trigger_id', 'fire_at']) expect(scans[0]?.['Index Cond']).toContain(column);
  expect(scans[0]?.['Actual Rows']).toBeLessThanOrEqual(1);
});
