import pg from 'pg';
import { describe, expect } from 'vitest';
import { sweepAlone } from '#src/automation/retention/retention-round.service.ts';
import { sweepRetention } from '#src/automation/retention/retention-sweep.service.ts';
import { purgeDetails } from '#src/automation/retention/run-purge.store.ts';
import { automation } from '#src/domains/automation.ts';
import { startPeriodicTasks } from '#src/infra/background/periodic-tasks.ts';
import { inOneProcess } from '#src/infra/postgres/named-locks.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow } from '#test/setup/engine.ts';
import { createHistory, nothing } from './history.ts';

let api: TestApp;
let history: ReturnType<typeof createHistory>;
test.beforeAll(async ({ api: started }) => {
  api = started;
  history = createHistory(api);
});

const sweep = () => sweepRetention(api.deps, { pauseMs: 0 });
const whole = { runs: 1, steps: 2, lines: 2, payloads: 1, results: 1, keys: 0 };
const live = { ...whole, results: 0 };

describe('a sweep', () => {
  test('deletes only runs older than the tenant’s retention, with all their data', async () => {
    await history.settings('acme-shop', { run: 10 });
    const old = await history.run({ age: 11, key: 'order-1' });
    const failed = await history.run({ age: 12, status: 'failed' });
    const young = await history.run({ age: 9, key: 'order-2' });
    const longWay = await history.run({ age: 30, endedAge: 1 });
    await sweep();
    expect(await history.left(old)).toEqual(nothing);
    expect(await history.left(failed)).toEqual(nothing);
    expect(await history.left(young)).toEqual({ ...whole, keys: 1 });
    expect(await history.left(longWay)).toEqual(whole);
  });

  test.each(['queued', 'running', 'waiting'])(
    'leaves a %s run and all of its rows alone, however old',
    async (status) => {
      await history.settings('acme-shop', { run: 1, step: 1, log: 1 });
      const id = await history.run({ age: 500, status });
      await sweep();
      expect(await history.left(id)).toEqual(live);
    },
  );

  test('keeps the parent and child runs of a live run', async () => {
    await history.settings('acme-shop', { run: 1, step: 1, log: 1 });
    const waiting = await history.run({ age: 50, status: 'waiting' });
    const child = await history.run({ age: 50, parent: waiting });
    const grandchild = await history.run({ age: 50, parent: child });
    const parent = await history.run({ age: 50, status: 'cancelled' });
    const alive = await history.run({ age: 50, status: 'queued', parent });
    const lonely = await history.run({ age: 50, parent: 1_000_000 });
    await sweep();
    for (const id of [child, grandchild, parent]) expect(await history.left(id)).toEqual(whole);
    for (const id of [waiting, alive]) expect(await history.left(id)).toEqual(live);
    expect(await history.left(lonely)).toEqual(nothing);
    await api.database.system.query(`UPDATE runs SET status = 'succeeded', completed_at = now() WHERE id = ANY($1)`, [
      [waiting, alive],
    ]);
    await sweep();
    for (const id of [child, grandchild, parent]) expect(await history.left(id)).toEqual(nothing);
    for (const id of [waiting, alive]) expect(await history.left(id)).toEqual(live);
  });

  test('deletes steps and log lines by their own retention, but no steps that a retry would need', async () => {
    await history.settings('acme-shop', { run: 100, step: 5, log: 7 });
    const six = await history.run({ age: 6 });
    const eight = await history.run({ age: 8, status: 'cancelled' });
    const failed = await history.run({ age: 8, status: 'failed' });
    await sweep();
    expect(await history.left(six)).toEqual({ ...whole, steps: 0 });
    expect(await history.left(eight)).toEqual({ ...whole, steps: 0, lines: 0 });
    expect(await history.left(failed)).toEqual({ ...whole, lines: 0 });
  });

  test('uses a workflow’s own retention if it is shorter, even when the tenant keeps runs forever', async () => {
    await history.settings('acme-shop', { run: null });
    const made = async (settings?: object) =>
      (await readyWorkflow(api, { nodes: [node('a', 'set')], ...(settings && { settings }) })).workflowId;
    const short = await history.run({ age: 4, workflowId: await made({ retention_days: 3 }) });
    const long = await history.run({ age: 4, workflowId: await made({ retention_days: 5 }) });
    const plain = await history.run({ age: 4_000, workflowId: await made() });
    await sweep();
    expect((await history.left(short)).runs).toBe(0);
    expect((await history.left(long)).runs).toBe(1);
    expect((await history.left(plain)).runs).toBe(1);
  });

  test('does not apply a tenant’s settings to other tenants', async () => {
    await history.settings('acme-shop', { run: 1 });
    await history.settings('acme-outlet', { run: 50 });
    await history.settings('other-shop', { run: null });
    const ids = await Promise.all(
      ['acme-shop', 'acme-outlet', 'other-shop'].map((tenant) => history.run({ tenant, age: 40 })),
    );
    await sweep();
    expect(await Promise.all(ids.map(async (id) => (await history.left(id)).runs))).toEqual([0, 1, 1]);
  });

  test('deletes settled dead letters with their payloads, but no pending ones', async () => {
    await history.settings('acme-shop', { run: 10 });
    const made = [];
    for (const [status, age] of [
      ['replayed', 11],
      ['discarded', 11],
      ['pending', 500],
      ['replayed', 9],
    ] as const)
      made.push(await history.letter('acme-shop', status, age));
    await sweep();
    expect(await history.lettersLeft(made)).toEqual(made.slice(2));
  });

  test('works through thousands of rows in passes of at most 5,000, and a run of more rows than one', async () => {
    await history.settings('acme-shop', { run: 10, step: 5, log: 5 });
    const large = await history.run({ age: 20, details: 12_000 });
    const largeFailed = await history.run({ age: 20, details: 6_000, status: 'failed' });
    const kept = await history.run({ age: 20, details: 6_000, status: 'running' });
    for (let n = 0; n < 20; n += 1) await history.run({ age: 20 });
    const { deleted } = await sweep();
    expect(deleted.runs).toBe(22);
    expect(await history.left(large)).toEqual(nothing);
    expect(await history.left(largeFailed)).toEqual(nothing);
    expect(await history.left(kept)).toMatchObject({ steps: 6_000, lines: 6_000 });
  });

  test('stops at its time limit, and the next sweep continues', async () => {
    await history.settings('acme-shop', { run: 1 });
    const id = await history.run({ age: 5 });
    const none = await sweepRetention(api.deps, { budgetMs: -1 });
    expect(none).toEqual({ deleted: {}, partitions: [], afterTenant: undefined });
    expect((await history.left(id)).runs).toBe(1);
    expect((await sweep()).afterTenant).toBeUndefined();
    expect((await history.left(id)).runs).toBe(0);
  });
});

