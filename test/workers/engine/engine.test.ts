import { describe, expect } from 'vitest';
import { cancelRun, rerunRun, resumeRun, retryRun } from '#src/automation/runs/runs.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';

let api: TestApp;
const actor = systemActor('acme', 'acme-shop');

test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await startEngine();
});

const run = async (blob: Parameters<typeof readyWorkflow>[1], payload: unknown = {}) => {
  const workflow = await readyWorkflow(api, blob);
  return untilRun(api, await fireRun(api, workflow, payload));
};

describe('a run', () => {
  test('passes its payload through a chain of nodes and ends with the outputs of the last', async () => {
    const ended = await run(
      {
        nodes: [
          node('a', 'set', { values: { n: '{{ trigger.payload.n }}' } }),
          node('b', 'set', { values: { twice: '{{ nodes.a.outputs.n * 2 }}' } }),
        ],
        edges: chain('a', 'b'),
      },
      { n: 21 },
    );
    expect(ended).toMatchObject({ status: 'succeeded', error: null, version: 3, result: { b: { twice: 42 } } });
    expect(ended.steps.map(({ path, status }) => [path, status])).toEqual([
      ['a', 'succeeded'],
      ['b', 'succeeded'],
    ]);
  });

  test('takes the branch a condition chooses, skips the other, and joins', async () => {
    const ended = await run(
      {
        nodes: [
          node('check', 'if', { condition: '{{ trigger.payload.total > 100 }}' }),
          node('big', 'set', { values: { size: 'big' } }),
          node('small', 'set', { values: { size: 'small' } }),
          node('join', 'merge'),
        ],
        edges: [
          { from: { node: 'check', branch: 'true' }, to: 'big' },
          { from: { node: 'check', branch: 'false' }, to: 'small' },
          ...chain('big', 'join'),
          ...chain('small', 'join'),
        ],
      },
      { total: 500 },
    );
    expect(ended).toMatchObject({ status: 'succeeded', result: { join: { big: { size: 'big' } } } });
    expect(ended.steps.find(({ path }) => path === 'small')?.status).toBe('skipped');
  });

  test('returns the last core:respond value as its result', async () => {
    const ended = await run({
      nodes: [node('a', 'respond', { value: 1 }), node('b', 'respond', { value: { ok: true } })],
      edges: chain('a', 'b'),
    });
    expect(ended.result).toEqual({ ok: true });
  });

  test('fails with the message of core:fail, whatever on_error says', async () => {
    const ended = await run(
      { nodes: [node('no', 'fail', { message: 'Out of {{ trigger.payload.what }}' }, { on_error: 'continue' })] },
      { what: 'ink' },
    );
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('Out of ink') });
  });

  test('fails at core:fail even if its message cannot be computed, and in a loop that goes on after failures', async () => {
    const failing = node('no', 'fail', { message: '{{ $number("ink") }}' }, { on_error: 'continue' });
    const body = { nodes: [failing], edges: [] };
    const loop = node('each', 'for-each', { items: ['a'], on_error: 'continue', body }, { on_error: 'continue' });
    for (const only of [failing, loop]) expect(await run({ nodes: [only] })).toMatchObject({ status: 'failed' });
  });

  test('writes one log line when it fails, with the place and the code, but none of its data', async () => {
    const failing = node('no', 'fail', { message: 'Out of {{ trigger.payload.what }}' });
    const blobs = [
      { nodes: [failing] },
      { nodes: [node('each', 'for-each', { items: ['a', 'b'], body: { nodes: [failing], edges: [] } })] },
      { nodes: [node('late', 'wait', { duration_ms: 60_000 })], settings: { timeout_ms: 50 } },
    ];
    const expected = [
      { step: 'no', code: 'FAILED' },
      { step: 'each/0/no', code: 'FAILED' },
      { step: null, code: 'RUN_TIMEOUT' },
    ];
    for (const [index, blob] of blobs.entries()) {
      const workflow = await readyWorkflow(api, blob);
      const runId = await fireRun(api, workflow, { what: 'canary-ink' });
      await untilRun(api, runId, 'failed');
      const ofRun = () =>
        api.logLines
          .map((line) => JSON.parse(line) as object)
          .filter((line) => 'runId' in line && line.runId === runId);
      await expect.poll(ofRun).toHaveLength(1);
      const { tenantId, workflowId } = workflow;
      expect(ofRun()).toMatchObject([{ tenantId, workflowId, runId, msg: 'A run failed.', ...expected[index] }]);
    }
    expect(api.logLines.join('')).not.toContain('canary-ink');
  });

  test('continues along the error branch of a failed node', async () => {
    const ended = await run({
      nodes: [
        node('parse', 'parse', { format: 'json', text: 'nonsense' }, { on_error: 'branch' }),
        node('rescue', 'set', { values: { code: '{{ nodes.parse.outputs.error.code }}' } }),
      ],
      edges: [{ from: { node: 'parse', branch: 'error' }, to: 'rescue' }],
    });
    expect(ended).toMatchObject({ status: 'succeeded', result: { rescue: { code: expect.any(String) } } });
  });

  test('runs a loop body for each item and keeps the order', async () => {
    const body = { nodes: [node('double', 'set', { values: { n: '{{ item * 2 }}', at: '{{ index }}' } })], edges: [] };
    const ended = await run(
      { nodes: [node('each', 'for-each', { items: '{{ trigger.payload.items }}', concurrency: 3, body })] },
      { items: [1, 2, 3, 4] },
    );
    expect(ended.status).toBe('succeeded');
    expect(ended.result).toEqual({ each: { results: [1, 2, 3, 4].map((n, at) => ({ double: { n: n * 2, at } })) } });
    expect(ended.steps.map(({ path }) => path)).toContain('each/3/double');
  });

  test('follows the edges of a loop body, whose branch is optional', async () => {
    const body = {
      nodes: [node('one', 'set', { values: { n: '{{ item }}' } }), node('two', 'merge')],
      edges: chain('one', 'two'),
    };
    const ended = await run({ nodes: [node('each', 'for-each', { items: [7], body })] });
    expect(ended.result).toEqual({ each: { results: [{ two: { one: { n: 7 } } }] } });
  });

  test('keeps the results of the good items when a loop continues on errors', async () => {
    const body = { nodes: [node('parse', 'parse', { format: 'json', text: '{{ item }}' })], edges: [] };
    const ended = await run({
      nodes: [node('each', 'for-each', { items: ['{"a":1}', 'bad'], on_error: 'continue', body })],
    });
    expect(ended).toMatchObject({ status: 'succeeded' });
    expect((ended.result as { each: { results: object[] } }).each.results[1]).toHaveProperty('error');
  });

  test('starts another workflow and uses its result', async () => {
    const child = await readyWorkflow(api, {
      nodes: [node('r', 'respond', { value: { got: '{{ trigger.payload.x }}' } })],
    });
    const ended = await run({
      nodes: [node('sub', 'sub-workflow', { workflow_id: child.workflowId, payload: { x: 7 } })],
    });
    expect(ended).toMatchObject({
      status: 'succeeded',
      result: { sub: { run_id: expect.any(Number), result: { got: 7 } } },
    });
  });

  test('fails the step when the workflow it started fails', async () => {
    const child = await readyWorkflow(api, { nodes: [node('f', 'fail', { message: 'child says no' })] });
    const ended = await run({ nodes: [node('sub', 'sub-workflow', { workflow_id: child.workflowId })] });
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('child says no') });
  });

  test('ends a cycle of workflows instead of starting runs forever', async () => {
    const self = await readyWorkflow(api, { nodes: [node('x', 'set', { values: {} })] });
    const blob = {
      version: 'v1',
      nodes: [{ ...node('sub', 'sub-workflow', { workflow_id: self.workflowId }), on_error: 'fail' }],
      edges: [],
    };
    await api.database.system.query(
      `UPDATE workflow_bundles SET content = jsonb_build_object('blob', $2::jsonb, 'nodes', '{}'::jsonb) WHERE workflow_id = $1`,
      [self.workflowId, JSON.stringify(blob)],
    );
    const ended = await untilRun(api, await fireRun(api, self), undefined, 30_000);
    expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('deep') });
  });
});

