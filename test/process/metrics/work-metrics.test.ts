import { Registry } from 'prom-client';
import { expect, onTestFinished } from 'vitest';
import { giveUpLostMessages } from '#src/operations/alerts/alert-upkeep.store.ts';
import { sendAlertJob } from '#src/operations/alerts/alerts.declarations.ts';
import { addWorkMetrics } from '#src/process/metrics/work-metrics.ts';
import { insertWorkflow } from '#test/automation/runs/run-rows.ts';
import { createHooks, startWorker } from '#test/commerce/webhooks/hooks.ts';
import { startReceiver, status } from '#test/commerce/webhooks/receiver.ts';
import { startImportWorker } from '#test/imports/import-file.ts';
import { addRecipient, asOwner, failRun, pass, sendWaiting, tenantId } from '#test/operations/alerts/failures.ts';
import { callPlatform } from '#test/rest-compat/rest.ts';
import { test as base } from '#test/setup/app-test.ts';
import { fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { openSocket, socketUrl } from '#test/setup/live.ts';
import { executing, runIn } from '#test/workers/runtime/harness.ts';
import { createRuntime } from '#workers/runtime/runtime.ts';
import { readFigures } from './figures.ts';

/** The figures of what this process does from the beginning of the test. */
const test = base.extend('figures', () => {
  const registry = new Registry();
  addWorkMetrics(registry);
  return async () => readFigures(await registry.metrics());
});

test('a worker measures its runs, their steps, the requests that these send, and its commits', async ({
  ownApi,
  figures,
}) => {
  const erp = await startReceiver();
  const engine = await startTestEngine(ownApi, { allow: erp.address });
  try {
    erp.answer = (arrived, response, request) =>
      status(arrived.path === '/fine' ? 200 : 404)(arrived, response, request);
    const send = (id: string, url: string, more = {}) =>
      node(id, 'http-request', { method: 'POST', url, body: {} }, more);
    const nodes = [
      send('fine', `${erp.url}/fine`),
      send('gone', `${erp.url}/gone`),
      send('away', 'http://10.0.0.1:1/'),
    ];
    for (const [one, expected] of [
      [nodes[0], 'succeeded'],
      [nodes[1], 'failed'],
      [nodes[2], 'failed'],
    ] as const)
      await untilRun(ownApi, await fireRun(ownApi, await readyWorkflow(ownApi, { nodes: one ? [one] : [] })), expected);
    await expect.poll(figures).toMatchObject({
      causeway_run_wait_seconds_count: 3,
      'causeway_run_duration_seconds_count{status="succeeded"}': 1,
      'causeway_run_duration_seconds_count{status="failed"}': 2,
      'causeway_steps_total{node="core:http-request",status="succeeded"}': 1,
      'causeway_steps_total{node="core:http-request",status="failed"}': 2,
      'causeway_call_duration_seconds_count{outcome="2xx"}': 1,
      'causeway_call_duration_seconds_count{outcome="4xx"}': 1,
      'causeway_call_duration_seconds_count{outcome="failed"}': 1,
    });
    const { causeway_commit_duration_seconds_count: commits, causeway_commit_entries_total: entries } = await figures();
    expect(commits).toBeGreaterThan(0);
    // Each run has an end, and each step one.
    expect(entries).toBeGreaterThanOrEqual(6);
  } finally {
    await engine.stop();
    await erp.close();
  }
});

test('a worker counts the messages of alerts that were sent, that failed and that were given up', async ({
  ownApi,
  figures,
}) => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  ownApi.egressAllow.add(receiver.address);
  await addRecipient(ownApi, { url: `${receiver.url}/alerts` });
  const makeMessage = async (workflow: string) => {
    await failRun(ownApi, await insertWorkflow(ownApi.database, tenantId, workflow), 'The ERP is away.');
    await pass(ownApi);
  };
  await makeMessage('Orders');
  await sendWaiting(ownApi);
  receiver.answer = status(503);
  await makeMessage('Stock');
  await sendWaiting(ownApi);
  await asOwner(ownApi, `UPDATE alert_messages SET attempts = ${sendAlertJob.retry.limit} WHERE status = 'pending'`);
  await sendWaiting(ownApi);
  await makeMessage('Prices');
  await asOwner(ownApi, `UPDATE alert_messages SET created_at = now() - interval '5 days' WHERE status = 'pending'`);
  await giveUpLostMessages(ownApi.database.system);
  expect(await figures()).toMatchObject({
    'causeway_alert_messages_total{channel="webhook",outcome="sent"}': 1,
    'causeway_alert_messages_total{channel="webhook",outcome="failed"}': 1,
    'causeway_alert_messages_total{channel="webhook",outcome="given_up"}': 2,
  });
});

