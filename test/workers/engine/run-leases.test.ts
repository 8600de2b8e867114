import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { executeRunJob } from '#src/automation/runs/runs.declarations.ts';
import { retryRun } from '#src/automation/runs/runs.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readRun, readyWorkflow } from '#test/setup/engine.ts';
import { claimRuns } from '#workers/engine/claim-runs.ts';
import { maxTakeovers, reconcileRuns, retireWorker } from '#workers/engine/run-leases.ts';
import { registerWorker, renewLease } from '#workers/engine/statements/run-leases.ts';
import { holdLease, LeaseLostError, writeStepLog } from '#workers/engine/write-step-log.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const expire = (worker: string) =>
  api.database.system.query(`UPDATE workers SET lease_until = now() - interval '1 hour' WHERE id = $1`, [worker]);

async function claimOne(worker: string) {
  const workflow = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const id = await fireRun(api, workflow);
  const { runs } = await claimRuns(api.deps, { workerId: worker, limit: 10, ignoreTenants: [] });
  const run = runs.find((claimed) => claimed.id === id);
  if (!run) throw new Error('The run was not claimed.');
  return run;
}

const ending = ({ tenantId, id: runId, claim }: Awaited<ReturnType<typeof claimOne>>) => ({
  held: { claim },
  entry: { kind: 'finish' as const, run: { tenantId, runId, status: 'succeeded' as const, error: null, result: null } },
});

describe('a lease', () => {
  test('that expired fences the worker from claims and commits, and is revived only on request', async () => {
    const worker = await registerWorker(api.deps, 60_000);
    const run = await claimOne(worker);
    await expire(worker);
    await expect(writeStepLog(api.deps, { workerId: worker }, [ending(run)])).rejects.toThrow(LeaseLostError);
    await expect(claimOne(worker)).rejects.toThrow(LeaseLostError);
    expect(await renewLease(api.deps, worker, 60_000, { revive: false })).toBeUndefined();
    expect(await renewLease(api.deps, worker, 60_000, { revive: true })).toBeDefined();
    await writeStepLog(api.deps, { workerId: worker }, [ending(run)]);
    expect(await readRun(api, run.id)).toMatchObject({ status: 'succeeded' });
  });

  test('that expired while nobody could renew it is not taken from the worker that looks for dead ones', async () => {
    const worker = await registerWorker(api.deps, 60_000);
    const run = await claimOne(worker);
    await expire(worker);
    expect(await reconcileRuns(api.deps, worker)).toMatchObject({ dead: 0, recovered: 0 });
    expect(await renewLease(api.deps, worker, 60_000, { revive: true })).toBeDefined();
    await writeStepLog(api.deps, { workerId: worker }, [ending(run)]);
    expect(await readRun(api, run.id)).toMatchObject({ status: 'succeeded' });
  });

  test('returns at each renewal how many live workers precede it, so that the others leave runs to the first', async () => {
    const retireAll = async () => {
      const { rows } = await api.database.system.query<{ id: string }>('SELECT id FROM workers');
      for (const { id } of rows) await retireWorker(api.deps, id, { lost: false });
    };
    await retireAll();
    const workers = await Promise.all([1, 2, 3].map(() => registerWorker(api.deps, 60_000)));
    const [first, second, third] = workers.toSorted() as [string, string, string];
    const before = (worker: string) => renewLease(api.deps, worker, 60_000, { revive: false });
    expect([await before(first), await before(third)]).toEqual([{ before: 0 }, { before: 2 }]);
    await expire(second);
    expect(await before(third)).toEqual({ before: 1 });
    await retireAll();
  });

  test('of a worker stopped in the middle of a commit does not block other runs', async () => {
    const [stopped, dead] = await Promise.all([registerWorker(api.deps, 60_000), registerWorker(api.deps, 60_000)]);
    const run = await claimOne(dead);
    await api.database.withSystem(async (client) => {
      await holdLease(client, stopped);
      await Promise.all([expire(stopped), expire(dead)]);
      expect(await reconcileRuns(api.deps, randomUUID())).toMatchObject({ dead: 1 });
    });
    expect(await readRun(api, run.id)).toMatchObject({ status: 'queued' });
    expect(await reconcileRuns(api.deps, randomUUID())).toMatchObject({ dead: 1, recovered: 0 });
  });
});