test('a tenant whose sweep fails does not affect the sweep of others', async () => {
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  try {
    await history.settings('acme-outlet', { run: 1 });
    await history.settings('other-shop', { run: 1 });
    const stuck = await history.run({ tenant: 'acme-outlet', age: 5 });
    const free = await history.run({ tenant: 'other-shop', age: 5 });
    await owner.query(
      'CREATE TABLE holds (tenant_id text, run_id bigint, FOREIGN KEY (tenant_id, run_id) REFERENCES runs)',
    );
    await owner.query(`INSERT INTO holds VALUES ('acme-outlet', $1)`, [stuck]);
    expect((await sweep()).afterTenant).toBeUndefined();
    expect([(await history.left(stuck)).steps, (await history.left(free)).runs]).toEqual([2, 0]);
    expect(api.logLines.some((line) => line.includes('Retention failed for a tenant'))).toBe(true);
  } finally {
    await owner.query('DROP TABLE IF EXISTS holds');
    await owner.end();
  }
});

test('one pass over steps or log lines reads at most 5,000 rows', async () => {
  const id = await history.run({ age: 40, details: 5_001 });
  const scope = { tenantId: 'acme-shop', days: 30 };
  expect(await purgeDetails(api.database, 'steps', scope, id)).toEqual({ deleted: 5_000, next: id });
  expect(await purgeDetails(api.database, 'steps', scope, id)).toEqual({ deleted: 1, next: undefined });
  expect((await history.left(id)).steps).toBe(0);
});

