import { describe, expect } from 'vitest';
import { finishRuns } from '#src/automation/runs/run-finishing.service.ts';
import { auditSince, makeRuns, newestAudit, startAndExecute } from '#test/operations/bulk-actions/bulk-action-calls.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { chain, fireRun, node, readyWorkflow, untilRun } from '#test/setup/engine.ts';
import { changeGroup, listGroups, onlyGroup } from './error-group-calls.ts';

let api: TestApp;
test.beforeAll(async ({ api: started, startEngine }) => {
  api = started;
  await startEngine();
});

const tenantId = 'acme-shop';

/** A workflow whose runs fail with this message; `{{ trigger.payload.n }}` is what they are fired with. */
const failing = (message: string) => readyWorkflow(api, { nodes: [node('a', 'fail', { message })] });

async function failOnce(target: Awaited<ReturnType<typeof failing>>, payload: object = {}): Promise<number> {
  const runId = await fireRun(api, target, payload);
  await untilRun(api, runId, 'failed');
  return runId;
}

/** Fails queued runs as a worker does for runs that nobody holds. */
const fail = (ids: readonly number[], message: string) =>
  api.database.withSystem((tx) =>
    finishRuns(
      tx,
      api.services.automation,
      null,
      ids.map((runId) => ({
        tenantId,
        runId,
        status: 'failed',
        error: message,
        result: null,
        failure: { node: 'core:code', code: 'TEST', message },
      })),
    ),
  );

