import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { transformSync } from 'esbuild';
import { expect } from 'vitest';
import { nodeBundleFormat } from '#src/automation/packages/bundler/bundle-format.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow } from '#test/setup/engine.ts';
import type { Receiver } from './receiver.ts';

export interface FiredWorkflow {
  tenantId: string;
  handle: string;
}

/** Each step with a side effect reports it under `<run>/<path>`: to the receiver, or in the outbox. */
const call = (id: string, key: string, receiver: Receiver, more: object = {}) =>
  node(id, 'http-request', { method: 'POST', url: `${receiver.url}/{{ run.id & "/${key}" }}` }, more);
const emit = (id: string, key: string) =>
  node(id, 'emit-event', { topic: 'chaos.step', data: { key: `{{ run.id & "/${key}" }}` } });

/** Workflows that together use every way in which a run can be interrupted: acting, waiting, looping, starting another. */
export async function mixedWorkflows(
  api: Pick<TestApp, 'database'>,
  receiver: Receiver,
  { packages = true }: { packages?: boolean } = {},
): Promise<FiredWorkflow[]> {
  const acting = await readyWorkflow(api, {
    nodes: [
      node('map', 'set', { values: { n: '{{ trigger.payload.n }}' } }),
      emit('first', 'first'),
      call('post', 'post', receiver),
      emit('last', 'last'),
      node('end', 'respond', { value: '{{ nodes.map.outputs.n }}' }),
    ],
    edges: chain('map', 'first', 'post', 'last', 'end'),
  });
  const parallel = await readyWorkflow(api, {
    nodes: [
      node('start', 'set', { values: {} }),
      call('left', 'left', receiver),
      call('right', 'right', receiver),
      node('join', 'merge'),
      emit('done', 'done'),
    ],
    edges: [...chain('start', 'left', 'join', 'done'), ...chain('start', 'right', 'join')],
  });
  const waiting = await readyWorkflow(api, {
    nodes: [emit('before', 'before'), node('pause', 'wait', { duration_ms: 1_300 }), call('after', 'after', receiver)],
    edges: chain('before', 'pause', 'after'),
  });
  const looping = await readyWorkflow(api, {
    nodes: [
      node('each', 'for-each', {
        items: [0, 1, 2],
        concurrency: 2,
        body: {
          nodes: [
            {
              ...call('post', '', receiver),
              config: { method: 'POST', url: `${receiver.url}/{{ run.id & "/each/" & index & "/post" }}` },
            },
            {
              ...emit('said', ''),
              config: { topic: 'chaos.step', data: { key: '{{ run.id & "/each/" & index & "/said" }}' } },
            },
          ],
          edges: chain('post', 'said'),
        },
      }),
      emit('done', 'done'),
    ],
    edges: chain('each', 'done'),
  });
  const nesting = await readyWorkflow(api, {
    nodes: [
      node('sub', 'sub-workflow', { workflow_id: acting.workflowId, payload: { n: 1 } }),
      node('aside', 'sub-workflow', { workflow_id: parallel.workflowId, wait: false }),
      emit('after', 'after'),
    ],
    edges: chain('sub', 'aside', 'after'),
  });
  const all = [acting, parallel, waiting, looping, nesting];
  return packages ? [...all, await packaged(api, 'return { twice: ctx.config.n * 2 }')] : all;
}

/** A workflow with one node of a package, whose `execute(ctx)` has the given body, and an event after it. */
export async function packaged(
  api: Pick<TestApp, 'database'>,
  body: string,
  { tenantId = 'acme-shop', ...more }: { tenantId?: string; timeout_ms?: number } = {},
): Promise<FiredWorkflow & { workflowId: number }> {
  const { format, globalName, platform, target } = nodeBundleFormat;
  const { code } = transformSync(`export async function execute(ctx) {\n${body}\n}`, {
    format,
    globalName,
    platform,
    target,
  });
  const codeHash = createHash('sha256').update(code).digest('hex');
  await api.database.global.nodeCode.upsert({
    where: { hash: codeHash },
    create: { hash: codeHash, code },
    update: {},
  });
  const own = { id: 'own', node: 'acme:own', version: '1.0.0', config: { n: 21 }, ...more };
  const workflow = await readyWorkflow(
    api,
    { nodes: [own, emit('after', 'after')], edges: chain('own', 'after') },
    { tenantId },
  );
  await api.database.withTenant(
    tenantId,
    (tx) =>
      tx.$executeRaw`UPDATE workflow_bundles SET content = jsonb_set(content, '{nodes}', ${JSON.stringify({ 'acme:own@1.0.0': { version: '1.0.0', codeHash } })}::jsonb)
      WHERE tenant_id = ${tenantId} AND workflow_id = ${workflow.workflowId}`,
  );
  return workflow;
}