describe('audit entries', () => {
  const write = (tenant: string, ages: number[]) =>
    api.database.system.query(
      `INSERT INTO audit_entries (tenant_id, org_id, via_system, channel, action, resource_type, resource_id, created_at)
       SELECT $1, 'acme', true, 'system', 'run.finished', 'workflow_run', 'age', now() - a * interval '1 day' FROM unnest($2::int[]) AS a`,
      [tenant, ages],
    );
  const count = async (tenant: string) =>
    (
      await api.database.system.query(
        `SELECT count(*) AS n FROM audit_entries WHERE tenant_id = $1 AND resource_id = 'age'`,
        [tenant],
      )
    ).rows[0].n;

  test('are deleted after the tenant’s retention, and never if it keeps them forever', async () => {
    await history.settings('acme-outlet', { audit: 30 });
    await history.settings('other-shop', { audit: null });
    for (const tenant of ['acme-outlet', 'other-shop']) await write(tenant, [400, 31, 29, 1]);
    await sweep();
    expect([await count('acme-outlet'), await count('other-shop')]).toEqual([2, 4]);
  });

  test('cannot be deleted within their retention, or in too large batches', async () => {
    const purge = (tenant: string | null, days: number, most = 100) =>
      api.database.system.query(`SELECT purge_audit($1, now() - $2 * interval '1 day', $3)`, [tenant, days, most]);
    await expect(purge('acme-outlet', 29)).rejects.toThrow('The tenant keeps these audit entries');
    await expect(purge('other-shop', 3_000)).rejects.toThrow('The tenant keeps these audit entries');
    // One that has set nothing keeps a year.
    await expect(purge('nobody', 364)).rejects.toThrow('The tenant keeps these audit entries');
    await expect(purge('acme-outlet', 30, 5_001)).rejects.toThrow('1 to 5000');
    await expect(purge(null, 400)).rejects.toThrow('Say which tenant');
    await expect(
      api.database.withTenant(
        'acme-outlet',
        (tx) => tx.$queryRaw`SELECT purge_audit('acme-outlet', now() - interval '999 days', 1)`,
      ),
    ).rejects.toThrow('permission denied');
    expect(await count('acme-outlet')).toBe(2);
  });
});

