import { describe, expect } from 'vitest';
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
