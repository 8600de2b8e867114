import { expect, vi } from 'vitest';
import { replayDeadLetter } from '#src/automation/dead-letters/dead-letters.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import { openTracing } from '#src/infra/tracing/open-tracing.ts';
import { newSpanId, newTraceId, readTraceparent } from '#src/infra/tracing/trace-context.ts';
import type { Tracing } from '#src/infra/tracing/tracing.ts';
import { makeEndpoint, platformHeaders, send } from '#test/commerce/inbound/senders.ts';
import { startStoryWorld } from '#test/commerce/orders/story/story-world.ts';
import { startImportWorker } from '#test/imports/import-file.ts';
import { call } from '#test/rest-compat/rest.ts';
import { test as base } from '#test/setup/app-test.ts';
import { chain, node, readyWorkflow } from '#test/setup/engine.ts';
import { type CollectedSpan, startCollector } from './collector.ts';

const silentLog = { warn: () => undefined } as never;
const settings = { ratio: 1, serviceName: 'causeway' };

const test = base
  // oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures are asked for
  .extend('collector', { scope: 'file' }, async ({}, { onCleanup }) => {
    const collector = await startCollector();
    onCleanup(() => collector.close());
    return collector;
  })
  .extend('tracing', { scope: 'file' }, async ({ collector }, { onCleanup }): Promise<Tracing> => {
    const tracing = await openTracing({ ...settings, endpoint: collector.url }, 'api', silentLog);
    onCleanup(() => tracing.close());
    return tracing;
  })
  .extend('appOptions', { scope: 'file' }, async ({ tracing }) => ({ tracing }));

const named = (name: string) => (span: CollectedSpan) => span.name === name;
const inTrace = (traceId: string) => (span: Pick<CollectedSpan, 'traceId'>) => span.traceId === traceId;
const readSpanId = (text: string | undefined) => readTraceparent(text)?.spanId;

test('an order is one trace: the request, the run that its event starts, its steps, their calls and the deliveries', async ({
  api,
  collector,
}) => {
  const world = await startStoryWorld(api);
  try {
    const trace = newTraceId();
    const caller = newSpanId();
    const document = `mutation { createOrder(input: {currency: "EUR", positions: [{sku: "MUG", quantity: "1", unitPrice: "10"}]}) {
      ... on CreateOrderPayload { order { id } } } }`;
    const placed = await api.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: {
        authorization: `Bearer ${await api.token()}`,
        'x-tenant-id': 'acme-shop',
        traceparent: `00-${trace}-${caller}-01`,
      },
      payload: { query: document },
    });
    expect(placed.json()).toMatchObject({ data: { createOrder: { order: {} } } });
    const [sent] = await world.erp.until('/erp/orders?token=in-the-query', 1);
    const [delivered] = await world.erp.until('/hooks', 1);
    await collector.until(named('run'), named('delivery'));
    const carriers = await collector.until(({ name, links }) => name === 'commit' && links.some(inTrace(trace)));
    const spans = collector.spans.filter(inTrace(trace));
    const one = (holds: (span: CollectedSpan) => boolean): CollectedSpan => {
      const found = spans.filter(holds);
      expect(found).toHaveLength(1);
      return found[0] as CollectedSpan;
    };
    const request = one(named('POST /graphql'));
    const run = one(named('run'));
    const send = one(({ attributes }) => attributes['causeway.path'] === 'send_order');
    const made = one(({ kind, name }) => kind === 3 && name === 'POST');
    const delivery = one(named('delivery'));
    const parents = Object.fromEntries(spans.map((span) => [`${span.name} ${span.spanId}`, span.parentSpanId]));
    expect(parents).toEqual({
      [`POST /graphql ${request.spanId}`]: caller,
      [`run ${run.spanId}`]: request.spanId,
      [`claim ${one(named('claim')).spanId}`]: run.spanId,
      [`step ${send.spanId}`]: run.spanId,
      [`step ${one(({ attributes }) => attributes['causeway.path'] === 'note').spanId}`]: run.spanId,
      [`POST ${made.spanId}`]: send.spanId,
      [`delivery ${delivery.spanId}`]: request.spanId,
    });
    expect(request.attributes).toMatchObject({
      'http.response.status_code': 200,
      'causeway.request_id': placed.headers['x-request-id'],
    });
    for (const { links, attributes, parentSpanId } of carriers.filter(named('commit'))) {
      expect(parentSpanId).toBeUndefined();
      expect(links).toContainEqual(expect.objectContaining({ traceId: trace, spanId: run.spanId }));
      expect(attributes['causeway.runs']).toBe(1);
    }
    expect(readSpanId(sent?.headers['traceparent'] as string)).toBe(made.spanId);
    expect(readSpanId(delivered?.headers['traceparent'] as string)).toBe(delivery.spanId);
    expect(delivered?.event).toMatchObject({ metadata: { traceparent: `00-${trace}-${request.spanId}-01` } });
    for (const { startTimeUnixNano: from, endTimeUnixNano: to } of spans)
      expect(BigInt(to)).toBeGreaterThanOrEqual(BigInt(from));
    // Neither the query of the request, nor what an order holds, nor a header.
    expect(collector.received()).not.toMatch(/in-the-query|MUG|unit_price|authorization|api-key/i);
  } finally {
    await world.close();
  }
});

