import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import type { RunChange } from '#src/automation/runs/live/run-feed.service.ts';
import { watchRuns } from '#src/automation/runs/live/watch-runs.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { killListeners } from '#test/setup/lists.ts';
import { connect, type Message, ofOperation, type RawClient, subscribe } from '#test/setup/live.ts';
import { logLines, makeRun, makeWorkflow, moveRun } from '#test/setup/runs.ts';

const tenant = 'acme-shop';
const one =
  'subscription ($id: ID) { runUpdated(id: $id) { id databaseId status error startedAt completedAt workflow { name } } }';
const ofWorkflow = 'subscription ($workflowId: ID) { runUpdated(workflowId: $workflowId) { databaseId status } }';

let here: TestApp;
let there: TestApp;
let workflowId: number;

test.beforeAll(async ({ api: started, startBeside }) => {
  here = started;
  there = await startBeside();
  workflowId = await makeWorkflow(here.deps, tenant, 'Orders to ERP');
});

const statuses = (messages: Message[], id = '1'): unknown[] =>
  ofOperation(messages, id).flatMap(({ payload }) => payload?.data?.['runUpdated']?.['status'] ?? []);
const completed = (messages: Message[], id = '1'): boolean =>
  ofOperation(messages, id).some(({ type }) => type === 'complete');
const untilStatus = (client: RawClient, status: string, id = '1') =>
  client.until((messages) => statuses(messages, id).includes(status));

