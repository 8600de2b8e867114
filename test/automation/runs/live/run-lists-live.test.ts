import { describe, expect } from 'vitest';
import { runsChannel } from '#src/automation/runs/live/run-feed.service.ts';
import { runConditions } from '#src/automation/runs/run-filters.reads.ts';
import { notifyRuns } from '#src/automation/runs/run-notices.service.ts';
import { findRuns, type RunRow } from '#src/automation/runs/runs.reads.ts';
import { type NoticeRow, noticeColumns } from '#src/automation/runs/runs.store.ts';
import type { ListEvent } from '#src/infra/live/lists/list-view.ts';
import { listenToRows } from '#src/infra/live/lists/live-list-source.ts';
import { LiveList } from '#src/infra/live/lists/live-list.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { killListeners, listUpdates, untilFollowed } from '#test/setup/lists.ts';
import { connect, ofOperation, type RawClient, subscribe } from '#test/setup/live.ts';
import { makeRun, makeWorkflow, moveRun } from '#test/setup/runs.ts';

const tenant = 'acme-shop';
const field = 'runsUpdated';
const follow =
  'subscription ($filter: RunFilter) { runsUpdated(filter: $filter) { change id node { databaseId status } } }';
const followRuns = 'subscription ($filter: RunFilter) { runUpdated(filter: $filter) { databaseId status } }';
const statuses = ['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled'] as const;

let here: TestApp;
let there: TestApp;
let workflowId: number;

test.beforeAll(async ({ api: started, startBeside }) => {
  here = started;
  there = await startBeside();
  workflowId = await makeWorkflow(here.deps, tenant, 'Orders to ERP');
});

/** Follows with the filter, which must let failed runs through, until changes of both processes arrive. */
async function openList(filter: object) {
  const client = await connect(here);
  subscribe(client, '1', follow, { filter });
  const probe = await makeRun(here.deps, tenant, workflowId);
  const touches = [here, there].map(
    ({ deps }) =>
      () =>
        moveRun(deps, tenant, probe, 'failed', { error: 'probe' }),
  );
  const from = await untilFollowed(client, { field, touches });
  return { client, probe, seen: () => listUpdates(client, field).slice(from) };
}

const shown = (updates: ReturnType<typeof listUpdates>) =>
  updates.map(({ change, node }) => [change, node?.['databaseId'] ?? null, node?.['status'] ?? null]);

describe('runsUpdated', () => {
  test('reports new runs, changed ones and those that no longer match, whichever process made the change', async () => {
    const old = await makeRun(there.deps, tenant, workflowId);
    const { client, probe, seen: all } = await openList({ status: ['QUEUED', 'RUNNING', 'FAILED'] });
    const seen = () => all().filter(({ node }) => node && node['databaseId'] !== probe);
    const fresh = await makeRun(there.deps, tenant, workflowId);
    await client.until(() => seen().length === 1);
    await moveRun(there.deps, tenant, fresh, 'running');
    await client.until(() => seen().length === 2);
    await moveRun(here.deps, tenant, old, 'waiting');
    await client.until(() => seen().length === 3);
    await moveRun(here.deps, tenant, old, 'running');
    await client.until(() => seen().length === 4);
    await moveRun(there.deps, tenant, fresh, 'succeeded');
    await client.until(() => seen().length === 5);
    expect(shown(seen())).toEqual([
      ['ADDED', fresh, 'QUEUED'],
      ['CHANGED', fresh, 'RUNNING'],
      ['REMOVED', old, 'WAITING'],
      ['ADDED', old, 'RUNNING'],
      ['REMOVED', fresh, 'SUCCEEDED'],
    ]);
    expect(seen()[0]?.id).toBe(Buffer.from(`Run:${fresh}`).toString('base64'));
    client.socket.close();
  });

  test('keeps a client’s copy equal to the list, for every kind of filter', async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const filters = [
      {},
      { status: ['FAILED'] },
      { workflowId: String(workflowId), status: ['RUNNING', 'FAILED'] },
      { search: 'no stock' },
      { search: 'oRDERS', status: ['FAILED'] },
      { since, triggerType: 'MANUAL', status: ['WAITING', 'FAILED'] },
      { until: since },
    ];
    const client = await connect(here);
    for (const [n, filter] of filters.entries()) subscribe(client, String(n), follow, { filter });
    const runs = await Promise.all(Array.from({ length: 20 }, () => makeRun(there.deps, tenant, workflowId)));
    for (let step = 0; step < 120; step += 1) {
      const status = statuses[(step * 7 + (step % 3)) % statuses.length] as string;
      const failed = status === 'failed' && { error: step % 2 ? 'No Stock left' : 'no answer' };
      const id = runs[(step * 13) % runs.length] as number;
      await moveRun((step % 2 ? here : there).deps, tenant, id, status, { ...failed });
    }
    for (const [n, filter] of filters.entries()) {
      const list = await readList(filter);
      const copy = copyList(client, String(n), filter);
      await expect.poll(copy, { timeout: 30_000 }).toEqual(list);
    }
    client.socket.close();
  });

  test('asks to read the list again after a lost connection', async () => {
    const { client, seen } = await openList({ status: ['FAILED'] });
    await moveRun(there.deps, tenant, await makeRun(there.deps, tenant, workflowId), 'failed', { silently: true });
    await killListeners(here);
    await client.until(() => seen().some(({ change, node }) => change === 'RELOAD' && node === null));
    client.socket.close();
  });

  test('never shows a run of another tenant', async () => {
    const { client, probe, seen } = await openList({});
    const theirs = await makeWorkflow(here.deps, 'other-shop', 'Theirs');
    const foreign = await makeRun(there.deps, 'other-shop', theirs);
    await moveRun(there.deps, 'other-shop', foreign, 'running');
    // A notice that lies about the tenant of a run.
    there.database.notices.send(runsChannel.name, [
      [tenant, foreign, theirs, 'running', 2, null, null, Date.now(), false],
    ]);
    await moveRun(there.deps, tenant, probe, 'queued');
    await client.until(() => seen().some(({ node }) => node?.['status'] === 'QUEUED'));
    expect(seen().map(({ node }) => node?.['databaseId'])).not.toContain(foreign);
    client.socket.close();
  });

  test('refuses callers without a role, and ids of other types', async () => {
    const outsider = await connect(here, { roles: [] });
    const client = await connect(here);
    subscribe(outsider, '1', follow, {});
    subscribe(client, '1', follow, { filter: { workflowId: 'nonsense' } });
    subscribe(client, '2', 'subscription { runUpdated(id: 1, filter: {}) { id } }');
    expect(await refusal(outsider, '1')).toBe('FORBIDDEN');
    expect(await refusal(client, '1')).toBe('NOT_FOUND');
    expect(await refusal(client, '2')).toBe('VALIDATION_FAILED');
    for (const { socket } of [outsider, client]) socket.close();
  });
});

