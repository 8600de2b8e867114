import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimRuns } from '#src/automation/runs/run-claims.service.ts';
import { holdLease, LeaseLostError, writeJournal } from '#src/automation/runs/run-journal.service.ts';
import { reconcileRuns, registerWorker, renewLease } from '#src/automation/runs/run-leases.service.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { fireRun, node, readRun, readyWorkflow } from '#test/setup/engine.ts';

let api: TestApp;
beforeAll(async () => {
  api = await startTestApp();
});
afterAll(() => api.close());

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

const ending = (run: Awaited<ReturnType<typeof claimOne>>) => ({
  kind: 'finish' as const,
  jobId: run.jobId,
  run: {
    tenantId: run.tenantId,
    runId: run.id,
    version: run.version,
    status: 'succeeded' as const,
    error: null,
    result: null,
  },
});

describe('a lease', () => {
  it('that has run out fences the worker from claims and commits, and is revived only where that is asked for', async () => {
    const worker = await registerWorker(api.deps, 60_000);
    const run = await claimOne(worker);
    await expire(worker);
    await expect(writeJournal(api.deps, worker, [ending(run)])).rejects.toThrow(LeaseLostError);
    await expect(claimOne(worker)).rejects.toThrow(LeaseLostError);
    expect(await renewLease(api.deps, worker, 60_000, { revive: false })).toBe(false);
    expect(await renewLease(api.deps, worker, 60_000, { revive: true })).toBe(true);
    await writeJournal(api.deps, worker, [ending(run)]);
    expect(await readRun(api, run.id)).toMatchObject({ status: 'succeeded' });
  });

  it('of a worker stopped in the middle of a commit keeps no other runs waiting', async () => {
    const [stopped, dead] = await Promise.all([registerWorker(api.deps, 60_000), registerWorker(api.deps, 60_000)]);
    const run = await claimOne(dead);
    await api.database.withSystem(async (client) => {
      await holdLease(client, stopped);
      await Promise.all([expire(stopped), expire(dead)]);
      expect(await reconcileRuns(api.deps)).toMatchObject({ dead: 1 });
    });
    expect(await readRun(api, run.id)).toMatchObject({ status: 'queued' });
    expect(await reconcileRuns(api.deps)).toMatchObject({ dead: 1, recovered: 0 });
  });
});

describe('an entry of the journal that is written again', () => {
  it('ends no run that was given up and claimed once more, by the same worker', async () => {
    const worker = await registerWorker(api.deps, 60_000);
    const run = await claimOne(worker);
    const { tenantId, id: runId, version, jobId } = run;
    await writeJournal(api.deps, worker, [{ kind: 'release', jobId, run: { tenantId, runId, version } }]);
    await api.database.system.query(`UPDATE pgboss.job SET start_after = now() WHERE state = 'created'`);
    const again = await claimRuns(api.deps, { workerId: worker, limit: 10, ignoreTenants: [] });
    expect(again.runs.map(({ id }) => id)).toContain(runId);
    await writeJournal(api.deps, worker, [ending(run)]);
    expect(await readRun(api, runId)).toMatchObject({ status: 'running', version: version + 2 });
  });
});