describe('runUpdated of one run', () => {
  test('yields the current state, then every change from another process to a reader that keeps up, and ends with the terminal one', async () => {
    const runId = await makeRun(there.deps, tenant, workflowId);
    const client = await connect(here);
    subscribe(client, '1', one, { id: runId });
    await untilStatus(client, 'QUEUED');
    for (const [index, status] of ['running', 'waiting', 'running', 'succeeded'].entries()) {
      await moveRun(there.deps, tenant, runId, status);
      await client.until((messages) => statuses(messages).length === index + 2);
    }
    await client.until((messages) => completed(messages));
    expect(statuses(client.messages)).toEqual(['QUEUED', 'RUNNING', 'WAITING', 'RUNNING', 'SUCCEEDED']);
    const last = ofOperation(client.messages, '1').at(-2)?.payload?.data?.['runUpdated'];
    expect(last).toMatchObject({ databaseId: runId, error: null, workflow: { name: 'Orders to ERP' } });
    expect(last?.['completedAt']).toMatch(/Z$/);
    client.socket.close();
  });

  test('yields only the final state of a run that has already ended', async () => {
    const runId = await makeRun(here.deps, tenant, workflowId);
    await moveRun(here.deps, tenant, runId, 'failed', { error: 'The ERP said no.' });
    const client = await connect(there);
    subscribe(client, '1', one, { id: Buffer.from(`Run:${runId}`).toString('base64') });
    await client.until((messages) => completed(messages));
    expect(statuses(client.messages)).toEqual(['FAILED']);
    expect(ofOperation(client.messages, '1')[0]?.payload?.data?.['runUpdated']?.['error']).toBe('The ERP said no.');
    client.socket.close();
  });

  test('includes the error of a failed run, which notifications do not carry', async () => {
    const runId = await makeRun(here.deps, tenant, workflowId);
    const client = await connect(there);
    subscribe(client, '1', one, { id: runId });
    await untilStatus(client, 'QUEUED');
    await moveRun(here.deps, tenant, runId, 'failed', { error: 'The ERP said no.' });
    await client.until((messages) => completed(messages));
    expect(ofOperation(client.messages, '1').at(-2)?.payload?.data?.['runUpdated']).toMatchObject({
      status: 'FAILED',
      error: 'The ERP said no.',
    });
    client.socket.close();
  });

  test('misses no terminal state and keeps the order while many runs change as subscribers arrive', async () => {
    const runs = await Promise.all(Array.from({ length: 30 }, () => makeRun(there.deps, tenant, workflowId)));
    const clients = await Promise.all([connect(here), connect(there), connect(here)]);
    const path = ['running', 'waiting', 'running', 'waiting', 'running', 'succeeded'];
    const moving = runs.map(async (runId, index) => {
      await delay(index % 7);
      for (const status of path) await moveRun(index % 2 ? here.deps : there.deps, tenant, runId, status);
    });
    for (const client of clients) {
      for (const runId of runs) {
        subscribe(client, String(runId), one, { id: runId });
        if (runId % 4 === 0) await delay(1);
      }
    }
    await Promise.all(moving);
    const whole = ['QUEUED', ...path.map((status) => status.toUpperCase())];
    for (const client of clients) {
      await client.until((messages) => runs.every((runId) => completed(messages, String(runId))));
      for (const runId of runs) {
        const seen = statuses(client.messages, String(runId));
        // A late subscriber begins later; from there on nothing is missing.
        expect(seen.length).toBeGreaterThan(0);
        expect(seen).toEqual(whole.slice(-seen.length));
      }
      client.socket.close();
    }
  });

  test('delivers the terminal state although the listening connection is killed in between', async () => {
    const runId = await makeRun(there.deps, tenant, workflowId);
    const client = await connect(here);
    subscribe(client, '1', one, { id: runId });
    await untilStatus(client, 'QUEUED');
    await killListeners(here);
    await moveRun(there.deps, tenant, runId, 'running');
    await moveRun(there.deps, tenant, runId, 'succeeded');
    await client.until((messages) => completed(messages));
    expect(statuses(client.messages).at(-1)).toBe('SUCCEEDED');
    client.socket.close();
  });

  test('reports a run whose last changes a failover lost, although its versions are reused', async () => {
    const own = await makeWorkflow(here.deps, tenant, 'Lost');
    const runId = await makeRun(there.deps, tenant, own);
    const client = await connect(here);
    subscribe(client, 'run', one, { id: runId });
    subscribe(client, 'workflow', ofWorkflow, { workflowId: own });
    for (const status of ['running', 'waiting', 'running']) {
      await moveRun(there.deps, tenant, runId, status);
      for (const id of ['run', 'workflow']) await untilStatus(client, status.toUpperCase(), id);
    }
    await here.database.system.query(`UPDATE runs SET status = 'queued', version = 1 WHERE id = $1`, [runId]);
    await killListeners(here);
    await moveRun(there.deps, tenant, runId, 'cancelled');
    for (const id of ['run', 'workflow']) await untilStatus(client, 'CANCELLED', id);
    client.socket.close();
  });

  test('returns NOT_FOUND for an id of another tenant, an unknown id and a malformed one', async () => {
    const otherWorkflow = await makeWorkflow(here.deps, 'other-shop', 'Theirs');
    const foreign = await makeRun(here.deps, 'other-shop', otherWorkflow);
    const client = await connect(here);
    const ids = [foreign, 999_999_999, '9223372036854775807', 'nonsense', Buffer.from('Workflow:1').toString('base64')];
    for (const [index, id] of ids.entries()) subscribe(client, String(index), one, { id });
    subscribe(client, 'workflow', ofWorkflow, { workflowId: otherWorkflow });
    subscribe(client, 'log', 'subscription ($id: ID!) { runLog(id: $id) { message } }', { id: foreign });
    subscribe(client, 'both', 'subscription { runUpdated(id: 1, workflowId: 999999) { id } }');
    const operations = [...ids.keys(), 'workflow', 'log', 'both'].map(String);
    for (const operation of operations) {
      const [answer] = await client.until((messages) => {
        const found = ofOperation(messages, operation);
        return found.length > 0 && found;
      });
      const errors = answer?.type === 'error' ? answer.payload : answer?.payload?.errors;
      expect({ operation, errors }).toMatchObject({ operation, errors: [{ extensions: { code: 'NOT_FOUND' } }] });
    }
    client.socket.close();
  });

  test('refuses callers without a role or a tenant', async () => {
    const cases = [
      [await connect(here, { roles: [] }), 'FORBIDDEN'],
      [await connect(here, { tenant: 'other-shop' }), 'TENANT_REQUIRED'],
      [await connect(here, { bearer: 'not-a-token' }), 'UNAUTHENTICATED'],
    ] as const;
    for (const [client, code] of cases) {
      subscribe(client, '1', one, { id: 1 });
      const [answer] = await client.until(
        (messages) => ofOperation(messages, '1').length > 0 && ofOperation(messages, '1'),
      );
      expect(answer?.type === 'error' ? answer.payload : answer?.payload?.errors).toMatchObject([
        { extensions: { code } },
      ]);
      client.socket.close();
    }
  });
});