test('runUpdated with a filter yields the runs within it, and those that leave it', async () => {
  const client = await connect(here);
  const own = await makeWorkflow(here.deps, tenant, 'Filtered');
  const seen = () => ofOperation(client.messages, '1').map(({ payload }) => payload?.data?.['runUpdated']);
  subscribe(client, '1', followRuns, { filter: { workflowId: String(own), status: ['RUNNING'] } });
  const runId = await makeRun(there.deps, tenant, own);
  // Until the subscription is heard; a change may come before it.
  for (let n = 0; seen().length === 0; n += 1) {
    await moveRun(there.deps, tenant, runId, 'running');
    await Promise.race([client.until(() => seen().length > 0), new Promise((resolve) => setTimeout(resolve, 200))]);
  }
  const other = await makeRun(there.deps, tenant, workflowId);
  await moveRun(there.deps, tenant, other, 'running');
  await moveRun(there.deps, tenant, runId, 'succeeded');
  await client.until(() => (seen().at(-1) as { status: string }).status === 'SUCCEEDED');
  expect(seen().every((run) => (run as { databaseId: number }).databaseId === runId)).toBe(true);
  client.socket.close();
});

describe('a list that many follow', () => {
  test('evaluates a burst of changes for all filters in few statements, and shares each event', async () => {
    const { list, statements } = countedList();
    const events: ListEvent<RunRow>[][] = [];
    const sources = Array.from({ length: 30 }, (_, n) => {
      const seen: ListEvent<RunRow>[] = [];
      events.push(seen);
      const filter = { status: ['running' as const], search: String(Math.floor(n / 2)) };
      return list.follow(
        tenant,
        n < 2 ? { status: ['running'] } : filter,
      )({
        event: (event) => seen.push(event) > 0,
        end: () => undefined,
      });
    });
    const runs = await Promise.all(Array.from({ length: 200 }, () => makeRun(here.deps, tenant, workflowId)));
    await untilQuiet(events[0] as ListEvent<RunRow>[]);
    const before = statements();
    await moveRuns(here, runs, 'running');
    await expect
      .poll(() => events[0]?.filter(({ change }) => change === 'added').length, { timeout: 30_000 })
      .toBe(200);
    const [first, second] = events as [ListEvent<RunRow>[], ListEvent<RunRow>[]];
    const added = first.filter(({ change }) => change === 'added');
    expect(second.filter(({ change }) => change === 'added').every((event) => added.includes(event))).toBe(true);
    const rows = await Promise.all(added.map(({ row }) => row()));
    expect(rows.every((row) => row?.status === 'running')).toBe(true);
    // A notification holds some fifty runs. Those of one turn are evaluated together, and their rows are read together.
    expect(statements() - before).toBeLessThan(30);
    for (const source of sources) source.close();
  });

  test('says once that the list changed, where 10,000 runs change together', async () => {
    const { list, statements } = countedList();
    const runs = await makeRuns(here, 10_000);
    const seen: ListEvent<RunRow>[] = [];
    const source = list.follow(tenant, {})({ event: (event) => seen.push(event) > 0, end: () => undefined });
    await untilQuiet(seen);
    const [events, before] = [seen.length, statements()];
    await moveRuns(there, runs, 'running');
    await expect
      .poll(() => seen.slice(events).some(({ change }) => change === 'reload'), { timeout: 30_000 })
      .toBe(true);
    await untilQuiet(seen);
    const news = seen.slice(events);
    expect(news.length).toBeLessThan(5_000);
    expect(news.filter(({ change }) => change === 'reload').length).toBeLessThan(4);
    expect(statements() - before).toBeLessThan(30);
    source.close();
  });

  test('lets a reader that has fallen behind read the list once it has room', async () => {
    const { list } = countedList();
    const [slow, quick]: ListEvent<RunRow>[][] = [[], []];
    let hasRoom = true;
    const source = list.follow(tenant, {})({ event: (event) => (slow?.push(event), hasRoom), end: () => undefined });
    const other = list.follow(tenant, {})({ event: (event) => (quick?.push(event), true), end: () => undefined });
    const runId = await makeRun(here.deps, tenant, workflowId);
    await untilQuiet(slow as ListEvent<RunRow>[]);
    hasRoom = false;
    const before = slow?.length as number;
    for (const status of ['running', 'waiting', 'running']) {
      const known = quick?.length;
      await moveRun(here.deps, tenant, runId, status);
      await expect.poll(() => quick?.length).toBeGreaterThan(known as number);
    }
    expect(slow?.slice(before)).toMatchObject([{ change: 'changed', id: runId }]);
    hasRoom = true;
    source.resume?.();
    expect(slow?.slice(before)).toMatchObject([{ change: 'changed' }, { change: 'reload' }]);
    for (const each of [source, other]) each.close();
  });
});

