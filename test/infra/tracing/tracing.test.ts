import { expect } from 'vitest';
import { newSpanId, newTraceId, readTraceparent } from '#src/infra/tracing/trace-context.ts';
import { startReceiver } from '#test/commerce/webhooks/receiver.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test as base } from '#test/setup/app-test.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

/** Where nothing is recorded: an ERP, and an engine that may call it. */
const test = base.extend('erp', { scope: 'file' }, async ({ startEngine }, { onCleanup }) => {
  const erp = await startReceiver();
  onCleanup(() => erp.close());
  await startEngine({ allow: erp.address });
  return erp;
});

test('the trace of a caller passes through to those who are called', async ({ api, erp }) => {
  const { handle } = await readyWorkflow(api, {
    nodes: [node('send', 'http-request', { method: 'POST', url: `${erp.url}/orders`, body: {} })],
  });
  const fire = async (headers: Record<string, string>) => {
    const { body } = await call(api, 'POST', `/webhooks/${handle}`, { body: {}, headers });
    return Number(body['run_id']);
  };
  const context = { traceId: newTraceId(), spanId: newSpanId(), isSampled: true };
  const traced = await fire({ traceparent: `00-${context.traceId}-${context.spanId}-01` });
  await erp.until('/orders', 1);
  const untraced = await fire({});
  await erp.until('/orders', 2);
  const broken = await fire({ traceparent: 'x'.repeat(10_000) });
  const [first, ...others] = await erp.until('/orders', 3);
  expect(readTraceparent(first?.headers['traceparent'])).toEqual(context);
  expect(others.map(({ headers }) => headers['traceparent'])).toEqual([undefined, undefined]);
  const { data } = await api.graphql<{ runs: { edges: { node: { databaseId: number; traceId: string | null } }[] } }>(
    '{ runs(first: 10) { edges { node { databaseId traceId } } } }',
  );
  expect(Object.fromEntries(data.runs.edges.map(({ node: run }) => [run.databaseId, run.traceId]))).toEqual({
    [traced]: context.traceId,
    [untraced]: null,
    [broken]: null,
  });
});

test('a node that sets the header itself keeps its own', async ({ api, erp }) => {
  const own = `00-${newTraceId()}-${newSpanId()}-00`;
  const config = { method: 'POST', url: `${erp.url}/own`, body: {}, headers: { Traceparent: own } };
  const { handle } = await readyWorkflow(api, { nodes: [node('send', 'http-request', config)] });
  await call(api, 'POST', `/webhooks/${handle}`, {
    body: {},
    headers: { traceparent: `00-${newTraceId()}-${newSpanId()}-01` },
  });
  const [arrived] = await erp.until('/own', 1);
  expect(arrived?.headers['traceparent']).toBe(own);
});