describe('runUpdated of a workflow and of a tenant', () => {
  test('begins with the live runs of the workflow, oldest first, and continues with changes', async () => {
    const own = await makeWorkflow(here.deps, tenant, 'Stock');
    const first = await makeRun(here.deps, tenant, own);
    const ended = await makeRun(here.deps, tenant, own);
    await moveRun(here.deps, tenant, ended, 'succeeded');
    const second = await makeRun(here.deps, tenant, own);
    await moveRun(here.deps, tenant, second, 'running');
    const client = await connect(there);
    subscribe(client, '1', ofWorkflow, { workflowId: own });
    // Notices of what changed before may still be on their way.
    const seen = () =>
      ofOperation(client.messages, '1')
        .map(({ payload }) => payload?.data?.['runUpdated'])
        .filter((change) => (change as { databaseId: number }).databaseId !== ended);
    await client.until(() => seen().length === 2);
    const third = await makeRun(here.deps, tenant, own);
    await makeRun(here.deps, tenant, workflowId);
    await moveRun(here.deps, tenant, first, 'cancelled');
    await client.until(() => seen().length === 4);
    expect(seen()).toEqual([
      { databaseId: first, status: 'QUEUED' },
      { databaseId: second, status: 'RUNNING' },
      { databaseId: third, status: 'QUEUED' },
      { databaseId: first, status: 'CANCELLED' },
    ]);
    client.socket.close();
  });

  test('gives successive readers the same cached state, until a run or its workflow changes', async () => {
    const own = await makeWorkflow(here.deps, tenant, 'Watched by many');
    const runs = [await makeRun(here.deps, tenant, own), await makeRun(here.deps, tenant, own)] as const;
    const first = await readPresent(own);
    expect(await readPresent(own)).toEqual(first);
    expect((await readPresent(own)).every((change, index) => change === first[index])).toBe(true);

    await moveRun(there.deps, tenant, runs[1], 'running');
    const moved = await readPresent(own);
    expect(moved.map((change) => first.includes(change))).toEqual([true, false]);
    await here.database.withTenant(tenant, (tx) =>
      tx.workflow.updateMany({ where: { id: own }, data: { name: 'New' } }),
    );
    const renamed = await readPresent(own);
    expect(renamed.some((change) => moved.includes(change))).toBe(false);
    expect((await renamed[0]?.row())?.workflowName).toBe('New');
  });

  test('follows all runs of its own tenant, and yields nothing while nothing changes', async () => {
    const [own, another] = [
      await makeWorkflow(here.deps, 'acme-outlet', 'Outlet'),
      await makeWorkflow(here.deps, 'acme-outlet', 'Outlet, again'),
    ];
    const client = await connect(here, { tenant: 'acme-outlet' });
    subscribe(client, '1', 'subscription { runUpdated { databaseId status } }');
    subscribe(client, 'ping', '{ me { claims { sub } } }');
    await client.until((messages) => completed(messages, 'ping'));
    await makeRun(there.deps, tenant, workflowId);
    const first = await makeRun(there.deps, 'acme-outlet', own);
    await untilStatus(client, 'QUEUED');
    const second = await makeRun(here.deps, 'acme-outlet', another);
    // Two processes send their notices independently.
    await client.until((messages) => statuses(messages).length === 2);
    await moveRun(there.deps, 'acme-outlet', first, 'succeeded');
    await untilStatus(client, 'SUCCEEDED');
    expect(ofOperation(client.messages, '1').map(({ payload }) => payload?.data?.['runUpdated'])).toEqual([
      { databaseId: first, status: 'QUEUED' },
      { databaseId: second, status: 'QUEUED' },
      { databaseId: first, status: 'SUCCEEDED' },
    ]);
    client.socket.close();
  });

  test('catches up with runs that ended or began while nobody was listening', async () => {
    const own = await makeWorkflow(here.deps, tenant, 'Prices');
    const known = await makeRun(here.deps, tenant, own);
    const client = await connect(here);
    subscribe(client, '1', ofWorkflow, { workflowId: own });
    await untilStatus(client, 'QUEUED');
    await moveRun(there.deps, tenant, known, 'running');
    await untilStatus(client, 'RUNNING');
    await moveRun(there.deps, tenant, known, 'succeeded', { silently: true });
    const unheard = await makeRun(there.deps, tenant, own, { silently: true });
    await killListeners(here);
    const seen = await client.until((messages) => statuses(messages).length === 4 && ofOperation(messages, '1'));
    expect(seen.slice(2).map(({ payload }) => payload?.data?.['runUpdated'])).toEqual([
      { databaseId: known, status: 'SUCCEEDED' },
      { databaseId: unheard, status: 'QUEUED' },
    ]);
    client.socket.close();
  });
});