describe('a run whose worker dies every time', () => {
  /** A new worker claims the run and dies, `times` times. */
  async function takeOver(runId: number, times: number, meanwhile?: (worker: string) => Promise<unknown>) {
    for (let n = 0; n < times; n += 1) {
      const worker = await registerWorker(api.deps, 60_000);
      const { runs } = await claimRuns(api.deps, { workerId: worker, limit: 100, ignoreTenants: [] });
      expect(runs.map(({ id }) => id)).toContain(runId);
      await meanwhile?.(worker);
      await expire(worker);
      await reconcileRuns(api.deps, randomUUID());
    }
  }
  const start = async () => fireRun(api, await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] }));
  const recordStep = (runId: number, path: string) =>
    api.database.system.query(
      `INSERT INTO steps (tenant_id, run_id, path, node_id, attempt, status, started_at, completed_at)
       VALUES ('acme-shop', $1, $2, $2, 1, 'succeeded', now(), clock_timestamp())`,
      [runId, path],
    );

  test('fails after ten deaths, with that reason, and may be retried', async () => {
    const runId = await start();
    await takeOver(runId, maxTakeovers - 1);
    expect(await readRun(api, runId)).toMatchObject({ status: 'queued', error: null });
    await takeOver(runId, 1);
    expect(await readRun(api, runId)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('was lost 10 times in a row'),
    });
    const { rows } = await api.database.system.query(
      `SELECT action FROM audit_entries WHERE resource_type = 'workflow_run' AND resource_id = $1 ORDER BY id DESC LIMIT 1`,
      [String(runId)],
    );
    expect(rows).toEqual([{ action: 'run.failed' }]);
    await retryRun(api.deps, systemActor('acme', 'acme-shop'), BigInt(runId));
    await takeOver(runId, maxTakeovers - 1);
    expect(await readRun(api, runId)).toMatchObject({ status: 'queued' });
  });

  test('continues as long as it completes another step each time', async () => {
    const runId = await start();
    let steps = 0;
    await takeOver(runId, maxTakeovers + 2, () => recordStep(runId, `step-${(steps += 1)}`));
    await takeOver(runId, maxTakeovers - 2);
    expect(await readRun(api, runId)).toMatchObject({ status: 'queued' });
    await takeOver(runId, 1);
    expect(await readRun(api, runId)).toMatchObject({ status: 'failed' });
  });

  test('does not fail because workers shut down gracefully', async () => {
    const runId = await start();
    for (let n = 0; n < maxTakeovers + 1; n += 1) {
      const worker = await registerWorker(api.deps, 60_000);
      await claimRuns(api.deps, { workerId: worker, limit: 100, ignoreTenants: [] });
      await retireWorker(api.deps, worker, { lost: false });
    }
    expect(await readRun(api, runId)).toMatchObject({ status: 'queued' });
  });
});

describe('a step log entry that is written twice', () => {
  test('does not end a run that the same worker has released and claimed again', async () => {
    const worker = await registerWorker(api.deps, 60_000);
    const run = await claimOne(worker);
    const { tenantId, id: runId, claim } = run;
    await writeStepLog(api.deps, { workerId: worker }, [
      { held: { claim }, entry: { kind: 'release', run: { tenantId, runId } } },
    ]);
    await api.database.system.query(`UPDATE pgboss.job SET start_after = now() WHERE state = 'created'`);
    const again = await claimRuns(api.deps, { workerId: worker, limit: 10, ignoreTenants: [] });
    expect(again.runs.map(({ id }) => id)).toContain(runId);
    await writeStepLog(api.deps, { workerId: worker }, [ending(run)]);
    expect(await readRun(api, runId)).toMatchObject({ status: 'running', version: claim.version + 2 });
  });
});

test('a run without a job is found in a backlog of thousands that have one, and a worker that died meanwhile loses its runs', async () => {
  const { workflowId } = await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] });
  const dead = await registerWorker(api.deps, 60_000);
  const run = await claimOne(dead);
  // By key, each of them would be compared with the jobs of all others, for longer than the 30 seconds that a statement may take.
  await api.database.system.query(
    `WITH made AS (
       INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status, updated_at)
       SELECT 'acme-shop', $1, b.id, 1, 'webhook', 'queued', now() - interval '1 minute'
       FROM workflow_bundles b, generate_series(1, 40000) WHERE b.workflow_id = $1 RETURNING tenant_id, id
     ) INSERT INTO pgboss.job (name, data) SELECT $2, jsonb_build_object('tenantId', tenant_id, 'runId', id) FROM made
       WHERE id < (SELECT max(id) FROM made)`,
    [workflowId, executeRunJob.name],
  );
  await expire(dead);
  expect(await reconcileRuns(api.deps, randomUUID())).toEqual({ dead: 1, recovered: 1, requeued: 1 });
  expect(await readRun(api, run.id)).toMatchObject({ status: 'queued' });
  expect(await reconcileRuns(api.deps, randomUUID())).toEqual({ dead: 0, recovered: 0, requeued: 0 });
}, 120_000);