describe('a run that fails', () => {
  test('joins the group of its node, code and message, across workflows', async () => {
    const first = await failing('Order {{ trigger.payload.n }} of "{{ trigger.payload.by }}" has no weight.');
    const second = await failing('Order {{ trigger.payload.n }} of "{{ trigger.payload.by }}" has no weight.');
    await failOnce(first, { n: 17, by: 'Jo' });
    await failOnce(first, { n: 18, by: 'Ann' });
    const last = await failOnce(second, { n: 'A-19', by: 'Jo' });
    const group = await onlyGroup(api, { search: 'has no weight' });
    expect(group).toMatchObject({
      kind: 'RUN',
      node: 'core:fail',
      message: 'Order <value> of <text> has no weight.',
      status: 'OPEN',
      count: 3,
      reopenedAt: null,
      workflows: [
        { count: 2, workflow: { databaseId: first.workflowId } },
        { count: 1, workflow: { databaseId: second.workflowId } },
      ],
      sampleRun: { databaseId: last },
      sampleDeadLetter: null,
      sampleWebhookDelivery: null,
    });
    expect(await onlyGroup(api, { workflowId: second.workflowId })).toMatchObject({ id: group.id });
    expect(await listGroups(api, { search: 'has no weight', kind: 'DEAD_LETTER' })).toEqual([]);
    expect(await listGroups(api, { search: 'has no weight', status: ['RESOLVED'] })).toEqual([]);
  });

  test('is grouped by the step that failed in a loop, whatever the item', async () => {
    const body = { nodes: [node('inner', 'fail', { message: 'Line {{ item }} is empty.' })], edges: [] };
    const target = await readyWorkflow(api, {
      nodes: [
        node('first', 'set', { values: {} }),
        node('each', 'for-each', { items: '{{ trigger.payload.lines }}', body }),
      ],
      edges: chain('first', 'each'),
    });
    await failOnce(target, { lines: [4, 5] });
    expect(await onlyGroup(api, { workflowId: target.workflowId })).toMatchObject({
      node: 'core:fail',
      message: 'Line <value> is empty.',
      count: 1,
    });
  });

  test('shows no secret in its group', async () => {
    await api.graphql(
      'mutation { putSecret(input: { key: "ERP_TOKEN", value: "verysecrettoken" }) { ... on Error { message } } }',
    );
    const target = await failing('The token {{ secrets.ERP_TOKEN }} was refused.');
    await failOnce(target);
    const group = await onlyGroup(api, { workflowId: target.workflowId });
    expect(JSON.stringify(group)).not.toContain('verysecret');
    expect(group.message).toMatch(/^The token .* was refused\.$/);
  });

  test('is in its group with the commit that records its failure, however many fail at the same time', async () => {
    const { workflowId } = await failing('x');
    const ids = await makeRuns(api, workflowId, { count: 200, status: 'queued' });
    const batches = Array.from({ length: 20 }, (_, place) => ids.slice(place * 10, place * 10 + 10));
    await Promise.all(batches.map((batch) => fail(batch, 'They fail together.')));
    const { rows } = await api.database.system.query(
      `SELECT count(*)::int AS runs, count(DISTINCT error_group_id)::int AS groups FROM runs WHERE workflow_id = $1 AND status = 'failed'`,
      [workflowId],
    );
    expect(rows).toEqual([{ runs: 200, groups: 1 }]);
    expect(await onlyGroup(api, { workflowId })).toMatchObject({ count: 200, message: 'They fail together.' });
  });

  test('is of no group if it is a test run', async () => {
    const { workflowId } = await failing('x');
    const ids = await makeRuns(api, workflowId, { count: 1, status: 'queued' });
    await api.database.system.query('UPDATE runs SET is_test = true WHERE id = $1', [ids[0]]);
    await fail(ids, 'Only a test.');
    expect(await listGroups(api, { search: 'Only a test.' })).toEqual([]);
    const { rows } = await api.database.system.query('SELECT status, error_group_id FROM runs WHERE id = $1', [ids[0]]);
    expect(rows).toEqual([{ status: 'failed', error_group_id: null }]);
  });

  test('does not wait for another transaction that has locked its group', async () => {
    const { workflowId } = await failing('x');
    const [first, second] = (await makeRuns(api, workflowId, { count: 2, status: 'queued' })) as [number, number];
    await fail([first], 'It is locked.');
    await api.database.system.query(
      `UPDATE error_groups SET last_at = now() - interval '1 h' WHERE message = 'It is locked.'`,
    );
    await api.database.withSystem(async (tx) => {
      await tx.query(`SELECT FROM error_groups WHERE message = 'It is locked.' FOR UPDATE`);
      await fail([second], 'It is locked.');
    });
    expect(await onlyGroup(api, { workflowId })).toMatchObject({ count: 2 });
  });

  test('is not in the group any more once it is retried or is deleted', async () => {
    const { workflowId } = await failing('x');
    const ids = await makeRuns(api, workflowId, { count: 3, status: 'queued' });
    await fail(ids, 'It comes and goes.');
    const { id } = await onlyGroup(api, { workflowId });
    await api.database.system.query('DELETE FROM runs WHERE id = $1', [ids[0]]);
    await startAndExecute(api, 'retryRuns', { ids: [String(ids[1])] });
    await untilRun(api, ids[1] as number);
    const groups = await listGroups(api, { search: 'It comes and goes.' });
    expect(groups.map((group) => [group.id, group.count])).toEqual([[id, 1]]);
  });
});

