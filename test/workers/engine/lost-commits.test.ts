import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect } from 'vitest';
import { type Receiver, startReceiver } from '#test/commerce/webhooks/receiver.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readRun, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import type { Engine } from '#workers/engine/engine.ts';

let receiver: Receiver;
let engine: Engine;
/** Answers that the receiver keeps back, by path. */
const asked = new Map<string, ServerResponse[]>();

test.beforeAll(async ({ startEngine }) => {
  receiver = await startReceiver();
  receiver.answer = ({ path }, response) => void asked.set(path, [...(asked.get(path) ?? []), response]);
  engine = await startEngine({ allow: receiver.address });
});
afterAll(() => receiver.close());

function answer(name: string): void {
  for (const response of asked.get(`/${name}`)?.splice(0) ?? [])
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ of: name }));
}

/** A workflow that publishes an event, calls the receiver, and publishes another. */
const eventful = (api: TestApp) =>
  readyWorkflow(api, {
    nodes: [
      node('before', 'emit-event', { topic: 'test.before', data: '{{ trigger.payload.n }}' }),
      node('call', 'http-request', { method: 'POST', url: `${receiver.url}/{{ trigger.payload.n }}`, body: {} }),
      node('after', 'emit-event', { topic: 'test.after', data: '{{ trigger.payload.n }}' }),
    ],
    edges: chain('before', 'call', 'after'),
  });

async function published(api: TestApp, runId: number): Promise<[topic: string, data: unknown][]> {
  const { rows } = await api.database.system.query<{ topic: string; data: unknown }>(
    `SELECT topic, data FROM outbox_events WHERE metadata ->> 'run_id' = $1 AND topic LIKE 'test.%' ORDER BY id`,
    [String(runId)],
  );
  return rows.map(({ topic, data }) => [topic, data]);
}

/** The effect of a failover on a run whose commits had not reached the standby: even its id is reused. */
async function lose(api: TestApp, runId: number): Promise<void> {
  const owner = new pg.Client({ connectionString: api.databaseUrl });
  await owner.connect();
  await owner.query(`BEGIN; DELETE FROM steps WHERE run_id = ${runId}; DELETE FROM run_payloads WHERE run_id = ${runId};
    DELETE FROM outbox_events WHERE metadata ->> 'run_id' = '${runId}'; DELETE FROM runs WHERE id = ${runId};
    SELECT setval('runs_id_seq', ${runId}, false); COMMIT`);
  await owner.end();
}

test('the work for a lost run is not written into a run that reuses its id', async ({ api }) => {
  const workflow = await eventful(api);
  const former = await fireRun(api, workflow, { n: 'former' });
  await receiver.until('/former', 1);
  await lose(api, former);
  const runId = await fireRun(api, workflow, { n: 'new' });
  expect(runId).toBe(former);
  await receiver.until('/new', 1);
  answer('former');
  // The worker would record the answer within a few milliseconds.
  await delay(100);
  expect(await readRun(api, runId)).toMatchObject({ status: 'running' });
  answer('new');
  const { status, steps } = await untilRun(api, runId);
  expect(status).toBe('succeeded');
  expect(steps.find(({ path }) => path === 'call')?.outputs).toMatchObject({ body: { of: 'new' } });
  expect(await published(api, runId)).toEqual([
    ['test.before', 'new'],
    ['test.after', 'new'],
  ]);
});

test('a run whose last record was lost continues from the remaining ones, and its event is published', async ({
  api,
}) => {
  const runId = await fireRun(api, await eventful(api), { n: 'again' });
  await receiver.until('/again', 1);
  await api.database.withSystem(async (tx) => {
    await tx.query('DELETE FROM steps WHERE run_id = $1', [runId]);
    await tx.query(`DELETE FROM outbox_events WHERE metadata ->> 'run_id' = $1`, [String(runId)]);
  });
  await receiver.until('/again', 2);
  answer('again');
  expect(await untilRun(api, runId)).toMatchObject({ status: 'succeeded' });
  expect(await published(api, runId)).toEqual([
    ['test.before', 'again'],
    ['test.after', 'again'],
  ]);
});

test('a run that ended in a lost commit does not hang', async ({ api }) => {
  const runId = await fireRun(api, await readyWorkflow(api, { nodes: [node('a', 'set', { values: { n: 1 } })] }));
  await untilRun(api, runId);
  await api.database.withSystem(async (tx) => {
    await tx.query('DELETE FROM steps WHERE run_id = $1', [runId]);
    await tx.query('DELETE FROM run_results WHERE run_id = $1', [runId]);
    await tx.query(
      `UPDATE runs SET status = 'running', version = 2, worker_id = $2, completed_at = NULL, updated_at = now() WHERE id = $1`,
      [runId, engine.stats().workerId],
    );
  });
  expect(await untilRun(api, runId, undefined, 10_000)).toMatchObject({ status: 'succeeded', result: { a: { n: 1 } } });
});
