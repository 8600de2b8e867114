import { beforeEach, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { call } from './rest.ts';

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const user = { roles: ['user'] };
const outlet = { tenant: 'acme-outlet' };
const settled = { status: 409, body: { message: 'Dead letter has already been replayed or discarded.' } };

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

let workflow: { workflowId: number; handle: string };
beforeEach(async () => {
  workflow = await readyWorkflow(api, {
    nodes: [node('fail', 'set', { values: { seen: '{{ trigger.payload.body }}' } })],
  });
  await switchTo(false);
});

const switchTo = (active: boolean) => call(api, 'PATCH', `/workflows/${workflow.workflowId}`, { body: { active } });

/** Fires the inactive workflow, and answers the dead letter that became of it. */
async function capture(body: object = { order: 1 }): Promise<number> {
  const { body: fired } = await call(api, 'POST', `/webhooks/${workflow.handle}`, { body });
  expect(fired).toMatchObject({ run_id: null, status: 'pending' });
  return Number(fired['dead_letter_id']);
}

const ids = async (query: string, as = {}) => {
  const { status, body } = await call(api, 'GET', `/dead-letters?workflow_id=${workflow.workflowId}&${query}`, { as });
  expect(status).toBe(200);
  return (body['data'] as unknown as { id: number }[]).map(({ id }) => id);
};

describe('dead letters over REST', () => {
  test('are listed newest first with exactly the fields of the contract, and no total', async () => {
    const first = await capture();
    const second = await capture();
    const path = `/dead-letters?workflow_id=${workflow.workflowId}`;
    const { body } = await call(api, 'GET', `${path}&per_page=1`, { as: user });
    expect(body).toEqual({
      data: [
        {
          id: second,
          workflow_id: workflow.workflowId,
          workflow_name: expect.stringMatching(/^Workflow \d+$/),
          trigger_id: expect.any(Number),
          source: 'webhook',
          trigger_handle: workflow.handle,
          reason: 'Workflow is not active.',
          status: 'pending',
          created_at: iso,
          updated_at: iso,
        },
      ],
      meta: { current_page: 1, per_page: 1, has_more: true },
    });
    const last = await call(api, 'GET', `${path}&per_page=1&page=2`);
    expect(last.body).toMatchObject({ data: [{ id: first }], meta: { current_page: 2, has_more: false } });
  });

  test('are listed by workflow with a total', async () => {
    const id = await capture();
    const path = `/workflows/${workflow.workflowId}/dead-letters`;
    const { body } = await call(api, 'GET', path, { as: user });
    expect(body).toMatchObject({ data: [{ id }], meta: { current_page: 1, per_page: 25, total: 1, last_page: 1 } });
    expect(await call(api, 'GET', path, { as: outlet })).toMatchObject({
      status: 404,
      body: { message: 'Not found.' },
    });
  });

  test('are filtered by status, workflow and time, and counted with the same filters', async () => {
    const discarded = await capture();
    const pending = await capture();
    await call(api, 'POST', `/dead-letters/${discarded}/discard`);
    expect(await ids('status[]=pending')).toEqual([pending]);
    expect(await ids('status[]=discarded&status[]=replayed')).toEqual([discarded]);
    expect(await ids('since=2999-01-01')).toEqual([]);
    expect(await ids('since=2020-01-01T00:00:00Z&until=2999-01-01T00:00:00Z')).toEqual([pending, discarded]);
    expect(await ids('', outlet)).toEqual([]);
    const summary = await call(api, 'GET', `/dead-letters/summary?workflow_id=${workflow.workflowId}`);
    expect(summary.status).toBe(200);
    expect(summary.body).toEqual({ data: { total: 2, by_status: { pending: 1, replayed: 0, discarded: 1 } } });
    const narrowed = await call(
      api,
      'GET',
      `/dead-letters/summary?workflow_id=${workflow.workflowId}&status[]=replayed`,
    );
    expect(narrowed.body).toEqual({ data: { total: 0, by_status: { pending: 0, replayed: 0, discarded: 0 } } });
  });

  test.each([
    ['status[]=lost', 'status.0'],
    ['since=soon', 'since'],
    ['per_page=0', 'per_page'],
    ['workflow_id=1.5', 'workflow_id'],
  ])('?%s answers 422 with errors.%s', async (query, field) => {
    for (const path of field === 'per_page' ? ['/dead-letters'] : ['/dead-letters', '/dead-letters/summary']) {
      const answer = await call(api, 'GET', `${path}?${query}`);
      expect(answer).toMatchObject({ status: 422, body: { errors: { [field]: [expect.any(String)] } } });
    }
  });

  test('are discarded once', async () => {
    const id = await capture();
    const { status, body } = await call(api, 'POST', `/dead-letters/${id}/discard`, { as: user });
    expect(status).toBe(200);
    expect(body).toEqual({ id, status: 'discarded' });
    expect(await call(api, 'POST', `/dead-letters/${id}/discard`)).toMatchObject(settled);
    expect(await call(api, 'POST', `/dead-letters/${id}/replay`)).toMatchObject(settled);
  });

  test('stay readable after their workflow is deleted, but are not replayed', async () => {
    const id = await capture({ order: 7 });
    const path = `/workflows/${workflow.workflowId}`;
    const { body: deleted } = await call(api, 'GET', path);
    expect(await call(api, 'DELETE', path)).toMatchObject({ status: 204 });
    expect(await call(api, 'GET', `/dead-letters/${id}`, { as: user })).toMatchObject({
      status: 200,
      body: { id, workflow_name: deleted['name'], status: 'pending', payload: { body: { order: 7 } } },
    });
    expect(await call(api, 'GET', `/dead-letters/${id}`, { as: outlet })).toMatchObject({ status: 404 });
    expect(await call(api, 'GET', `${path}/dead-letters`, { as: user })).toMatchObject({
      status: 200,
      body: { data: [{ id, workflow_name: deleted['name'] }] },
    });
    expect(await call(api, 'GET', `${path}/dead-letters`, { as: outlet })).toMatchObject({ status: 404 });
    const { data } = await api.graphql<object>(
      'query ($id: ID!) { deadLetter(id: $id) { workflowName workflow { name } } }',
      { id },
    );
    expect(data).toEqual({ deadLetter: { workflowName: deleted['name'], workflow: { name: deleted['name'] } } });
    expect(await call(api, 'POST', `/dead-letters/${id}/replay`)).toMatchObject({
      status: 409,
      body: { message: 'Workflow has been deleted.' },
    });
    expect(await call(api, 'POST', `/dead-letters/${id}/discard`)).toMatchObject({ status: 200 });
  });

  test('are neither replayed nor discarded by another tenant', async () => {
    const id = await capture();
    for (const action of ['replay', 'discard']) {
      expect(await call(api, 'POST', `/dead-letters/${id}/${action}`, { as: outlet })).toMatchObject({ status: 404 });
    }
    expect(await ids('status[]=pending')).toEqual([id]);
  });
});

describe('a replay over REST', () => {
  test('answers 409 while the workflow cannot run, 503 without a live worker, and leaves the dead letter pending', async () => {
    const id = await capture();
    expect(await call(api, 'POST', `/dead-letters/${id}/replay`)).toMatchObject({ status: 409 });
    await switchTo(true);
    const noWorker = await call(api, 'POST', `/dead-letters/${id}/replay`);
    expect(noWorker).toMatchObject({ status: 503, body: { message: 'Workflow worker is unavailable.' } });
    expect(await ids('status[]=pending')).toEqual([id]);
  });

  test('starts a run from the captured payload once, whatever the number of callers', async () => {
    const id = await capture({ order: 42 });
    await switchTo(true);
    const engine = await startTestEngine(api);
    try {
      const answers = await Promise.all(
        [1, 2, 3].map(() => call(api, 'POST', `/dead-letters/${id}/replay`, { as: user })),
      );
      const won = answers.filter(({ status }) => status === 202);
      expect(won).toHaveLength(1);
      expect(won[0]?.body).toEqual({ id: expect.any(Number), workflow_id: workflow.workflowId, status: 'running' });
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
      const run = await untilRun(api, Number(won[0]?.body['id']));
      expect(run).toMatchObject({ status: 'succeeded', result: { fail: { seen: { order: 42 } } } });
    } finally {
      await engine.stop();
    }
  });

  test('answers 422 for a trigger of another workflow, and without a manual trigger as a fallback', async () => {
    const id = await capture();
    await switchTo(true);
    const path = `/dead-letters/${id}/replay`;
    const other = '00000000-0000-4000-8000-000000000000';
    const unknown = await call(api, 'POST', path, { body: { trigger_handle: other } });
    expect(unknown).toMatchObject({ status: 422, body: { errors: { trigger_handle: [expect.any(String)] } } });
    expect(await call(api, 'POST', path, { body: { trigger_handle: 5 } })).toMatchObject({
      status: 422,
      body: { errors: { trigger_handle: [expect.any(String)] } },
    });
    const { body: list } = await call(api, 'GET', `/workflows/${workflow.workflowId}/triggers`);
    const [trigger] = list['data'] as unknown as [{ id: number }];
    await call(api, 'DELETE', `/workflows/${workflow.workflowId}/triggers/${trigger.id}`);
    expect(await call(api, 'POST', path)).toMatchObject({
      status: 422,
      body: { message: 'Workflow has no active manual trigger; pass trigger_handle to start a specific trigger.' },
    });
  });
});