/** A list of runs of its own, and the number of statements it has made. */
function countedList() {
  let count = 0;
  const { database } = here;
  const counted: typeof database = {
    ...database,
    tenantQuery: (...given) => {
      count += 1;
      return database.tenantQuery(...given) as never;
    },
  };
  const list = new LiveList<Parameters<typeof runConditions>[1], RunRow>(
    { ...here.deps, database: counted },
    {
      table: 'runs',
      conditions: runConditions,
      listen: listenToRows(here.deps.live, runsChannel),
      load: (tenantId, ids) => findRuns(counted, tenantId, ids),
    },
  );
  return { list, statements: () => count };
}

/** Waits until nothing has come for as long as a reload is put off. */
async function untilQuiet(seen: readonly unknown[]): Promise<void> {
  await expect.poll(() => seen.length).toBeGreaterThan(0);
  for (let before = -1; before !== seen.length;) {
    before = seen.length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
}

async function makeRuns({ database }: TestApp, many: number): Promise<number[]> {
  const { rows } = await database.system.query<{ id: number }>(
    `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type)
     SELECT $1, $2, b.id, 1, 'manual' FROM workflow_bundles b, generate_series(1, $3)
     WHERE b.tenant_id = $1 AND b.workflow_id = $2 RETURNING id`,
    [tenant, workflowId, many],
  );
  return rows.map(({ id }) => id);
}

/** Moves all of them in one commit. */
const moveRuns = ({ database }: TestApp, runs: readonly number[], status: string) =>
  database.withSystem(async (tx) => {
    const { rows } = await tx.query<NoticeRow>(
      `UPDATE runs r SET status = $3, version = version + 1, updated_at = now() WHERE tenant_id = $1 AND id = ANY($2::bigint[])
       RETURNING ${noticeColumns}`,
      [tenant, runs, status],
    );
    notifyRuns(tx, rows);
  });

const readList = async (filter: object): Promise<Map<number, string>> => {
  const list =
    'query ($filter: RunFilter) { runs(first: 100, filter: $filter) { edges { node { databaseId status } } } }';
  type Listed = { runs: { edges: { node: { databaseId: number; status: string } }[] } };
  const { data } = await here.graphql<Listed>(list, { filter });
  return new Map(data.runs.edges.map(({ node }) => [node.databaseId, node.status]));
};

/** Applies the events as a client does. Call it again to apply the news. */
function copyList(client: RawClient, id: string, filter: object): () => Promise<Map<number, string>> {
  let copy = new Map<number, string>();
  let applied = 0;
  return async () => {
    for (const { change, node } of listUpdates(client, field, id).slice(applied)) {
      applied += 1;
      const { databaseId, status } = (node ?? {}) as { databaseId: number; status: string };
      if (change === 'RELOAD') copy = await readList(filter);
      else if (change === 'REMOVED') copy.delete(databaseId);
      else copy.set(databaseId, status);
    }
    return copy;
  };
}

async function refusal(client: RawClient, id: string): Promise<string | undefined> {
  const [answer] = await client.until((messages) => ofOperation(messages, id).length > 0 && ofOperation(messages, id));
  const errors = answer?.type === 'error' ? (answer.payload as never) : answer?.payload?.errors;
  return (errors as { extensions: { code: string } }[] | undefined)?.[0]?.extensions.code;
}