/** Fires the workflows in turn, `count` runs in all; answers their ids. */
export async function fireMany(api: TestApp, workflows: FiredWorkflow[], count: number): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, (_, n) => fireRun(api, workflows[n % workflows.length] as FiredWorkflow, { n })),
  );
}

/** Waits until no run is open any more; fails with what still is after `limitMs`. */
export async function untilAllEnded({ database }: Pick<TestApp, 'database'>, limitMs: number): Promise<void> {
  for (const deadline = Date.now() + limitMs; ; await delay(100)) {
    const { rows } = await database.system.query(
      `SELECT status, count(*)::int AS n, min(id) AS first FROM runs WHERE completed_at IS NULL GROUP BY status`,
    );
    if (rows.length === 0) return;
    if (Date.now() > deadline) throw new Error(`Runs are still open: ${JSON.stringify(rows)}`);
  }
}

/** How often each key is there. */
function countKeys(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

interface RecordedCall {
  key: string;
  started_at: Date;
  completed_at: Date;
}

/**
 * The invariants after any accident: every run has succeeded, every step was recorded once, every event of a run was published once, and no
 * call was repeated after the step's result was recorded. `repeats` are the calls that were made twice, by time of the first and the last.
 * A request in flight when its worker was stopped arrives when the worker continues: `wasUnderWay` identifies such times of such runs,
 * which are returned as `late`.
 */
export async function expectSound(
  { database }: Pick<TestApp, 'database'>,
  receiver: Receiver,
  wasUnderWay: (at: number, run: number) => boolean = () => false,
): Promise<{
  runs: number;
  steps: number;
  events: number;
  calls: number;
  late: number;
  repeats: { key: string; from: number; to: number }[];
}> {
  const { system } = database;
  // Compared here: Postgres has no statistics yet of tables that were just filled, and would join them row by row.
  const findKeys = async (text: string): Promise<string[]> =>
    (await system.query<{ key: string }>(text)).rows.map(({ key }) => key);
  const runs = await system.query<{ status: string; error: string | null; n: number }>(
    'SELECT status, error, count(*)::int AS n FROM runs GROUP BY status, error',
  );
  expect(runs.rows).toEqual([{ status: 'succeeded', error: null, n: expect.any(Number) }]);

  const steps = await system.query<{ n: number }>(
    `SELECT tenant_id, run_id, path, count(*) FILTER (WHERE status = 'succeeded')::int AS n FROM steps
     GROUP BY tenant_id, run_id, path`,
  );
  expect(steps.rows.filter(({ n }) => n !== 1)).toEqual([]);

  // The key of an emitted event names the run and the path of its step.
  const emits = await findKeys(
    `SELECT s.run_id || '/' || s.path AS key FROM steps s JOIN runs r ON r.tenant_id = s.tenant_id AND r.id = s.run_id
     WHERE s.node_id IN ('first', 'last', 'done', 'before', 'after', 'said')
       AND NOT EXISTS (SELECT FROM workflow_bundles b, jsonb_array_elements(b.content -> 'blob' -> 'nodes') n
         WHERE b.tenant_id = r.tenant_id AND b.id = r.bundle_id AND n ->> 'id' = s.node_id AND n ->> 'node' = 'core:http-request')`,
  );
  const emitted = countKeys(
    await findKeys(`SELECT data ->> 'key' AS key FROM outbox_events WHERE topic = 'chaos.step'`),
  );
  expect([...new Set(emits)].filter((key) => emitted.get(key) !== 1)).toEqual([]);
  const finished = countKeys(
    await findKeys(`SELECT data ->> 'run_id' AS key FROM outbox_events WHERE topic = 'run.finished'`),
  );
  const ends = await findKeys('SELECT id::text AS key FROM runs');
  expect(ends.filter((key) => finished.get(key) !== 1)).toEqual([]);

  const recorded = await system.query<RecordedCall>(
    `SELECT run_id || '/' || path AS key, started_at, completed_at FROM steps WHERE node_id IN ('post', 'left', 'right', 'after') AND outputs ? 'status'`,
  );
  let late = 0;
  const repeats: { key: string; from: number; to: number }[] = [];
  for (const { key, completed_at: completedAt } of recorded.rows) {
    const times = receiver.calls.get(key) ?? [];
    expect(times.length, `calls with ${key}`).toBeGreaterThan(0);
    const after = times.filter((at) => at > completedAt.getTime());
    expect(
      after.filter((at) => !wasUnderWay(at, Number.parseInt(key, 10))).map((at) => [key, at, completedAt]),
    ).toEqual([]);
    late += after.length;
    for (let n = 1; n < times.length; n += 1)
      repeats.push({ key, from: times[n - 1] as number, to: times[n] as number });
  }
  expect(receiver.calls.size).toBe(recorded.rows.length);
  return {
    runs: runs.rows[0]?.n ?? 0,
    steps: steps.rows.length,
    events: emits.length,
    calls: recorded.rows.length,
    late,
    repeats,
  };
}
