import { describe, expect } from 'vitest';
import { registerBuiltinPackages } from '#src/automation/packages/builtin-packages.service.ts';
import { buildWorkflow } from '#src/automation/workflows/bundles.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { call } from './rest.ts';

const user = { roles: ['user'] };
const outlet = { tenant: 'acme-outlet' };

let api: TestApp;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await registerBuiltinPackages(api.deps);
  await startEngine();
});

const nodes = {
  echoing: [node('echo', 'set', { values: { seen: '{{ trigger.payload }}' } })],
  failing: [node('fail', 'fail', { message: 'No.' })],
  waiting: [node('hold', 'wait', { resume: true })],
};

const createWorkflow = (kind: keyof typeof nodes) => readyWorkflow(api, { nodes: nodes[kind] }, { type: 'manual' });

async function start(workflowId: number, body: object = {}) {
  const answer = await call(api, 'POST', `/workflows/${workflowId}/runs`, { as: user, body });
  expect(answer).toMatchObject({ status: 202, body: { workflow_id: workflowId } });
  return Number(answer.body['id']);
}

describe('starting a run over REST', () => {
  test('answers 202 with id, workflow and status, from the manual trigger', async () => {
    const { workflowId } = await createWorkflow('echoing');
    const { status, body } = await call(api, 'POST', `/workflows/${workflowId}/runs`, {
      as: user,
      body: { payload: { n: 1 } },
    });
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.any(Number),
      workflow_id: workflowId,
      status: expect.stringMatching(/queued|running|succeeded/),
    });
    expect(await untilRun(api, Number(body['id']))).toMatchObject({ result: { echo: { seen: { n: 1 } } } });
  });

  test('returns the first run for a repeated idempotency key', async () => {
    const { workflowId } = await createWorkflow('echoing');
    const body = { idempotency_key: 'order-7', payload: null };
    expect(await start(workflowId, body)).toBe(await start(workflowId, body));
    expect(await start(workflowId, { ...body, idempotency_key: 'order-8' })).not.toBe(await start(workflowId, body));
  });

  test('answers 409 while the bundle is not ready', async () => {
    const { body: workflow } = await call(api, 'POST', '/workflows', { body: { name: 'Not built' } });
    const path = `/workflows/${workflow['id']}`;
    await call(api, 'POST', `${path}/triggers`, { body: { type: 'manual', name: 'x' } });
    const answer = await call(api, 'POST', `${path}/runs`, { body: {} });
    expect(answer).toMatchObject({ status: 409, body: { message: 'Workflow bundle is not ready.' } });
  });

  test('answers 409 with the error of the build that failed', async () => {
    const blob = { version: 'v1', nodes: [node('ask', 'http-request', {})], edges: [] };
    const { body: workflow } = await call(api, 'POST', '/workflows', { body: { name: 'Cannot be built', blob } });
    const workflowId = Number(workflow['id']);
    const trigger = await call(api, 'POST', `/workflows/${workflowId}/triggers`, {
      body: { type: 'webhook', name: 'x' },
    });
    await call(api, 'POST', `/workflows/${workflowId}/triggers`, { body: { type: 'manual', name: 'y' } });
    await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
    const message = expect.stringMatching(
      /^Workflow bundle is not ready\. Its build failed: ask: config\.url: is required\.$/,
    ) as string;
    const answer = await call(api, 'POST', `/workflows/${workflowId}/runs`, { body: {} });
    expect(answer).toMatchObject({ status: 409, body: { message } });
    // So does the dead letter of a firing, and its replay.
    const fired = await call(api, 'POST', `/webhooks/${trigger.body['handle']}`, { body: {} });
    const letter = `/dead-letters/${fired.body['dead_letter_id']}`;
    expect(await call(api, 'GET', letter)).toMatchObject({ status: 200, body: { reason: message } });
    expect(await call(api, 'POST', `${letter}/replay`)).toMatchObject({ status: 409, body: { message } });
  });

  test('answers 422 without a manual trigger, and to a handle of another workflow', async () => {
    const { workflowId } = await readyWorkflow(api, { nodes: nodes.echoing }, { type: 'webhook' });
    const path = `/workflows/${workflowId}/runs`;
    expect(await call(api, 'POST', path, { body: {} })).toMatchObject({
      status: 422,
      body: { message: 'Workflow has no active manual trigger; pass trigger_handle to start a specific trigger.' },
    });
    for (const trigger_handle of ['00000000-0000-4000-8000-000000000000', 'nonsense', 5]) {
      const answer = await call(api, 'POST', path, { body: { trigger_handle } });
      expect(answer).toMatchObject({ status: 422, body: { errors: { trigger_handle: [expect.any(String)] } } });
    }
    expect((await call(api, 'GET', path)).body).toMatchObject({ meta: { total: 0 } });
  });
});

