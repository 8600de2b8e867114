import { describe, expect } from 'vitest';
import type { Services } from '#src/infra/services.ts';
import { runBulkAction, takeUpBulkActions } from '#src/operations/bulk-actions/run-bulk-action.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow, startTestEngine } from '#test/setup/engine.ts';
import { connect, ofOperation, subscribe } from '#test/setup/live.ts';
import { auditSince, execute, toKey, makeRuns, newestAudit, read, start } from './bulk-action-calls.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const tenantId = 'acme-shop';
const workflow = async () => (await readyWorkflow(api, { nodes: [node('a', 'set')] })).workflowId;
const change = (id: string, set: string) =>
  api.database.withTenantSql(tenantId, (tx) => tx.query(`UPDATE bulk_actions SET ${set} WHERE id = $1`, [toKey(id)]));

async function startRetries(count: number): Promise<{ id: string; failed: number[] }> {
  const workflowId = await workflow();
  const failed = await makeRuns(api, workflowId, { count });
  const { bulkAction } = await start(api, 'retryRuns', { filter: { workflowId } });
  return { id: bulkAction?.id as string, failed };
}

class Killed extends Error {}

/** Services whose process dies at the transaction of that number: before it, in it before its commit, or after it. */
function mortal(at: number, when: 'before' | 'in' | 'after'): Pick<Services, 'deps' | 'automation'> {
  let transactions = 0;
  let isDead = false;
  const withTenantSql: TestApp['database']['withTenantSql'] = async (tenant, work) => {
    if (isDead) throw new Killed();
    transactions += 1;
    const dies = transactions === at;
    if (dies) isDead = true;
    if (dies && when === 'before') throw new Killed();
    const done = await api.database.withTenantSql(tenant, async (tx) => {
      const result = await work(tx);
      if (dies && when === 'in') throw new Killed();
      return result;
    });
    if (dies) throw new Killed();
    return done;
  };
  const deps = { ...api.services.deps, database: { ...api.database, withTenantSql } };
  return { deps, automation: { ...api.services.automation, ...deps } };
}

async function mutate(name: 'cancel' | 'continue', id: string, as?: Caller) {
  const title = name === 'cancel' ? 'CancelBulkAction' : 'ContinueBulkAction';
  const { data, errors } = await api.graphql<
    Record<string, { message?: string; code?: string; bulkAction?: { status: string } }>
  >(
    `mutation ($id: ID!) { ${name}BulkAction(input: { id: $id }) {
      ... on ${title}Payload { bulkAction { status } } ... on Error { code message } } }`,
    { id },
    as,
  );
  return data?.[`${name}BulkAction`] ?? { code: errors?.[0]?.extensions?.code };
}