test('a caller that nobody knows begins a trace of its own, linked to the one it names', async ({
  api,
  collector,
  startEngine,
}) => {
  const { handle } = await readyWorkflow(api, { nodes: [node('note', 'set', { values: {} })] });
  const { endpoint_id: endpointId } = await makeEndpoint(api, { topic: undefined, trigger_handle: handle });
  await startEngine();
  const named = { traceId: newTraceId(), spanId: newSpanId() };
  const body = '{"number":"1001"}';
  const headers = { ...platformHeaders(body), traceparent: `00-${named.traceId}-${named.spanId}-01` };
  expect(await send(api, endpointId, { body, headers })).toMatchObject({ status: 202 });
  const isLinked = ({ links }: CollectedSpan) => links.some(({ traceId }) => traceId === named.traceId);
  await collector.until(isLinked);
  const request = collector.spans.find(isLinked);
  expect(request).toMatchObject({ links: [named] });
  expect(request?.parentSpanId).toBeUndefined();
  await collector.until((span) => span.name === 'run' && span.traceId === request?.traceId);
  expect(collector.spans.filter(inTrace(named.traceId))).toEqual([]);
});

test('an export belongs to the request that started it, and its end to the same trace', async ({ api, collector }) => {
  await startImportWorker(api);
  const trace = newTraceId();
  const headers = {
    'x-platform-api-key': await api.apiKey(['*']),
    'x-platform-tenant': 'acme-shop',
    traceparent: `00-${trace}-${newSpanId()}-01`,
  };
  const started = await api.app.inject({
    method: 'POST',
    url: '/v1/io/exports',
    headers,
    payload: { target: 'products', format: 'csv' },
  });
  expect(started.statusCode).toBe(202);
  const spans = await collector.until((span) => span.name === 'export' && inTrace(trace)(span));
  const request = spans.find((span) => span.name === 'POST /v1/io/exports' && inTrace(trace)(span));
  const job = spans.find(named('export'));
  expect(job).toMatchObject({
    parentSpanId: request?.spanId,
    attributes: { 'causeway.target': 'products', 'causeway.status': 'completed' },
  });
  const { rows } = await api.database.system.query<{ traceparent: string }>(
    `SELECT metadata ->> 'traceparent' AS traceparent FROM outbox_events WHERE topic = 'export.completed'`,
  );
  expect(rows).toEqual([{ traceparent: `00-${trace}-${request?.spanId}-01` }]);
});