describe('workflows', () => {
  test('that were deleted are removed with their revisions and bundles once they have no runs or dead letters left', async () => {
    await history.settings('acme-shop', { run: 10 });
    const gone = await history.openWorkflow('acme-shop');
    const made = async (extra: (workflowId: number) => Promise<unknown>) => {
      const { workflowId } = await readyWorkflow(api, { nodes: [] });
      await api.database.system.query(
        `INSERT INTO workflow_revisions (tenant_id, workflow_id, revision, blob) SELECT 'acme-shop', $1, n, '{}' FROM generate_series(1, 3) AS n`,
        [workflowId],
      );
      await extra(workflowId);
      await api.database.system.query('UPDATE workflows SET deleted_at = now(), active = false WHERE id = $1', [
        workflowId,
      ]);
      return workflowId;
    };
    const bare = await made(async () => undefined);
    const withRun = await made((workflowId) => history.run({ workflowId, age: 1 }));
    const pending = await made((workflowId) =>
      api.database.system.query(
        `INSERT INTO dead_letters (tenant_id, workflow_id, trigger_id, source, trigger_handle) VALUES ('acme-shop', $1, 1, 'webhook', gen_random_uuid())`,
        [workflowId],
      ),
    );
    await sweep();
    const { rows } = await api.database.system.query<{
      id: number;
      revisions: number;
      bundles: number;
      triggers: number;
    }>(
      `SELECT i AS id, (SELECT count(*) FROM workflows WHERE id = i) AS workflows, (SELECT count(*) FROM workflow_revisions WHERE workflow_id = i) AS revisions,
         (SELECT count(*) FROM workflow_bundles WHERE workflow_id = i) AS bundles, (SELECT count(*) FROM triggers WHERE workflow_id = i) AS triggers
       FROM unnest($1::bigint[]) AS i`,
      [[bare, withRun, pending]],
    );
    const all = { workflows: 1, revisions: 3, bundles: 1, triggers: 1 };
    expect(rows).toEqual([
      { id: bare, workflows: 0, revisions: 0, bundles: 0, triggers: 0 },
      { id: withRun, ...all },
      { id: pending, ...all },
    ]);
    expect(gone).toBeGreaterThan(0);
  });

  test('lose unused bundles, but neither the current one nor that of a run that is live or may be retried', async () => {
    await history.settings('acme-shop', {});
    const { workflowId } = await readyWorkflow(api, { nodes: [] });
    const { rows } = await api.database.system.query<{ id: number }>(
      `INSERT INTO workflow_bundles (tenant_id, workflow_id, revision, content, created_at)
       SELECT 'acme-shop', $1, n, '{}', now() - interval '3 days' FROM generate_series(2, 6) AS n RETURNING id`,
      [workflowId],
    );
    const [unused, waited, retried, done, current] = rows.map(({ id }) => id);
    await api.database.system.query('UPDATE workflows SET bundle_id = $2 WHERE id = $1', [workflowId, current]);
    for (const [bundle, status] of [
      [waited, 'waiting'],
      [retried, 'failed'],
      [done, 'succeeded'],
    ] as const) {
      const run = await history.run({ workflowId, age: 2, status });
      await api.database.system.query('UPDATE runs SET bundle_id = $2 WHERE id = $1', [run, bundle]);
    }
    await sweep();
    const { rows: left } = await api.database.system.query<{ id: number }>(
      'SELECT id FROM workflow_bundles WHERE workflow_id = $1 AND id >= $2 ORDER BY id',
      [workflowId, unused],
    );
    expect(left.map(({ id }) => id)).toEqual([waited, retried, current]);
  });

  test('still run after a sweep', async () => {
    const workflow = await readyWorkflow(api, { nodes: [node('a', 'set')] });
    await sweep();
    expect(await fireRun(api, workflow)).toBeGreaterThan(0);
  });
});

describe('the sweeper', () => {
  test('works in one process at a time', async () => {
    const meanwhile = await inOneProcess(api.database, 'retention', async () => ({
      sweep: await sweepAlone(api.deps, { pauseMs: 0 }),
    }));
    expect(meanwhile).toEqual({ sweep: undefined });
    expect(await sweepAlone(api.deps, { pauseMs: 0 })).toMatchObject({ partitions: [] });
  });

  test('sweeps periodically, reports what it deleted, and can be stopped', async () => {
    await history.settings('acme-shop', { run: 1 });
    const id = await history.run({ age: 5 });
    const task = automation.periodicTasks?.find(({ name }) => name === 'sweep-retention');
    if (!task) throw new Error('Retention has no periodic task.');
    const sweeper = startPeriodicTasks(api.deps, [{ ...task, firstMs: 0 }]);
    await expect.poll(async () => (await history.left(id)).runs, { timeout: 60_000 }).toBe(0);
    await sweeper.stop();
    await expect
      .poll(() => api.logLines.some((line) => line.includes('Retention deleted')), { timeout: 60_000 })
      .toBe(true);
  });
});