describe('a group', () => {
  async function newGroup(message: string) {
    const { workflowId } = await failing('x');
    const [first, ...others] = (await makeRuns(api, workflowId, {
      count: 4,
      status: 'queued',
    })) as [number, ...number[]];
    await fail([first], message);
    const group = await onlyGroup(api, { workflowId });
    const state = async () => {
      const { status, mutedUntil, reopenedAt } = await onlyGroup(api, { search: message });
      return { status, mutedUntil, isReopened: reopenedAt !== null };
    };
    return { id: group.id, others, state, failNext: () => fail(others.splice(0, 1), message) };
  }

  test('that was resolved is opened by the next failure', async () => {
    const { id, state, failNext } = await newGroup('Resolved too early.');
    const since = await newestAudit(api);
    expect(await changeGroup(api, 'resolve', { id })).toEqual({
      errorGroup: { status: 'RESOLVED', mutedUntil: null, assignee: null },
    });
    expect(await auditSince(api, since)).toEqual({ 'error_group resolve': 1 });
    await failNext();
    expect(await state()).toEqual({ status: 'OPEN', mutedUntil: null, isReopened: true });
  });

  test('that was muted is opened by the next failure, or by the first after the instant', async () => {
    const { id, state, failNext } = await newGroup('Muted for now.');
    await changeGroup(api, 'mute', { id });
    expect(await state()).toEqual({ status: 'MUTED', mutedUntil: null, isReopened: false });
    await failNext();
    expect(await state()).toEqual({ status: 'OPEN', mutedUntil: null, isReopened: true });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await changeGroup(api, 'mute', { id, until });
    await failNext();
    expect(await state()).toMatchObject({ status: 'MUTED', mutedUntil: until });
    await api.database.system.query(`UPDATE error_groups SET muted_until = now() WHERE message = 'Muted for now.'`);
    await failNext();
    expect(await state()).toMatchObject({ status: 'OPEN', mutedUntil: null });
  });

  test('can be assigned to a user who has a role in the tenant, and to nobody', async () => {
    const { id } = await newGroup('Assigned.');
    const ask = { sub: 'keeper', email: 'keeper@example.com', roles: ['user'] };
    const me = await api.graphql<{ me: { user: { id: number } } }>('{ me { user { id } } }', {}, ask);
    const userId = me.data.me.user.id;
    const elsewhere = { sub: 'elsewhere', roles: ['user'], tenant: 'acme-outlet' };
    const other = await api.graphql<{ me: { user: { id: number } } }>('{ me { user { id } } }', {}, elsewhere);
    expect(await changeGroup(api, 'assign', { id, userId })).toMatchObject({
      errorGroup: { assignee: 'keeper@example.com' },
    });
    expect(await onlyGroup(api, { assigneeId: userId })).toMatchObject({ id, assignee: 'keeper@example.com' });
    for (const wrong of [other.data.me.user.id, 999_999])
      expect(await changeGroup(api, 'assign', { id, userId: wrong })).toMatchObject({ fields: [{ path: 'userId' }] });
    await changeGroup(api, 'resolve', { id });
    expect(await onlyGroup(api, { assigneeId: userId })).toMatchObject({ status: 'RESOLVED' });
    expect(await changeGroup(api, 'assign', { id })).toMatchObject({ errorGroup: { assignee: null } });
    expect(await listGroups(api, { assigneeId: userId })).toEqual([]);
  });

  test('can be reopened by hand', async () => {
    const { id, state } = await newGroup('Reopened by hand.');
    await changeGroup(api, 'resolve', { id });
    await changeGroup(api, 'reopen', { id });
    expect(await state()).toEqual({ status: 'OPEN', mutedUntil: null, isReopened: false });
  });

  test('is not opened by a failure that is rolled back', async () => {
    const { id, others, state } = await newGroup('Rolled back.');
    await changeGroup(api, 'resolve', { id });
    const failed = api.database.withSystem(async (tx) => {
      await finishRuns(tx, api.services.automation, null, [
        {
          tenantId,
          runId: others[0] as number,
          status: 'failed',
          error: 'Rolled back.',
          result: null,
          failure: { node: 'core:code', code: 'TEST', message: 'Rolled back.' },
        },
      ]);
      throw new Error('no commit');
    });
    await expect(failed).rejects.toThrow('no commit');
    expect(await state()).toMatchObject({ status: 'RESOLVED' });
  });

  test('is refused to others: another tenant, a malformed id, an instant that has passed', async () => {
    const { id, state } = await newGroup('Private.');
    const stranger = { tenant: 'acme-outlet' };
    expect(await changeGroup(api, 'resolve', { id }, stranger)).toEqual({ code: 'NOT_FOUND' });
    expect(await listGroups(api, { search: 'Private.' }, stranger)).toEqual([]);
    for (const wrong of ['1', 'x', btoa('ErrorGroup:1'), btoa('Run:1'), "' OR 1=1"])
      expect(await changeGroup(api, 'resolve', { id: wrong })).toEqual({ code: 'NOT_FOUND' });
    expect(await changeGroup(api, 'mute', { id, until: '2020-01-01T00:00:00Z' })).toMatchObject({
      fields: [{ path: 'until' }],
    });
    expect(await changeGroup(api, 'mute', { id, until: '2999-01-01T00:00:00Z' })).toMatchObject({
      fields: [{ path: 'until' }],
    });
    expect(await state()).toMatchObject({ status: 'OPEN' });
  });
});