test('a failed step is shown with its code, and the runs that a run starts are within its steps', async ({
  api,
  collector,
  startEngine,
}) => {
  const failing = await readyWorkflow(api, { nodes: [node('stop', 'fail', { message: 'No.' })] }, { type: 'manual' });
  const { handle } = await readyWorkflow(api, {
    nodes: [
      node('call', 'sub-workflow', { workflow_id: failing.workflowId, payload: {}, wait: true }),
      node('after', 'set', { values: {} }),
    ],
    edges: chain('call', 'after'),
  });
  await startEngine();
  const trace = newTraceId();
  await call(api, 'POST', `/webhooks/${handle}`, {
    body: {},
    headers: { traceparent: `00-${trace}-${newSpanId()}-01` },
  });
  const isIn = (...names: string[]) =>
    names.map((name) => (span: CollectedSpan) => span.traceId === trace && span.name === name);
  await collector.until(
    ...isIn('run'),
    ({ traceId, attributes }) => traceId === trace && attributes['causeway.path'] === 'stop',
  );
  await vi.waitFor(
    () => expect(collector.spans.filter((span) => span.traceId === trace && span.name === 'run')).toHaveLength(2),
    { timeout: 30_000 },
  );
  const spans = collector.spans.filter(inTrace(trace));
  const step = (path: string) => spans.find(({ attributes }) => attributes['causeway.path'] === path);
  const inner = spans.find(
    ({ name, attributes }) => name === 'run' && Number(attributes['causeway.workflow']) === failing.workflowId,
  );
  expect(inner?.parentSpanId).toBe(step('call')?.spanId);
  expect(step('stop')?.parentSpanId).toBe(inner?.spanId);
  expect(step('stop')?.error).toBeTruthy();
  expect(inner?.error).toBeTruthy();
});

test('a dead letter that is replayed continues the trace of what fired it', async ({ api, collector, startEngine }) => {
  const { handle, workflowId } = await readyWorkflow(api, { nodes: [node('note', 'set', { values: {} })] });
  await api.database.system.query('UPDATE workflows SET active = false WHERE id = $1', [workflowId]);
  await startEngine();
  const trace = newTraceId();
  await call(api, 'POST', `/webhooks/${handle}`, {
    body: {},
    headers: { traceparent: `00-${trace}-${newSpanId()}-01` },
  });
  const { rows } = await api.database.system.query<{ id: number }>(
    'UPDATE workflows SET active = true WHERE id = $1 RETURNING (SELECT id FROM dead_letters WHERE workflow_id = $1)',
    [workflowId],
  );
  await replayDeadLetter(api.deps, systemActor('acme', 'acme-shop'), BigInt(rows[0]?.id as number));
  await collector.until((span) => span.name === 'run' && span.traceId === trace);
});

test('nothing waits for a collector that is away; a warning says so, and a process ends as soon', async () => {
  const warn = vi.fn<() => void>();
  const tracing = await openTracing({ ...settings, endpoint: 'http://127.0.0.1:9' }, 'worker', { warn } as never);
  const context = { traceId: newTraceId(), spanId: newSpanId(), isSampled: true };
  for (let n = 0; n < 20_000; n += 1)
    tracing.record({ context, name: 'step', kind: 'internal', from: 0, to: 1, attributes: {} });
  await vi.waitFor(() => expect(warn).toHaveBeenCalled(), { timeout: 60_000, interval: 100 });
  await tracing.close();
});

test.each([
  [0, 0],
  [0.25, 250],
  [1, 1_000],
])('of a share of %d, as many traces are recorded', async (ratio, expected) => {
  const tracing = await openTracing({ ...settings, ratio, endpoint: 'http://127.0.0.1:9' }, 'api', silentLog);
  const ids = Array.from(
    { length: 1_000 },
    (_, n) =>
      `${'a'.repeat(24)}${Math.floor((n / 1_000) * 2 ** 32)
        .toString(16)
        .padStart(8, '0')}`,
  );
  expect(ids.filter((id) => tracing.samples(id))).toHaveLength(expected);
  await tracing.close();
});