describe('controlling a run over REST', () => {
  test('cancels a live run, and answers 409 for an ended one', async () => {
    const { workflowId } = await createWorkflow('waiting');
    const id = await start(workflowId);
    await untilRun(api, id, 'waiting');
    const cancelled = await call(api, 'POST', `/runs/${id}/cancel`, { as: user });
    expect(cancelled).toMatchObject({ status: 202, body: { id, workflow_id: workflowId, status: 'cancelled' } });
    for (const action of ['cancel', 'retry']) {
      const again = await call(api, 'POST', `/runs/${id}/${action}`);
      expect(again).toMatchObject({ status: 409, body: { message: expect.any(String) } });
    }
  });

  test('shows the revision that a retry keeps and a rerun uses, and warns if they differ', async () => {
    const { workflowId } = await createWorkflow('failing');
    const id = await start(workflowId);
    await untilRun(api, id, 'failed');
    const unchanged = await call(api, 'POST', `/runs/${id}/retry`, { as: user });
    expect(unchanged).toMatchObject({ status: 202, body: { id, revision: 1, warning: null } });
    expect(unchanged.headers['warning']).toBeUndefined();
    await untilRun(api, id, 'failed');

    const blob = { version: 'v1', nodes: [node('fail', 'fail', { message: 'Still no.' })], edges: [] };
    await call(api, 'PATCH', `/workflows/${workflowId}`, { body: { blob } });
    await buildWorkflow(api.deps, { tenantId: 'acme-shop', workflowId });
    const warning =
      'The workflow has changed since: this run keeps revision 1, and the workflow is at 2. To run it as it now is, use rerun.';
    const kept = await call(api, 'POST', `/runs/${id}/retry`, { as: user });
    expect(kept).toMatchObject({ status: 202, body: { id, revision: 1, warning } });
    expect(kept.headers['warning']).toBe(`299 - "${warning}"`);
    expect(await untilRun(api, id, 'failed')).toMatchObject({ error: 'fail: No.' });

    const rerun = await call(api, 'POST', `/runs/${id}/rerun`, { as: user });
    expect(rerun).toMatchObject({ status: 202, body: { workflow_id: workflowId, revision: 2 } });
    expect(await untilRun(api, Number(rerun.body['id']), 'failed')).toMatchObject({ error: 'fail: Still no.' });
  });

  test('retries a failed run, and reruns it with an edited payload as a new one', async () => {
    const { workflowId } = await createWorkflow('failing');
    const id = await start(workflowId, { payload: { n: 1 } });
    await untilRun(api, id, 'failed');
    expect(await call(api, 'POST', `/runs/${id}/retry`, { as: user })).toMatchObject({ status: 202, body: { id } });
    const rerun = await call(api, 'POST', `/runs/${id}/rerun`, { as: user, body: { payload: { n: 2 } } });
    expect(rerun).toMatchObject({ status: 202, body: { workflow_id: workflowId } });
    expect(rerun.body['id']).not.toBe(id);
    const edited = await call(api, 'GET', `/workflows/${workflowId}/runs/${rerun.body['id']}`);
    expect(edited.body).toMatchObject({ payload: { n: 2 } });
    const same = await call(api, 'POST', `/runs/${id}/rerun`, { as: user });
    const repeated = await call(api, 'GET', `/workflows/${workflowId}/runs/${same.body['id']}`);
    expect(repeated.body).toMatchObject({ payload: { n: 1 } });
  });

  test('resumes a waiting step with the token shown in the step', async () => {
    const { workflowId } = await createWorkflow('waiting');
    const id = await start(workflowId);
    await untilRun(api, id, 'waiting');
    const { body: run } = await call(api, 'GET', `/workflows/${workflowId}/runs/${id}`);
    const [step] = run['steps'] as unknown as [{ resume_token: string; status: string }];
    expect(step.status).toBe('waiting');
    const path = `/runs/${id}/resume`;
    const wrong = { token: '00000000-0000-4000-8000-000000000000', data: 1 };
    expect(await call(api, 'POST', path, { as: user, body: wrong })).toMatchObject({ status: 404 });
    expect(await call(api, 'POST', path, { body: {} })).toMatchObject({
      status: 422,
      body: { errors: { token: [expect.any(String)] } },
    });
    const body = { token: step.resume_token, data: { approved: true } };
    expect(await call(api, 'POST', path, { as: outlet, body })).toMatchObject({ status: 404 });
    expect(await call(api, 'POST', path, { as: user, body })).toMatchObject({ status: 202, body: { id } });
    expect(await untilRun(api, id)).toMatchObject({
      status: 'succeeded',
      result: { hold: { data: { approved: true } } },
    });
  });

  test('does not find runs of another tenant', async () => {
    const { workflowId } = await createWorkflow('waiting');
    const id = await start(workflowId);
    for (const action of ['cancel', 'retry', 'rerun']) {
      expect(await call(api, 'POST', `/runs/${id}/${action}`, { as: outlet })).toMatchObject({ status: 404 });
    }
    const elsewhere = await call(api, 'POST', `/workflows/${workflowId}/runs`, { as: outlet, body: {} });
    expect(elsewhere).toMatchObject({ status: 404, body: { message: 'Not found.' } });
    const started = await api.graphql(
      'mutation ($id: ID!) { startRun(input: { workflowId: $id }) { ... on NotFoundError { message } } }',
      { id: String(workflowId) },
      outlet,
    );
    expect(started.data).toEqual({ startRun: { message: 'Not found.' } });
    expect(await untilRun(api, id, 'waiting')).toMatchObject({ status: 'waiting' });
  });
});