describe('an action whose workers die', () => {
  test('does every item once after ten deaths before, in and after its commits', async () => {
    const since = await newestAudit(api);
    const { id, failed } = await startRetries(3_000);
    for (let death = 0; death < 10; death += 1) {
      const when = (['before', 'in', 'after'] as const)[death % 3] as 'in';
      await expect(
        runBulkAction(mortal(2 + (death % 2), when), { tenantId, bulkActionId: toKey(id) }, { judgeMs: 0 }),
      ).rejects.toThrow(Killed);
      // A dead worker holds the action until its lease ends.
      await runBulkAction(api.services, { tenantId, bulkActionId: toKey(id) }, { judgeMs: 0 });
      expect((await read(api, id)).status).toBe('RUNNING');
      await change(id, `lease_until = now() - interval '1 s'`);
    }
    expect(await execute(api, id)).toMatchObject({ status: 'COMPLETED', total: 3_000, done: 3_000, refused: 0 });
    const { rows } = await api.database.system.query(
      `SELECT count(*)::int AS runs, min(retries)::int AS least, max(retries)::int AS most FROM runs WHERE id = ANY($1)`,
      [failed],
    );
    expect(rows).toEqual([{ runs: 3_000, least: 1, most: 1 }]);
    expect(await auditSince(api, since)).toEqual({ 'bulk_action start': 1, 'workflow_run run.started': 3_000 });
  });

  test('is announced again once its lease has ended, and not before', async () => {
    const { id } = await startRetries(5);
    const announced = async (): Promise<number> => {
      const jobs = `SELECT count(*)::int AS count FROM pgboss.job WHERE name = 'operations.bulk-action.run' AND (data ->> 'bulkActionId')::bigint = $1`;
      const { rows } = await api.database.system.query<{ count: number }>(jobs, [toKey(id)]);
      return rows[0]?.count as number;
    };
    const before = await announced();
    await change(id, `announced_at = now() - interval '1 min', lease_until = now() + interval '1 min'`);
    await takeUpBulkActions(api.deps);
    expect(await announced()).toBe(before);
    await change(id, `lease_until = now() - interval '1 s'`);
    await takeUpBulkActions(api.deps);
    await takeUpBulkActions(api.deps);
    expect(await announced()).toBe(before + 1);
  });

  test('a worker that lost its lease commits nothing more', async () => {
    const { id, failed } = await startRetries(100);
    const { database } = api.services.deps;
    let batches = 0;
    const withTenantSql: typeof database.withTenantSql = async (tenant, work) => {
      batches += 1;
      if (batches === 3) await change(id, `lease = gen_random_uuid()`);
      return database.withTenantSql(tenant, work);
    };
    const deps = { ...api.services.deps, database: { ...database, withTenantSql } };
    await runBulkAction({ ...api.services, deps }, { tenantId, bulkActionId: toKey(id) }, { judgeMs: 0 });
    expect(await read(api, id)).toMatchObject({ status: 'RUNNING', done: 10 });
    const { rows } = await api.database.system.query(
      'SELECT count(*)::int AS count FROM runs WHERE id = ANY($1) AND retries > 0',
      [failed],
    );
    expect(rows).toEqual([{ count: 10 }]);
  });

  test('stops when a batch fails five times, and can be continued', async () => {
    const { id } = await startRetries(5);
    const broken = {
      ...api.services.automation,
      jobs: { ...api.deps.jobs, insert: () => Promise.reject(new Error('no queue')) },
    };
    for (let attempt = 0; attempt < 5; attempt += 1)
      await runBulkAction(
        { ...api.services, automation: broken },
        { tenantId, bulkActionId: toKey(id) },
        { judgeMs: 0 },
      );
    expect(await read(api, id)).toMatchObject({
      status: 'STOPPED',
      done: 0,
      error: 'It failed several times at the same place. The log of the server says why.',
    });
    // Somebody wished to cancel it at the moment in which it stopped; who continues it does not.
    await change(id, 'cancel_requested = true');
    expect(await mutate('continue', id)).toEqual({ bulkAction: { status: 'QUEUED' } });
    expect(await execute(api, id)).toMatchObject({ status: 'COMPLETED', done: 5, error: null });
  });
});

describe('cancelBulkAction', () => {
  test('ends a queued action at once, and a running one before its next batch', async () => {
    const queued = await startRetries(5);
    expect(await mutate('cancel', queued.id)).toEqual({ bulkAction: { status: 'CANCELLED' } });
    expect(await execute(api, queued.id)).toMatchObject({ status: 'CANCELLED', done: 0 });
    expect(await mutate('cancel', queued.id)).toMatchObject({ code: 'CONFLICT' });

    const { id, failed } = await startRetries(100);
    await expect(
      runBulkAction(mortal(3, 'after'), { tenantId, bulkActionId: toKey(id) }, { judgeMs: 0 }),
    ).rejects.toThrow(Killed);
    expect(await mutate('cancel', id)).toEqual({ bulkAction: { status: 'RUNNING' } });
    await change(id, `lease_until = now() - interval '1 s'`);
    expect(await execute(api, id)).toMatchObject({ status: 'CANCELLED', total: 100, done: 30, refused: 0 });
    const { rows } = await api.database.system.query(
      'SELECT status, count(*)::int AS count FROM runs WHERE id = ANY($1) GROUP BY status ORDER BY status',
      [failed],
    );
    expect(rows).toEqual([
      { status: 'failed', count: 70 },
      { status: 'queued', count: 30 },
    ]);
  });
});