describe('waiting', () => {
  test('keeps its slot for a short time', async () => {
    const ended = await run({
      nodes: [node('w', 'wait', { duration_ms: 50 }), node('a', 'set', { values: { ok: true } })],
      edges: chain('w', 'a'),
    });
    expect(ended).toMatchObject({ status: 'succeeded', result: { a: { ok: true } } });
  });

  test('suspends for a longer time and resumes', async () => {
    const workflow = await readyWorkflow(api, {
      nodes: [node('w', 'wait', { duration_ms: 1_600 }), node('a', 'set', { values: { ok: true } })],
      edges: chain('w', 'a'),
    });
    const id = await fireRun(api, workflow);
    const waiting = await untilRun(api, id, 'waiting');
    expect(waiting.wake_at).not.toBeNull();
    const ended = await untilRun(api, id);
    expect(ended).toMatchObject({ status: 'succeeded', result: { a: { ok: true } } });
    expect(ended.steps.filter(({ path }) => path === 'w')).toHaveLength(1);
  });

  test('continues when an outside caller resumes it with the step token, once', async () => {
    const workflow = await readyWorkflow(api, {
      nodes: [
        node('w', 'wait', { resume: true }),
        node('a', 'set', { values: { said: '{{ nodes.w.outputs.data.answer }}' } }),
      ],
      edges: chain('w', 'a'),
    });
    const id = await fireRun(api, workflow);
    const waiting = await untilRun(api, id, 'waiting');
    const token = waiting.steps[0]?.resume_token;
    await expect(resumeRun(api.deps, actor, BigInt(id), { token: crypto.randomUUID(), data: {} })).rejects.toThrow(
      'Not found.',
    );
    const both = await Promise.allSettled(
      [1, 2].map(() => resumeRun(api.deps, actor, BigInt(id), { token, data: { answer: 'yes' } })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await untilRun(api, id)).toMatchObject({ status: 'succeeded', result: { a: { said: 'yes' } } });
  });
});

describe('an operator', () => {
  test('cancels a running run, whose worker stops immediately', async () => {
    // Enough of them for it to run still when it is cancelled.
    const stages = Array.from({ length: 60 }, (_, n) => `w${n}`);
    const workflow = await readyWorkflow(api, {
      nodes: stages.map((stage) => node(stage, 'wait', { duration_ms: 900 })),
      edges: chain(...stages),
    });
    const id = await fireRun(api, workflow);
    await untilRun(api, id, (state) => state.status === 'running' && state.steps.length > 0);
    expect(await cancelRun(api.deps, actor, BigInt(id))).toMatchObject({ runId: id });
    expect(await untilRun(api, id)).toMatchObject({ status: 'cancelled' });
    await expect(cancelRun(api.deps, actor, BigInt(id))).rejects.toThrow('cancelled already');
  });

  test('cancels a waiting run without a worker', async () => {
    const workflow = await readyWorkflow(api, { nodes: [node('w', 'wait', { duration_ms: 600_000 })] });
    const id = await fireRun(api, workflow);
    await untilRun(api, id, 'waiting');
    expect(await cancelRun(api.deps, actor, BigInt(id))).toMatchObject({ status: 'cancelled' });
  });

  test('resumes a failed run from the failed step without repeating recorded steps', async () => {
    const workflow = await readyWorkflow(api, {
      nodes: [
        node('event', 'emit-event', { topic: 'test.once' }),
        node('parse', 'parse', { format: 'json', text: '{{ trigger.payload.text }}' }),
      ],
      edges: chain('event', 'parse'),
    });
    const id = await fireRun(api, workflow, { text: 'bad' });
    expect(await untilRun(api, id)).toMatchObject({ status: 'failed' });
    await api.database.system.query(`UPDATE run_payloads SET payload = '{"text":"{}"}' WHERE run_id = $1`, [id]);
    await retryRun(api.deps, actor, BigInt(id));
    const ended = await untilRun(api, id);
    expect(ended).toMatchObject({ status: 'succeeded', error: null });
    expect(ended.steps.map(({ path, attempt, status }) => [path, attempt, status])).toEqual([
      ['event', 1, 'succeeded'],
      ['parse', 1, 'failed'],
      ['parse', 2, 'succeeded'],
    ]);
    const { rows } = await api.database.system.query(
      `SELECT count(*)::int AS n FROM outbox_events WHERE topic = 'test.once'`,
    );
    expect(rows[0].n).toBe(1);
  });

  test('reruns with an edited payload as a new run', async () => {
    const workflow = await readyWorkflow(api, { nodes: [node('r', 'respond', { value: '{{ trigger.payload.v }}' })] });
    const id = await fireRun(api, workflow, { v: 1 });
    await untilRun(api, id);
    const again = await rerunRun(api.deps, actor, BigInt(id), { payload: { v: 2 } });
    expect(again.runId).not.toBe(id);
    expect(await untilRun(api, again.runId)).toMatchObject({ result: 2 });
  });
});

describe('limits', () => {
  test('runs no more runs of a workflow than its concurrency allows', async () => {
    const workflow = await readyWorkflow(api, {
      nodes: [node('w', 'wait', { duration_ms: 120 })],
      settings: { concurrency: 2 },
    });
    const ids = await Promise.all(Array.from({ length: 7 }, () => fireRun(api, workflow)));
    let most = 0;
    for (;;) {
      const { rows } = await api.database.system.query(
        `SELECT count(*) FILTER (WHERE status = 'running')::int AS running, count(*) FILTER (WHERE completed_at IS NULL)::int AS open FROM runs WHERE workflow_id = $1`,
        [workflow.workflowId],
      );
      most = Math.max(most, rows[0].running);
      if (rows[0].open === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(2);
    for (const id of ids) expect((await untilRun(api, id)).status).toBe('succeeded');
  });

  test('fails a run that exceeds its time limit, even while it waits', async () => {
    const quick = await run({ nodes: [node('w', 'wait', { duration_ms: 900 })], settings: { timeout_ms: 100 } });
    expect(quick).toMatchObject({ status: 'failed', error: 'The run exceeded its time limit.' });
    const waiting = await run({ nodes: [node('w', 'wait', { resume: true })], settings: { timeout_ms: 1_200 } });
    expect(waiting).toMatchObject({ status: 'failed', error: 'The run exceeded its time limit.' });
  });

  test('starts the error workflow of a run that failed', async () => {
    const handler = await readyWorkflow(api, {
      nodes: [node('r', 'respond', { value: '{{ trigger.payload.error }}' })],
    });
    await run({ nodes: [node('f', 'fail', { message: 'boom' })], settings: { error_workflow_id: handler.workflowId } });
    const { rows } = await api.database.system.query('SELECT id FROM runs WHERE workflow_id = $1', [
      handler.workflowId,
    ]);
    expect(await untilRun(api, rows[0].id)).toMatchObject({
      status: 'succeeded',
      result: expect.stringContaining('boom'),
    });
  });
});