describe('the runs of a deleted workflow', () => {
  test('stay readable under its last name, but are neither rerun nor retried', async () => {
    const { workflowId } = await createWorkflow('failing');
    const id = await start(workflowId, { payload: { n: 1 } });
    await untilRun(api, id);
    const path = `/workflows/${workflowId}`;
    const before = await call(api, 'GET', `${path}/runs/${id}`);
    expect(before).toMatchObject({ status: 200, body: { payload: { n: 1 }, steps: [{ node_id: 'fail' }] } });
    await call(api, 'PATCH', path, { body: { name: 'The last name' } });
    expect(await call(api, 'DELETE', path)).toMatchObject({ status: 204 });
    const body = { ...before.body, workflow_name: 'The last name' };
    expect(await call(api, 'GET', `${path}/runs/${id}`, { as: user })).toMatchObject({ status: 200, body });
    expect(await call(api, 'GET', `/runs/${id}`, { as: user })).toMatchObject({ status: 200, body });
    expect(await call(api, 'GET', path, { as: user })).toMatchObject({ status: 404 });
    expect(await call(api, 'GET', `${path}/runs`, { as: user })).toMatchObject({
      status: 200,
      body: { data: [{ id, workflow_name: 'The last name' }], meta: { total: 1 } },
    });
    expect(await call(api, 'GET', `${path}/runs`, { as: outlet })).toMatchObject({ status: 404 });
    const { data } = await api.graphql<object>(
      `query ($id: ID!, $workflowId: ID!) {
        run(id: $id) { status workflow { name runs { totalCount } } }
        runs(filter: { search: "The last name" }) { edges { node { databaseId } } }
        workflow(id: $workflowId) { name }
        deleted: workflow(id: $workflowId, includeDeleted: true) { name runs { totalCount } deadLetters { totalCount } }
      }`,
      { id, workflowId },
    );
    expect(data).toEqual({
      run: { status: 'FAILED', workflow: { name: 'The last name', runs: { totalCount: 1 } } },
      runs: { edges: [{ node: { databaseId: id } }] },
      workflow: null,
      deleted: { name: 'The last name', runs: { totalCount: 1 }, deadLetters: { totalCount: 0 } },
    });
    for (const action of ['rerun', 'retry']) {
      expect(await call(api, 'POST', `/runs/${id}/${action}`, { body: {} })).toMatchObject({
        status: 409,
        body: { message: 'Workflow has been deleted.' },
      });
    }
  });

  test('are found by id only in their tenant, and not below another workflow', async () => {
    const { workflowId } = await createWorkflow('echoing');
    const other = await createWorkflow('echoing');
    const id = await start(workflowId);
    const { body } = await call(api, 'GET', `/runs/${id}`);
    expect(body).toMatchObject({ id, workflow_id: workflowId });
    expect(await call(api, 'GET', `/runs/${id}`, { as: outlet })).toMatchObject({ status: 404 });
    expect(await call(api, 'GET', `/workflows/${other.workflowId}/runs/${id}`)).toMatchObject({ status: 404 });
    expect(await call(api, 'GET', '/runs/999999999')).toMatchObject({ status: 404 });
  });
});