/** The changes with which a reader of the workflow's two runs begins. */
async function readPresent(watched: number): Promise<RunChange[]> {
  const changes: RunChange[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const source = watchRuns(
    here.deps,
    tenant,
    watched,
  )({ event: (change) => changes.push(change) < 2 || (resolve(), true), end: () => undefined });
  await promise;
  source.close();
  return changes;
}

describe('runLog', () => {
  const log = 'subscription ($id: ID!) { runLog(id: $id) { databaseId message level path } }';
  const lines = (messages: Message[], id = '1'): unknown[] =>
    ofOperation(messages, id).flatMap(({ payload }) => payload?.data?.['runLog']?.['message'] ?? []);

  test('yields stored lines, then new ones of another process, and ends after the last line of an ended run', async () => {
    const runId = await makeRun(there.deps, tenant, workflowId);
    const stored = Array.from({ length: 450 }, (_, index) => `stored ${index}`);
    await logLines(there.deps, tenant, runId, stored);
    const client = await connect(here);
    subscribe(client, '1', log, { id: runId });
    await client.until((messages) => lines(messages).length === 450);
    await logLines(there.deps, tenant, runId, ['new 1', 'new 2']);
    await client.until((messages) => lines(messages).length === 452);
    await logLines(there.deps, tenant, runId, ['last']);
    await moveRun(there.deps, tenant, runId, 'succeeded');
    await client.until((messages) => completed(messages));
    expect(lines(client.messages)).toEqual([...stored, 'new 1', 'new 2', 'last']);
    client.socket.close();
  });

  test('ends right after its lines for a run that has ended', async () => {
    const runId = await makeRun(there.deps, tenant, workflowId);
    await logLines(
      there.deps,
      tenant,
      runId,
      Array.from({ length: 200 }, (_, index) => String(index)),
    );
    await moveRun(there.deps, tenant, runId, 'cancelled');
    const client = await connect(here);
    subscribe(client, '1', log, { id: runId });
    await client.until((messages) => completed(messages));
    expect(lines(client.messages)).toHaveLength(200);
    client.socket.close();
  });
});
