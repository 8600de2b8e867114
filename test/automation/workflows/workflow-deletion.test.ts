import { expect } from 'vitest';
import { stopWorkflowRunsJob } from '#src/automation/workflows/workflows.declarations.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { makeRun, makeWorkflow } from '#test/setup/runs.ts';
import { stopWorkflowRuns } from '#workers/engine/stop-runs.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const remove = (id: number) =>
  api.graphql('mutation ($id: ID!) { deleteWorkflow(input: { id: $id }) { __typename } }', { id });

/** The jobs that the deletion queued, in a worker's form. */
async function queued(): Promise<{ payload: { tenantId: string; workflowId: number }; due: boolean }[]> {
  const { rows } = await api.database.system.query(
    `SELECT data AS payload, start_after <= now() AS due FROM pgboss.job WHERE name = $1 AND state = 'created' ORDER BY start_after`,
    [stopWorkflowRunsJob.name],
  );
  return rows;
}

test('stops only the deleted workflow’s runs, whether queued, waiting or running', async () => {
  const engine = await startTestEngine(api);
  try {
    const waiting = await readyWorkflow(api, { nodes: [node('wait', 'wait', { duration_ms: 600_000 })] });
    const other = await readyWorkflow(api, { nodes: [node('wait', 'wait', { duration_ms: 600_000 })] });
    const busy = await readyWorkflow(api, {
      nodes: [
        node('each', 'for-each', {
          items: '{{ trigger.payload }}',
          body: { nodes: [node('w', 'wait', { duration_ms: 50 })], edges: [] },
        }),
        node('end', 'set'),
      ],
      edges: chain('each', 'end'),
    });
    const runId = await fireRun(api, waiting);
    const otherId = await fireRun(api, other);
    const busyId = await fireRun(
      api,
      busy,
      Array.from({ length: 500 }, (_, n) => n),
    );
    await untilRun(api, runId, 'waiting');
    await untilRun(api, otherId, 'waiting');
    await untilRun(api, busyId, (run) => ['running', 'waiting'].includes(run.status));
    await remove(waiting.workflowId);
    await remove(busy.workflowId);
    const jobs = await queued();
    // Each runs immediately, and again for firings that were in progress.
    expect(jobs.map(({ due }) => due)).toEqual([true, true, false, false]);
    for (const { payload } of jobs) await stopWorkflowRuns(api.deps, payload);
    expect((await untilRun(api, runId)).status).toBe('cancelled');
    expect((await untilRun(api, busyId)).status).toBe('cancelled');
    expect((await untilRun(api, otherId, 'waiting')).status).toBe('waiting');
  } finally {
    await engine.stop();
  }
});

test('stops more runs than fit into one batch, with an audit entry each', async () => {
  const workflowId = await makeWorkflow(api.deps, 'acme-outlet', 'Many runs');
  for (let n = 0; n < 450; n += 1) await makeRun(api.deps, 'acme-outlet', workflowId, { silently: true });
  await stopWorkflowRuns(api.deps, { tenantId: 'acme-outlet', workflowId });
  const { rows } = await api.database.system.query(
    `SELECT status, count(*) AS runs, (SELECT count(*) FROM audit_entries WHERE tenant_id = 'acme-outlet' AND action = 'run.finished') AS audited
     FROM runs WHERE workflow_id = $1 GROUP BY status`,
    [workflowId],
  );
  expect(rows).toEqual([{ status: 'cancelled', runs: 450, audited: 450 }]);
});
