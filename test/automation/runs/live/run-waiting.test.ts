import { describe, expect } from 'vitest';
import { createRunFeed, type RunChange } from '#src/automation/runs/live/run-feed.service.ts';
import { waitForRun } from '#src/automation/runs/live/run-waiting.service.ts';
import { test } from '#test/setup/app-test.ts';
import { makeRun, makeWorkflow, moveRun } from '#test/setup/runs.ts';

const tenant = 'acme-shop';
let workflowId: number;

test.beforeAll(async ({ api }) => {
  workflowId = await makeWorkflow(api.deps, tenant, 'Orders to ERP');
});

describe('waiting for a run to end', () => {
  test('returns the row of a run that has already ended', async ({ api }) => {
    const runId = await makeRun(api.deps, tenant, workflowId);
    await moveRun(api.deps, tenant, runId, 'failed', { error: 'The ERP said no.' });
    expect(await waitForRun(api.deps, tenant, runId, 5_000)).toMatchObject({
      id: runId,
      status: 'failed',
      error: 'The ERP said no.',
    });
  });

  test('returns when the run ends, whatever states it passes through', async ({ api }) => {
    const runs = await Promise.all(Array.from({ length: 20 }, () => makeRun(api.deps, tenant, workflowId)));
    const waiting = runs.map((runId) => waitForRun(api.deps, tenant, runId, 20_000));
    for (const status of ['running', 'waiting', 'running', 'succeeded']) {
      await Promise.all(runs.map((runId) => moveRun(api.deps, tenant, runId, status)));
    }
    const ended = await Promise.all(waiting);
    expect(ended.map((row) => [row?.id, row?.status])).toEqual(runs.map((runId) => [runId, 'succeeded']));
  });

  test("returns null after its timeout, for a run that is still live, unknown, or another tenant's", async ({
    api,
  }) => {
    const runId = await makeRun(api.deps, tenant, workflowId);
    const begun = Date.now();
    expect(await waitForRun(api.deps, tenant, runId, 150)).toBeNull();
    expect(Date.now() - begun).toBeGreaterThanOrEqual(140);
    expect(await waitForRun(api.deps, tenant, 999_999_999, 5_000)).toBeNull();
    expect(await waitForRun(api.deps, 'other-shop', runId, 5_000)).toBeNull();
  });
});

test('a change whose row could not be read is read again for the next caller', async ({ api: { deps } }) => {
  const { system } = deps.database;
  let isLost = true;
  const query = (...asked: [never]) => (isLost ? Promise.resolve({ rows: [] }) : system.query(...asked));
  const flaky = { ...deps, database: { ...deps.database, system: { query } } } as unknown as typeof deps;
  const feed = createRunFeed(flaky);
  const changes: RunChange[] = [];
  const detach = feed.subscribe(
    { tenantId: tenant, workflowId },
    { onChange: (change) => changes.push(change), onResync: () => undefined },
  );
  const runId = await makeRun(deps, tenant, workflowId);
  await moveRun(deps, tenant, runId, 'failed', { error: 'The ERP said no.' });
  const failed = () => changes.find((change) => change.runId === runId && change.status === 'failed');
  await expect.poll(failed).toBeDefined();
  detach();
  await expect(failed()?.row()).rejects.toThrow();
  isLost = false;
  expect(await failed()?.row()).toMatchObject({ id: runId, error: 'The ERP said no.' });
});