describe('the rights of an action', () => {
  const leaver = { sub: 'leaver', email: 'leaver@example.com', roles: ['user'] };

  /** An action of the leaver whose first batch is done. */
  async function startAsLeaver(): Promise<string> {
    const workflowId = await workflow();
    await makeRuns(api, workflowId, { count: 30 });
    const { bulkAction } = await start(api, 'retryRuns', { filter: { workflowId } }, leaver);
    const id = bulkAction?.id as string;
    await expect(
      runBulkAction(mortal(2, 'after'), { tenantId, bulkActionId: toKey(id) }, { judgeMs: 0 }),
    ).rejects.toThrow(Killed);
    await change(id, `lease_until = now() - interval '1 s'`);
    return id;
  }

  test('do not end with the token that started it', async () => {
    const workflowId = await workflow();
    await makeRuns(api, workflowId, { count: 5 });
    const expiry = Date.now() + 2_000;
    const bearer = await api.token(leaver, 2);
    const { bulkAction } = await start(api, 'retryRuns', { filter: { workflowId } }, { bearer });
    while (Date.now() < expiry) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await execute(api, bulkAction?.id as string)).toMatchObject({ status: 'COMPLETED', done: 5 });
  });

  test('end when its user has lost the role; another member continues it as theirs', async () => {
    const id = await startAsLeaver();
    // A newer token says what the identity provider says by now.
    await api.graphql('{ __typename }', {}, { ...leaver, roles: [] });
    expect(await execute(api, id)).toMatchObject({
      status: 'STOPPED',
      done: 10,
      error: 'The user who started it has no longer the role that it needs. Somebody who has it can continue it.',
    });
    const since = await newestAudit(api);
    const user = { sub: 'other', email: 'other@example.com', roles: ['user'] };
    expect(await mutate('continue', id, { ...user, roles: [] })).toEqual({ code: 'FORBIDDEN' });
    expect(await mutate('continue', id, user)).toEqual({ bulkAction: { status: 'QUEUED' } });
    expect(await execute(api, id)).toMatchObject({ status: 'COMPLETED', done: 30, startedBy: 'other@example.com' });
    const { rows } = await api.database.system.query(
      'SELECT actor_sub, count(*)::int AS count FROM audit_entries WHERE id > $1 GROUP BY 1',
      [since],
    );
    expect(rows).toEqual([{ actor_sub: 'other', count: 21 }]);
  });

  test('of a kind that admins start are not given to a member who continues it', async () => {
    const { id } = await startRetries(5);
    await change(id, `kind = 'resend_webhook_deliveries', status = 'stopped'`);
    expect(await mutate('continue', id, { roles: ['user'] })).toEqual({ code: 'FORBIDDEN' });
    expect((await read(api, id)).status).toBe('STOPPED');
    expect(await mutate('cancel', id)).toEqual({ bulkAction: { status: 'CANCELLED' } });
  });
});

describe('an action that starts work', () => {
  test('stops after a batch of the ramp when most of its runs fail with the same error, also once it is continued', async ({
    ownApi,
  }) => {
    const engine = await startTestEngine(ownApi);
    try {
      const fail = node('a', 'fail', { message: 'Order {{ trigger.payload.number }} is unknown.' });
      const { workflowId } = await readyWorkflow(ownApi, { nodes: [fail] });
      await makeRuns(ownApi, workflowId, { count: 40 });
      const { bulkAction } = await start(ownApi, 'retryRuns', { filter: { workflowId } });
      const id = bulkAction?.id as string;
      const stopped = await execute(ownApi, id, { judgeMs: 20_000 });
      expect(stopped).toMatchObject({ status: 'STOPPED', total: 40, done: 10 });
      expect(stopped.error).toMatch(
        /^Most of the runs that it started failed with the same error: .*Order \d+ is unknown/,
      );
      await ownApi.graphql(
        'mutation ($id: ID!) { continueBulkAction(input: { id: $id }) { ... on Error { message } } }',
        { id },
      );
      expect(await execute(ownApi, id, { judgeMs: 20_000 })).toMatchObject({ status: 'STOPPED', done: 30 });
      expect(await cancelledWhileJudged(workflowId)).toMatchObject({ status: 'CANCELLED', done: 10, error: null });
      // Its only batch fails alike as well, and leaves nothing to continue.
      const { workflowId: small } = await readyWorkflow(ownApi, { nodes: [fail] });
      await makeRuns(ownApi, small, { count: 10 });
      const { bulkAction: whole } = await start(ownApi, 'retryRuns', { filter: { workflowId: small } });
      expect(await execute(ownApi, whole?.id as string, { judgeMs: 20_000 })).toMatchObject({
        status: 'COMPLETED',
        done: 10,
        error: null,
      });
    } finally {
      await engine.stop();
    }

    /** An action that somebody cancels once its first batch is committed, whose runs then fail alike. */
    async function cancelledWhileJudged(workflowId: number): Promise<unknown> {
      await makeRuns(ownApi, workflowId, { count: 40 });
      const { bulkAction } = await start(ownApi, 'retryRuns', { filter: { workflowId } });
      const id = bulkAction?.id as string;
      const { deps, automation } = ownApi.services;
      const withTenantSql: TestApp['database']['withTenantSql'] = async (tenant, work) => {
        const done = await deps.database.withTenantSql(tenant, work);
        await deps.database.withTenantSql(tenant, (tx) =>
          tx.query('UPDATE bulk_actions SET cancel_requested = done > 0 WHERE id = $1', [toKey(id)]),
        );
        return done;
      };
      const services = { deps: { ...deps, database: { ...deps.database, withTenantSql } }, automation };
      await runBulkAction(services, { tenantId, bulkActionId: toKey(id) }, { judgeMs: 20_000 });
      return read(ownApi, id);
    }
  });
});