test('a worker counts its attempts to deliver webhooks by what was answered', async ({ ownApi, figures }) => {
  const receiver = await startReceiver();
  receiver.answer = status(503);
  ownApi.egressAllow.add(receiver.address);
  const hooks = createHooks(ownApi);
  await hooks.create({ url: `${receiver.url}/hooks`, topics: ['shop.opened'] });
  const worker = await startWorker(ownApi);
  await hooks.publish('shop.opened');
  await expect.poll(figures).toMatchObject({ 'causeway_webhook_duration_seconds_count{outcome="5xx"}': 1 });
  await worker.stop();
  await receiver.close();
});

test('a worker counts the imports and exports that end', async ({ ownApi, figures }) => {
  await startImportWorker(ownApi);
  await callPlatform(ownApi, 'POST', '/io/exports', { body: { target: 'products', format: 'csv' } });
  await expect
    .poll(figures)
    .toMatchObject({ 'causeway_bulk_jobs_total{kind="export",target="products",status="completed"}': 1 });
});

test('an API counts its WebSockets, and the requests that exceed a limit', async ({ api, startBeside, figures }) => {
  const limited = await startBeside({ rates: { user: { perSecond: 0, perMinute: 1 } } });
  for (let time = 0; time < 3; time += 1) await limited.graphql('{ __typename }');
  expect(await figures()).toMatchObject({ causeway_limited_requests_total: 2, causeway_sockets: 0 });
  const { socket, closed } = await openSocket(await socketUrl(api));
  expect(await figures()).toMatchObject({ causeway_sockets: 1 });
  socket.close();
  await closed;
  await expect.poll(figures).toMatchObject({ causeway_sockets: 0 });
});

test('a worker counts its lost lease, and the runs that it takes over', async ({ ownApi, figures }) => {
  const erp = await startReceiver();
  // Answers nobody, so that the run is under way.
  erp.answer = () => undefined;
  const engine = await startTestEngine(ownApi, { allow: erp.address, leaseMs: 1_500 });
  try {
    const send = node('send', 'http-request', { method: 'POST', url: `${erp.url}/slow`, body: {} });
    await fireRun(ownApi, await readyWorkflow(ownApi, { nodes: [send] }));
    await erp.until('/slow', 1);
    // What another worker does with one that it takes for dead.
    await ownApi.database.system.query('DELETE FROM workers');
    await expect.poll(figures).toMatchObject({ causeway_leases_lost_total: 1, causeway_taken_over_runs_total: 1 });
  } finally {
    await engine.stop();
    await erp.close();
  }
});

test('a worker counts the processes of its sandbox that exit by themselves', async ({ figures }) => {
  const runtime = await createRuntime();
  try {
    const under = runIn(runtime, executing('await new Promise(() => {}); return {};'), { timeoutMs: 30_000 });
    await expect.poll(() => runtime.stats().children.some(({ inFlight }) => inFlight === 1)).toBe(true);
    process.kill(runtime.stats().children[0]?.pid ?? 0, 'SIGKILL');
    await under;
    await expect.poll(figures).toMatchObject({ causeway_sandbox_crashes_total: 1 });
  } finally {
    await runtime.close();
  }
  // One that is closed has not crashed.
  expect(await figures()).toMatchObject({ causeway_sandbox_crashes_total: 1 });
});
