import { expect, vi } from 'vitest';
import { backlogSql, countFailedRuns, failedRunsSql } from '#src/automation/runs/backlog.reads.ts';
import { createMetrics } from '#src/process/metrics/metrics.ts';
import { test } from '#test/setup/app-test.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';

const figure = (text: string, name: string): number =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  );

test('/metrics shows waiting and failed runs of all tenants together', async ({ ownApi: api }) => {
  expect(figure(await createMetrics(api.database).metrics(), 'causeway_queued_runs{waits_for="worker"}')).toBe(0);
  for (const [tenant, held, age] of [
    ['acme-shop', false, 90],
    ['acme-outlet', false, 30],
    ['acme-shop', true, 900],
  ] as const) {
    const workflowId = await makeWorkflow(api.deps, tenant, `Waits ${age}`);
    const run = await makeRun(api.deps, tenant, workflowId);
    await api.database.system.query(
      `UPDATE runs SET held = $3, updated_at = now() - $4 * interval '1 s' WHERE tenant_id = $1 AND id = $2`,
      [tenant, run, held, age],
    );
    await api.database.system.query(
      `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle, reason)
       VALUES ($1, $2, 1, 'webhook', gen_random_uuid(), 'inactive')`,
      [tenant, workflowId],
    );
  }
  const text = await createMetrics(api.database).metrics();
  expect(figure(text, 'causeway_queued_runs{waits_for="worker"}')).toBe(2);
  expect(figure(text, 'causeway_queued_runs{waits_for="concurrency"}')).toBe(1);
  expect(figure(text, 'causeway_pending_dead_letters')).toBe(3);
  const age = figure(text, 'causeway_queued_run_age_seconds');
  expect(age).toBeGreaterThanOrEqual(90);
  expect(age).toBeLessThan(600);
});

test('each failed run is counted once, from the first reading on', async ({ ownApi: { database } }) => {
  const fail = (topic: string) =>
    database.system.query(`INSERT INTO outbox_events (tenant_id, topic, data) VALUES ('acme-shop', $1, '{}')`, [topic]);
  let { failed, until } = await countFailedRuns(database, undefined);
  expect(failed).toBe(0);
  for (const topic of ['run.failed', 'run.finished', 'run.failed']) await fail(topic);
  let counted = 0;
  const read = async () => {
    ({ failed, until } = await countFailedRuns(database, until));
    counted += failed;
    return counted;
  };
  // Transactions of other tests that are still open hold the reading back.
  await vi.waitUntil(async () => (await read()) >= 2, { timeout: 20_000 });
  expect(await read()).toBe(2);
  expect(figure(await createMetrics(database).metrics(), 'causeway_failed_runs_total')).toBe(0);
});

interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}
const flatten = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(flatten)];

test('the figures are read by indexes that contain only waiting or new runs', async ({ api }) => {
  for (const [sql, values, indexes] of [
    [backlogSql, [], /status_id_idx|runs_.*status_id_idx|tenants_.*|dead_letters_tenant_id_status_id_idx/],
    // Besides the events, the one row that says how they are ordered.
    [failedRunsSql, ['1'], /outbox_events_xid_id_idx|outbox_order/],
  ] as const) {
    const { rows } = await api.database.system.query(`EXPLAIN (FORMAT JSON) ${sql}`, [...values]);
    const plans = flatten(rows[0]['QUERY PLAN'][0].Plan as Plan);
    const scans = plans.filter((plan) => /Index.*Scan|Seq Scan/.test(plan['Node Type']));
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) expect(scan['Index Name'] ?? scan['Relation Name']).toMatch(indexes);
  }
});