describe('the limits of actions', () => {
  test('refuse more than 100,000 items, ids of other types, and an eleventh action that has not ended', async () => {
    const workflowId = await workflow();
    await api.database.system.query(
      `INSERT INTO runs (tenant_id, workflow_id, bundle_id, revision, trigger_type, status)
       SELECT $1, $2, b.id, 1, 'manual', 'failed' FROM workflow_bundles b, generate_series(1, 100001) WHERE b.workflow_id = $2`,
      [tenantId, workflowId],
    );
    for (const dryRun of [true, false])
      expect(await start(api, 'retryRuns', { filter: { workflowId }, dryRun })).toMatchObject({
        __typename: 'ValidationError',
        fields: [{ path: 'filter' }],
      });
    await api.database.system.query('DELETE FROM runs WHERE workflow_id = $1 AND id % 2 = 0', [workflowId]);
    const { count, bulkAction } = await start(api, 'retryRuns', { filter: { workflowId } });
    expect(count).toBeGreaterThan(49_000);
    await mutate('cancel', bulkAction?.id as string);

    expect(await start(api, 'retryRuns', { ids: [btoa('Workflow:1')] })).toMatchObject({ __typename: 'NotFoundError' });
    expect(await start(api, 'retryRuns', {})).toMatchObject({ __typename: 'ValidationError' });
    expect(await start(api, 'retryRuns', { ids: ['1'], filter: {} })).toMatchObject({ __typename: 'ValidationError' });
    const begun = (
      await api.database.system.query(
        `SELECT count(*)::int AS count FROM bulk_actions WHERE status IN ('queued', 'running')`,
      )
    ).rows[0].count;
    for (let n = begun; n < 10; n += 1)
      expect(await start(api, 'retryRuns', { ids: ['1'] })).toMatchObject({ count: 1 });
    expect((await start(api, 'retryRuns', { ids: ['1'] })).message).toMatch(/10 bulk actions/);
    await api.database.withTenantSql(tenantId, (tx) => tx.query(`UPDATE bulk_actions SET status = 'cancelled'`));
  }, 120_000);

  test('refuse more than 10,000 ids, none, and outputs of resumed steps over 64 KiB', async () => {
    const ids = Array.from({ length: 10_001 }, (_, index) => String(index + 1));
    expect(await start(api, 'retryRuns', { ids, dryRun: true })).toMatchObject({ __typename: 'ValidationError' });
    expect(await start(api, 'retryRuns', { ids: [], dryRun: true })).toMatchObject({ __typename: 'ValidationError' });
    const large = await start(api, 'resumeRuns', { filter: {}, data: 'x'.repeat(65_536) });
    expect(large.fields).toEqual([{ path: 'data', messages: ['Give at most 64 KiB, or resume runs one by one.'] }]);
  });
});

test('bulkActionUpdated follows an action to its end', async () => {
  const { id } = await startRetries(100);
  const client = await connect(api);
  subscribe(client, '1', 'subscription ($id: ID!) { bulkActionUpdated(id: $id) { status done } }', { id });
  const seen = () =>
    ofOperation(client.messages, '1').flatMap(({ payload }) => payload?.data?.['bulkActionUpdated'] ?? []);
  await client.until(() => seen().length > 0);
  await execute(api, id);
  await client.until((messages) => ofOperation(messages, '1').some(({ type }) => type === 'complete'));
  expect(seen()[0]).toEqual({ status: 'QUEUED', done: 0 });
  expect(seen().at(-1)).toEqual({ status: 'COMPLETED', done: 100 });
  client.socket.close();
});
