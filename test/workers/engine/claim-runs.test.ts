import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readRun, readyWorkflow } from '#test/setup/engine.ts';
import { claimRuns } from '#workers/engine/claim-runs.ts';
import { isQueueLate } from '#workers/engine/statements/run-claims.ts';
import { registerWorker } from '#workers/engine/statements/run-leases.ts';
import { LeaseLostError } from '#workers/engine/write-step-log.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const hour = 3_600_000;
const newRun = async () => fireRun(api, await readyWorkflow(api, { nodes: [node('a', 'set', { values: {} })] }));
const claimAll = (workerId: string) => claimRuns(api.deps, { workerId, limit: 100, ignoreTenants: [] });
const findJobStates = async (runId: number) => {
  const { rows } = await api.database.system.query<{ state: string }>(
    `SELECT state FROM pgboss.job WHERE (data ->> 'runId')::bigint = $1`,
    [runId],
  );
  return rows.map(({ state }) => state);
};

describe('a claim', () => {
  test('takes the job out of the queue, because the lease replaces it', async () => {
    const runId = await newRun();
    expect(await findJobStates(runId)).toEqual(['created']);
    const { runs } = await claimAll(await registerWorker(api.deps, hour));
    expect(runs.map(({ id }) => id)).toContain(runId);
    expect(await findJobStates(runId)).toEqual([]);
  });

  test('of a worker that has lost its lease leaves the job in the queue', async () => {
    const runId = await newRun();
    await expect(claimAll(await registerWorker(api.deps, -hour))).rejects.toThrow(LeaseLostError);
    expect(await findJobStates(runId)).toEqual(['created']);
    expect(await readRun(api, runId)).toMatchObject({ status: 'queued' });
  });

  test('of two jobs of one run starts it once and takes both', async () => {
    const runId = await newRun();
    await api.database.system.query(
      `INSERT INTO pgboss.job (name, data) SELECT name, data FROM pgboss.job WHERE (data ->> 'runId')::bigint = $1`,
      [runId],
    );
    const { runs } = await claimAll(await registerWorker(api.deps, hour));
    expect(runs.filter(({ id }) => id === runId)).toHaveLength(1);
    expect(await findJobStates(runId)).toEqual([]);
  });
});

describe('the queue of runs', () => {
  test('is late once a run has waited too long', async () => {
    await claimAll(await registerWorker(api.deps, hour));
    expect(await isQueueLate(api.deps, 0)).toBeUndefined();
    const runId = await newRun();
    expect(await isQueueLate(api.deps, hour)).toBe(false);
    expect(await isQueueLate(api.deps, 0)).toBe(true);
    await api.database.system.query(
      `UPDATE pgboss.job SET start_after = now() + interval '1 hour' WHERE (data ->> 'runId')::bigint = $1`,
      [runId],
    );
    expect(await isQueueLate(api.deps, 0)).toBeUndefined();
  });
});
