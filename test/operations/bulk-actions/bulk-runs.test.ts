import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import {
  auditSince,
  execute,
  globalId,
  toKey,
  makeRuns,
  newestAudit,
  read,
  start,
  startAndExecute,
} from './bulk-action-calls.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const workflow = async (nodes: object[] = [node('a', 'set')]) => (await readyWorkflow(api, { nodes })).workflowId;

const statuses = async (ids: readonly number[]): Promise<Record<string, number>> => {
  const { rows } = await api.database.system.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM runs WHERE id = ANY($1) GROUP BY status',
    [ids],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

const listJobs = async (ids: readonly number[]): Promise<number> => {
  const { rows } = await api.database.system.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pgboss.job WHERE name = 'automation.run.execute' AND (data ->> 'runId')::bigint = ANY($1)`,
    [ids],
  );
  return rows[0]?.count as number;
};

describe('retryRuns', () => {
  test('retries the failed runs of a filter, oldest first in batches, each queued and audited once', async () => {
    const workflowId = await workflow();
    const failed = await makeRuns(api, workflowId, { count: 700 });
    const others = await makeRuns(api, workflowId, { count: 3, status: 'succeeded' });
    const dry = await start(api, 'retryRuns', { filter: { workflowId }, dryRun: true });
    expect(dry).toMatchObject({ count: 700, bulkAction: null });
    expect(dry.runs?.map(({ databaseId }) => databaseId)).toEqual(failed.slice(0, 20));
    expect(await statuses(failed)).toEqual({ failed: 700 });

    const since = await newestAudit(api);
    const done = await startAndExecute(api, 'retryRuns', { filter: { workflowId } });
    expect(done).toMatchObject({
      kind: 'RETRY_RUNS',
      status: 'COMPLETED',
      total: 700,
      done: 700,
      refused: 0,
      startedBy: 'admin@example.com',
    });
    expect(await statuses(failed)).toEqual({ queued: 700 });
    expect(await statuses(others)).toEqual({ succeeded: 3 });
    expect(await listJobs(failed)).toBe(700);
    expect(await auditSince(api, since)).toEqual({ 'bulk_action start': 1, 'workflow_run run.started': 700 });
    const rows = await api.database.tenantQuery('acme-shop', {
      text: 'SELECT count(*)::int AS count FROM bulk_action_batches WHERE action_id = $1',
      values: [toKey(done.id)],
    });
    expect(rows).toEqual([{ count: 0 }]);
  });

  test('refuses each run that ended otherwise, is unknown or of another tenant, with the reason of the single action', async () => {
    const workflowId = await workflow();
    const [failed, cancelled] = [
      ...(await makeRuns(api, workflowId, { count: 1 })),
      ...(await makeRuns(api, workflowId, { count: 1, status: 'cancelled' })),
    ] as [number, number];
    const foreign = await readyWorkflow(api, { nodes: [node('a', 'set')] }, { tenantId: 'other-shop' });
    const [theirs] = (await makeRuns(api, foreign.workflowId, { count: 1, tenantId: 'other-shop' })) as [number];
    const done = await startAndExecute(api, 'retryRuns', {
      ids: [globalId('Run', failed), globalId('Run', cancelled), globalId('Run', theirs), globalId('Run', failed)],
    });
    expect(done).toMatchObject({ status: 'COMPLETED', total: 3, done: 1, refused: 2 });
    expect(done.refusals).toEqual({
      totalCount: 2,
      edges: [
        {
          node: {
            itemId: globalId('Run', cancelled),
            code: 'CONFLICT',
            reason: 'Only a failed run can be retried; this one is cancelled.',
          },
        },
        { node: { itemId: globalId('Run', theirs), code: 'NOT_FOUND', reason: 'Not found.' } },
      ],
    });
    expect(await statuses([theirs])).toEqual({ failed: 1 });
  });

  test('refuses runs that were retried or cancelled between its start and their batch', async () => {
    const workflowId = await workflow();
    const failed = await makeRuns(api, workflowId, { count: 30 });
    const { bulkAction } = await start(api, 'retryRuns', { filter: { workflowId } });
    await api.database.system.query(`UPDATE runs SET status = 'succeeded' WHERE id = ANY($1)`, [failed.slice(5, 15)]);
    expect(await execute(api, bulkAction?.id as string)).toMatchObject({ done: 20, refused: 10, status: 'COMPLETED' });
  });

  test('tries a run again that another transaction has locked', async () => {
    const workflowId = await workflow();
    const failed = await makeRuns(api, workflowId, { count: 3 });
    const { bulkAction } = await start(api, 'retryRuns', { filter: { workflowId } });
    const executing = api.database.withSystem(async (tx) => {
      await tx.query('SELECT FROM runs WHERE id = $1 FOR UPDATE', [failed[1]]);
      const running = execute(api, bulkAction?.id as string);
      await untilRun(api, failed[0] as number, 'queued');
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { running };
    });
    const { running } = await executing;
    expect(await running).toMatchObject({ status: 'COMPLETED', done: 3, refused: 0 });
    expect(await statuses(failed)).toEqual({ queued: 3 });
  });

  test('holds the runs of a workflow with a limit', async () => {
    const { workflowId } = await readyWorkflow(api, {
      nodes: [node('a', 'set')],
      settings: { concurrency: 2 },
    });
    const failed = await makeRuns(api, workflowId, { count: 5 });
    await startAndExecute(api, 'retryRuns', { filter: { workflowId } });
    const { rows } = await api.database.system.query(
      'SELECT held, count(*)::int AS count FROM runs WHERE id = ANY($1) GROUP BY held ORDER BY held',
      [failed],
    );
    expect(rows).toEqual([
      { held: false, count: 2 },
      { held: true, count: 3 },
    ]);
    expect(await listJobs(failed)).toBe(2);
  });
});

test('rerunRuns starts a new run of the current revision with the payload of each', async () => {
  const workflowId = await workflow();
  const ended = await makeRuns(api, workflowId, { count: 12, status: 'succeeded' });
  const done = await startAndExecute(api, 'rerunRuns', { filter: { workflowId } });
  expect(done).toMatchObject({ status: 'COMPLETED', total: 12, done: 12 });
  const { rows } = await api.database.system.query<{ of: number; number: number }>(
    `SELECT r.rerun_of_id AS of, (p.payload ->> 'number')::int AS number FROM runs r
     JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id WHERE r.rerun_of_id = ANY($1) ORDER BY 1`,
    [ended],
  );
  expect(rows).toEqual(ended.map((id) => ({ of: id, number: id })));
});

test('rerunRuns starts payloads of 30 MiB in several transactions', async () => {
  const workflowId = await workflow();
  const ended = await makeRuns(api, workflowId, { count: 30, status: 'failed' });
  await api.database.system.query(
    `UPDATE run_payloads SET payload = jsonb_build_object('text', repeat('x', 1000000)) WHERE run_id = ANY($1)`,
    [ended],
  );
  expect(await startAndExecute(api, 'rerunRuns', { filter: { workflowId } })).toMatchObject({ done: 30, refused: 0 });
  const { rows } = await api.database.system.query(
    'SELECT count(DISTINCT rerun_of_id)::int AS runs, count(*)::int AS of FROM runs WHERE rerun_of_id = ANY($1)',
    [ended],
  );
  expect(rows).toEqual([{ runs: 30, of: 30 }]);
});

test('cancelRuns ends those that no worker holds, and asks for the others', async () => {
  const workflowId = await workflow();
  const queued = await makeRuns(api, workflowId, { count: 4, status: 'queued' });
  const running = await makeRuns(api, workflowId, { count: 2, status: 'running' });
  const since = await newestAudit(api);
  const done = await startAndExecute(api, 'cancelRuns', { filter: { workflowId } });
  expect(done).toMatchObject({ status: 'COMPLETED', total: 6, done: 6 });
  expect(await statuses([...queued, ...running])).toEqual({ cancelled: 4, running: 2 });
  const { rows } = await api.database.system.query(
    'SELECT DISTINCT cancel_requested_sub AS sub FROM runs WHERE id = ANY($1)',
    [running],
  );
  expect(rows).toEqual([{ sub: 'test-admin' }]);
  expect(await auditSince(api, since)).toEqual({ 'bulk_action start': 1, 'workflow_run run.finished': 4 });
});

test('resumeRuns resumes every step that waits for an outside caller, with the same data', async ({ startEngine }) => {
  await startEngine();
  const ready = await readyWorkflow(api, { nodes: [node('a', 'wait', { resume: true })] });
  const waiting = await Promise.all([1, 2, 3].map(() => fireRun(api, ready)));
  for (const id of waiting) await untilRun(api, id, 'waiting');
  const [other] = (await makeRuns(api, ready.workflowId, { count: 1, status: 'waiting' })) as [number];
  const done = await startAndExecute(api, 'resumeRuns', {
    filter: { workflowId: ready.workflowId },
    data: { approved: true },
  });
  expect(done).toMatchObject({ done: 3, refused: 1 });
  expect(done.refusals.edges[0]?.node).toEqual({
    itemId: globalId('Run', other),
    code: 'CONFLICT',
    reason: 'No step of the run waits for an outside caller.',
  });
  for (const id of waiting) {
    const { steps } = await untilRun(api, id, 'succeeded');
    expect(steps[0]?.outputs).toEqual({ data: { approved: true } });
  }
});

test('an action that nothing matches has completed', async () => {
  const workflowId = await workflow();
  const { count, bulkAction } = await start(api, 'retryRuns', { filter: { workflowId } });
  expect([count, bulkAction?.status]).toEqual([0, 'COMPLETED']);
  expect(await read(api, bulkAction?.id as string)).toMatchObject({ total: 0, done: 0, refused: 0 });
});
