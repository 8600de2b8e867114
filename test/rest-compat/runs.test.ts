import { isEnumType } from 'graphql';
import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { schema } from '#test/setup/schema.ts';
import { call } from './rest.ts';

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const handle = '0b6fdb7e-9c0a-4f3a-8d1e-3f5f1f7f0a01';
const outlet = { tenant: 'acme-outlet' };

let api: TestApp;
let workflowId: number;
test.beforeAll(async ({ api: started }) => {
  api = started;
  const { body } = await call(api, 'POST', '/workflows', { body: { name: 'Orders to ERP' } });
  workflowId = Number(body['id']);
  // Durations of 5 s, 1 s and none; started in this order.
  await insertRun({ status: 'failed', error: 'The ERP answered 503.', started: '10:00:00', completed: '10:00:05' });
  await insertRun({ status: 'succeeded', started: '11:00:00', completed: '11:00:01' });
  await insertRun({ status: 'running', started: '12:00:00', type: 'schedule' });
});

async function insertRun(run: { status: string; error?: string; started: string; completed?: string; type?: string }) {
  const at = (time: string | undefined) => (time === undefined ? null : `2026-03-01T${time}Z`);
  await api.database.system.query(
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_handle, trigger_type, status, error, started_at,
       completed_at, created_at) VALUES ('acme-shop', $1, 1, 1, $2, $3, $4, $5, $6, $7, $6)`,
    [workflowId, handle, run.type ?? 'webhook', run.status, run.error ?? null, at(run.started), at(run.completed)],
  );
}

const statuses = async (query: string, as = {}) => {
  const { status, body } = await call(api, 'GET', `/runs?${query}`, { as });
  expect(status).toBe(200);
  return (body['data'] as unknown as { status: string }[]).map((run) => run.status);
};

describe('GET /runs', () => {
  test('returns rows with exactly the fields of the contract, the last started first, without a total', async () => {
    const { body } = await call(api, 'GET', '/runs?per_page=2');
    expect(body['meta']).toEqual({ current_page: 1, per_page: 2, has_more: true });
    expect(body['data']).toEqual([
      expect.objectContaining({ status: 'running', completed_at: null, trigger_type: 'schedule' }),
      {
        id: expect.any(Number),
        workflow_id: workflowId,
        workflow_name: 'Orders to ERP',
        status: 'succeeded',
        error: null,
        trigger_handle: handle,
        trigger_type: 'webhook',
        engine_workflow_id: expect.any(String),
        engine_run_id: expect.any(String),
        started_at: '2026-03-01T11:00:00.000Z',
        completed_at: '2026-03-01T11:00:01.000Z',
        created_at: iso,
        updated_at: iso,
      },
    ]);
    const last = await call(api, 'GET', '/runs?per_page=2&page=2');
    expect(last.body).toMatchObject({ data: [{ status: 'failed' }], meta: { current_page: 2, has_more: false } });
  });

  test.each([
    ['status[]=failed&status[]=running', ['running', 'failed']],
    ['status=failed', ['failed']],
    ['since=2026-03-01T11:00:00Z', ['running', 'succeeded']],
    ['until=2026-03-01T11:00:00Z', ['failed']],
    ['since=2026-03-01&until=2026-03-01T11:00:00Z', ['failed']],
    ['trigger_type=schedule', ['running']],
    ['search=503', ['failed']],
    ['search=orders', ['running', 'succeeded', 'failed']],
    ['sort=created_at&direction=asc', ['failed', 'succeeded', 'running']],
    ['sort=duration', ['failed', 'succeeded', 'running']],
    ['sort=duration&direction=asc&status[]=failed&status[]=succeeded', ['succeeded', 'failed']],
    ['workflow_id=999999', []],
  ])('?%s leaves %j', async (query, left) => {
    expect(await statuses(query)).toEqual(left);
  });

  test('shows nothing to another tenant', async () => {
    expect(await statuses(`workflow_id=${workflowId}`, outlet)).toEqual([]);
  });

  test.each([
    ['status[]=failed&status[]=lost', 'status.1'],
    ['status[]=', 'status.0'],
    ['since=yesterday', 'since'],
    ['workflow_id=x', 'workflow_id'],
    ['sort=name', 'sort'],
    ['direction=up', 'direction'],
    ['per_page=101', 'per_page'],
    ['page=100000&per_page=100', 'page'],
  ])('?%s answers 422 with errors.%s', async (query, field) => {
    const { status, body } = await call(api, 'GET', `/runs?${query}`);
    expect(status).toBe(422);
    expect(body).toEqual({ message: 'The given data was invalid.', errors: { [field]: [expect.any(String)] } });
  });

  test('accepts every status', () => {
    const known = schema.getType('RunStatus');
    const values = isEnumType(known) ? known.getValues().map(({ value }) => String(value)) : [];
    const query = values.map((value) => `status[]=${value}`).join('&');
    return expect(statuses(query)).resolves.toHaveLength(3);
  });
});

describe("a workflow's runs", () => {
  test('are listed newest first with a total', async () => {
    const { body } = await call(api, 'GET', `/workflows/${workflowId}/runs?per_page=2`);
    expect(body['meta']).toEqual({ current_page: 1, per_page: 2, total: 3, last_page: 2 });
    expect(body['data']).toMatchObject([{ status: 'running' }, { status: 'succeeded' }]);
  });

  test('are read individually with payload, result, revision and steps', async () => {
    const { body: list } = await call(api, 'GET', '/runs?status=succeeded');
    const [row] = list['data'] as unknown as [{ id: number }];
    await api.database.system.query(
      `WITH p AS (INSERT INTO run_payloads (tenant_id, run_id, payload) VALUES ('acme-shop', $1, '{"order": 1}')),
            r AS (INSERT INTO run_results (tenant_id, run_id, result) VALUES ('acme-shop', $1, '{"erp": "A-1"}'))
       INSERT INTO steps (tenant_id, run_id, path, attempt, node_id, status, branch, outputs, started_at, completed_at)
       VALUES ('acme-shop', $1, 'map', 1, 'map', 'succeeded', 'default', '{"sku": "X"}', now(), now())`,
      [row.id],
    );
    const { status, body } = await call(api, 'GET', `/workflows/${workflowId}/runs/${row.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...row,
      payload: { order: 1 },
      result: { erp: 'A-1' },
      revision: 1,
      steps: [
        {
          node_id: 'map',
          path: 'map',
          attempt: 1,
          // Recorded before these were kept.
          node: null,
          version: null,
          status: 'succeeded',
          branch: 'default',
          inputs: null,
          outputs: { sku: 'X' },
          error: null,
          logs: [],
          resume_token: null,
          started_at: iso,
          completed_at: iso,
          duration_ms: expect.any(Number),
        },
      ],
    });
    const elsewhere = await call(api, 'POST', '/workflows', { body: { name: 'Elsewhere' } });
    const paths = [
      [`/workflows/${elsewhere.body['id']}/runs/${row.id}`, {}],
      [`/workflows/${workflowId}/runs/${row.id}`, outlet],
      [`/workflows/${workflowId}/runs`, outlet],
    ] as const;
    for (const [path, as] of paths) expect(await call(api, 'GET', path, { as })).toMatchObject({ status: 404 });
  });
});

describe('GET /runs/summary', () => {
  test('counts every status within the filters, including zeros', async () => {
    const all = await call(api, 'GET', '/runs/summary');
    const none = { queued: 0, running: 0, waiting: 0, succeeded: 0, failed: 0, cancelled: 0 };
    expect(all).toMatchObject({ status: 200 });
    expect(all.body).toEqual({ data: { total: 3, by_status: { ...none, running: 1, succeeded: 1, failed: 1 } } });
    const narrowed = await call(api, 'GET', '/runs/summary?status[]=failed&search=503');
    expect(narrowed.body).toEqual({ data: { total: 1, by_status: { ...none, failed: 1 } } });
    expect((await call(api, 'GET', '/runs/summary', { as: outlet })).body).toEqual({
      data: { total: 0, by_status: none },
    });
  });
});
