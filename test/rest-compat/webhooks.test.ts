import { describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, node, readyWorkflow } from '#test/setup/engine.ts';
import { call } from './rest.ts';

let api: TestApp;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await startEngine();
});

const values = { seen: '{{ trigger.payload }}' };
const echoing = {
  nodes: [node('echo', 'set', { values }), node('answer', 'respond', { value: '{{ nodes.echo.outputs.seen }}' })],
  edges: chain('echo', 'answer'),
};
const failing = { nodes: [node('fail', 'fail', { message: 'The ERP is closed.' })] };

/** A webhook whose answer is the payload that its workflow saw. */
async function echo(): Promise<string> {
  const { workflowId, handle } = await readyWorkflow(api, echoing);
  await setTrigger(workflowId, { config: { respond: 'on_finish' } });
  return handle;
}

async function setTrigger(workflowId: number, body: object) {
  const { body: list } = await call(api, 'GET', `/workflows/${workflowId}/triggers`);
  const [trigger] = list['data'] as unknown as [{ id: number }];
  const changed = await call(api, 'PATCH', `/workflows/${workflowId}/triggers/${trigger.id}`, { body });
  expect(changed.status).toBe(200);
}

const readPayload = async (method: string, suffix: string, options: Parameters<typeof call>[3] = {}) => {
  const { status, body } = await call(api, method, `/webhooks/${await echo()}${suffix}`, options);
  expect(status).toBe(200);
  return body as unknown as { body: unknown; query: unknown; headers: Record<string, string>; method: string };
};

describe('a webhook', () => {
  test('answers 202 with the run it started', async () => {
    const { workflowId, handle } = await readyWorkflow(api, echoing);
    const { status, body } = await call(api, 'POST', `/webhooks/${handle}`, { body: { order: 1 } });
    expect(status).toBe(202);
    expect(body).toEqual({ run_id: expect.any(Number), status: 'queued' });
    const run = await call(api, 'GET', `/workflows/${workflowId}/runs/${body['run_id']}`);
    expect(run.body).toMatchObject({
      trigger_handle: handle,
      trigger_type: 'webhook',
      payload: { body: { order: 1 } },
    });
  });

  test('answers 202 with the dead letter of a refused firing', async () => {
    const { workflowId, handle } = await readyWorkflow(api, echoing);
    await call(api, 'PATCH', `/workflows/${workflowId}`, { body: { active: false } });
    const { status, body } = await call(api, 'POST', `/webhooks/${handle}`, { body: {} });
    expect(status).toBe(202);
    expect(body).toEqual({ run_id: null, dead_letter_id: expect.any(Number), status: 'pending' });
  });

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('is fired by %s, which the workflow sees', async (method) => {
    expect(await readPayload(method, '?a=1&b[]=2&b[]=3')).toMatchObject({
      method,
      body: null,
      query: { a: '1', b: ['2', '3'] },
    });
  });

  test('passes headers in lower case, without those with secrets', async () => {
    const headers = { 'X-Shop': 'north', Cookie: 'session=secret', 'Proxy-Authorization': 'Basic secret' };
    const payload = await readPayload('POST', '', { body: {}, headers });
    expect(payload.headers).toMatchObject({ 'x-shop': 'north', 'content-type': 'application/json' });
    expect(JSON.stringify(payload)).not.toMatch(/secret|bearer|cookie|authorization/i);
  });

  test.each([
    ['application/json', '{"order":{"id":7}}', { order: { id: 7 } }],
    ['application/json; charset=utf-8', '[1,"two",null]', [1, 'two', null]],
    ['application/vnd.shop+json', '"text"', 'text'],
    [
      'application/x-www-form-urlencoded',
      'id=7&lines[0][sku]=A&lines[1][sku]=B',
      { id: '7', lines: [{ sku: 'A' }, { sku: 'B' }] },
    ],
    ['text/csv', 'sku;qty\nA;1\n', 'sku;qty\nA;1\n'],
    [
      'application/octet-stream',
      Buffer.from([0xff, 0x00, 0x80]),
      expect.objectContaining({ file: expect.stringMatching(/^file_/), type: 'application/octet-stream', size: 3 }),
    ],
    ['application/json', '{"__proto__":{"polluted":true},"a":1}', { a: 1 }],
  ])('reads a body of %s', async (type, body, seen) => {
    const payload = await readPayload('POST', '', { body, headers: { 'content-type': type } });
    expect(payload.body).toEqual(seen);
  });

  test('returns the run’s result when its trigger waits, and 502 with the reason when the run failed', async () => {
    const { workflowId, handle } = await readyWorkflow(api, failing);
    await setTrigger(workflowId, { config: { respond: 'on_finish' } });
    const { status, body } = await call(api, 'POST', `/webhooks/${handle}`, { body: {} });
    expect(status).toBe(502);
    expect(body).toEqual({
      message: expect.stringContaining('The ERP is closed.'),
      run_id: expect.any(Number),
      status: 'failed',
    });
  });

  test('answers 202 with the run’s status when it takes longer than the trigger waits', async () => {
    const { workflowId, handle } = await readyWorkflow(api, { nodes: [node('hold', 'wait', { resume: true })] });
    await setTrigger(workflowId, { config: { respond: 'on_finish', respond_timeout_ms: 8_000 } });
    const answer = await call(api, 'POST', `/webhooks/${handle}`, { body: {} });
    expect(answer).toMatchObject({ status: 202, body: { run_id: expect.any(Number), status: 'waiting' } });
  });

  test('answers 400 to malformed JSON, and 422 to text that cannot be stored; neither starts a run', async () => {
    const { workflowId, handle } = await readyWorkflow(api, echoing);
    expect(await call(api, 'POST', `/webhooks/${handle}`, { body: '{' })).toMatchObject({ status: 400 });
    const unstorable = await call(api, 'POST', `/webhooks/${handle}`, { body: '{"a":"\\u0000"}' });
    expect(unstorable).toMatchObject({ status: 422, body: { errors: { payload: [expect.any(String)] } } });
    const runs = await call(api, 'GET', `/workflows/${workflowId}/runs`);
    expect(runs.body).toMatchObject({ meta: { total: 0 } });
  });

  test.each(['application/json', 'application/json; charset=iso-8859-1', 'text/csv', 'application/vnd.shop+json'])(
    'answers 400 to %s that is not UTF-8',
    async (type) => {
      const { workflowId, handle } = await readyWorkflow(api, echoing);
      const body = Buffer.from('"Café"', 'latin1');
      const headers = { 'content-type': type };
      expect(await call(api, 'POST', `/webhooks/${handle}`, { body, headers })).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('UTF-8') },
      });
      const runs = await call(api, 'GET', `/workflows/${workflowId}/runs`);
      expect(runs.body).toMatchObject({ meta: { total: 0 } });
    },
  );

  test('is not found by another tenant, by an unknown handle, or once it is switched off', async () => {
    const { workflowId, handle } = await readyWorkflow(api, echoing);
    const notFound = { status: 404, body: { message: 'Not found.' } };
    expect(await call(api, 'POST', `/webhooks/${handle}`, { as: { tenant: 'acme-outlet' }, body: {} })).toMatchObject(
      notFound,
    );
    expect(await call(api, 'POST', '/webhooks/not-a-handle', { body: {} })).toMatchObject(notFound);
    await setTrigger(workflowId, { active: false });
    expect(await call(api, 'POST', `/webhooks/${handle}`, { body: {} })).toMatchObject(notFound);
    expect((await call(api, 'HEAD', `/webhooks/${handle}`)).status).toBe(405);
  });
});