describe('a bulk action', () => {
  test('takes the items of a group, and its list shows the same', async () => {
    const { workflowId } = await failing('x');
    const ids = await makeRuns(api, workflowId, { count: 30, status: 'queued' });
    await fail(ids.slice(0, 20), 'The ERP is away.');
    await fail(ids.slice(20), 'The shop is away.');
    const [group] = await listGroups(api, { search: 'The ERP is away.' });
    const { data } = await api.graphql<{ runs: { totalCount: number } }>(
      'query ($id: ID!) { runs(filter: { errorGroupId: $id }) { totalCount } }',
      { id: group?.id },
    );
    expect(data.runs.totalCount).toBe(20);
    expect(await startAndExecute(api, 'retryRuns', { filter: { errorGroupId: group?.id } })).toMatchObject({
      total: 20,
      done: 20,
    });
    expect(await onlyGroup(api, { search: 'The shop is away.' })).toMatchObject({ count: 10 });
  });
});

describe('a dead letter', () => {
  test('joins the group of its trigger and reason, and leaves it when it is settled', async () => {
    const { workflowId, handle } = await readyWorkflow(api, { nodes: [node('a', 'set')] });
    await api.database.system.query('UPDATE workflows SET active = false WHERE id = $1', [workflowId]);
    for (let n = 0; n < 3; n += 1)
      await api.graphql(
        'mutation ($handle: String!) { fireWebhook(input: { handle: $handle }) { ... on FireWebhookPayload { deadLetterId } } }',
        { handle },
      );
    const group = await onlyGroup(api, { workflowId });
    expect(group).toMatchObject({
      kind: 'DEAD_LETTER',
      node: 'trigger:webhook',
      message: 'Workflow is not active.',
      count: 3,
      workflows: [{ count: 3, workflow: { databaseId: workflowId } }],
      sampleDeadLetter: { reason: 'Workflow is not active.' },
    });
    const filter = { errorGroupId: group.id };
    const { data } = await api.graphql<{ deadLetters: { totalCount: number } }>(
      'query ($filter: DeadLetterFilter) { deadLetters(filter: $filter) { totalCount } }',
      { filter },
    );
    expect(data.deadLetters.totalCount).toBe(3);
    expect(await startAndExecute(api, 'discardDeadLetters', { filter })).toMatchObject({ done: 3 });
    expect(await listGroups(api, { workflowId })).toEqual([]);
  });
});

describe('errorGroups', () => {
  test('is paged from the last failure to the first, in both directions', async ({ ownApi }) => {
    await ownApi.database.system.query(
      `INSERT INTO error_groups (tenant_id, id, kind, code, message, last_at)
       SELECT 'acme-shop', gen_random_uuid(), 'run', 'C', 'group ' || n, now() - make_interval(secs => n / 2) FROM generate_series(1, 25) n`,
    );
    type Page = {
      errorGroups: { edges: { cursor: string; node: { message: string } }[]; pageInfo: { hasNextPage: boolean } };
    };
    const page = async (args: string) =>
      (
        await ownApi.graphql<Page>(
          `{ errorGroups(${args}) { edges { cursor node { message count } } pageInfo { hasNextPage } } }`,
        )
      ).data.errorGroups;
    const all = (await page('first: 25')).edges;
    const seen: string[] = [];
    for (let after = ''; ;) {
      const { edges, pageInfo } = await page(`first: 4${after && `, after: "${after}"`}`);
      seen.push(...edges.map((edge) => edge.node.message));
      after = edges.at(-1)?.cursor ?? '';
      if (!pageInfo.hasNextPage) break;
    }
    expect(seen).toEqual(all.map((edge) => edge.node.message));
    const before = await page(`last: 4, before: "${all[10]?.cursor}"`);
    expect(before.edges.map((edge) => edge.node.message)).toEqual(seen.slice(6, 10));
  });
});
