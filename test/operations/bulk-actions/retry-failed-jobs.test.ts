import { randomUUID } from 'node:crypto';
import { describe, expect } from 'vitest';
import { buildWorkflowJob } from '#src/automation/workflows/workflows.declarations.ts';
import { deadJobsQueue } from '#src/infra/jobs.ts';
import { runBulkAction } from '#src/operations/bulk-actions/run-bulk-action.service.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { globalId, read, toKey } from './bulk-action-calls.ts';

const operator: Caller = { sub: 'test-operator', email: 'operator@example.com', roles: ['operator'], tenant: null };

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

interface Made {
  count: number;
  tenantId?: string;
  queue?: string;
}

/** Makes failed jobs as pg-boss keeps them, all with one mark, and answers their ids, the oldest first. */
async function makeJobs({ count, tenantId = 'acme-shop', queue = buildWorkflowJob.name }: Made) {
  const mark = randomUUID();
  const { rows } = await api.database.system.query<{ id: string }>(
    `INSERT INTO pgboss.job (name, data, source_name, source_id, source_created_on, source_retry_count, source_output, created_on)
     SELECT $1, jsonb_build_object('tenantId', $2::text, 'mark', $3::text, 'number', n), $4, gen_random_uuid(), now(), 3, '{"message": "no"}',
       now() - interval '1 day' + n * interval '1 ms'
     FROM generate_series(1, $5::int) AS n RETURNING id`,
    [deadJobsQueue, tenantId, mark, queue, count],
  );
  return { mark, ids: rows.map(({ id }) => id) };
}

/** How many jobs with the mark are back in their queue, and how many different ones. */
async function countPutBack(mark: string) {
  const { rows } = await api.database.system.query(
    `SELECT count(*)::int AS jobs, count(DISTINCT data ->> 'number')::int AS numbers FROM pgboss.job WHERE name <> $1 AND data ->> 'mark' = $2`,
    [deadJobsQueue, mark],
  );
  return rows[0];
}

interface Started {
  code?: string;
  message?: string;
  fields?: { path: string }[];
  count: number;
  bulkAction: { id: string; status: string; total: number } | null;
  failedJobs: { jobId: string }[];
}

async function start(input: object, as: Caller = operator): Promise<Partial<Started>> {
  const { data, errors } = await api.graphql<{ retryFailedJobs: Started }>(
    `mutation ($input: RetryFailedJobsInput!) { retryFailedJobs(input: $input) {
      ... on RetryFailedJobsPayload { count bulkAction { id status total } failedJobs { jobId } }
      ... on Error { code message } ... on ValidationError { fields { path } } } }`,
    { input },
    as,
  );
  return data?.retryFailedJobs ?? { code: errors?.[0]?.extensions?.code ?? '' };
}

async function mutate(name: 'cancel' | 'continue', id: string, as: Caller = operator) {
  const title = name === 'cancel' ? 'CancelBulkAction' : 'ContinueBulkAction';
  const { data, errors } = await api.graphql<Record<string, { code?: string; bulkAction?: { status: string } }>>(
    `mutation ($id: ID!) { ${name}BulkAction(input: { id: $id }) {
      ... on ${title}Payload { bulkAction { status } } ... on Error { code } } }`,
    { id },
    as,
  );
  return data?.[`${name}BulkAction`] ?? { code: errors?.[0]?.extensions?.code };
}

const run = (id: string, services: Pick<TestApp['services'], 'deps' | 'automation'> = api.services) =>
  runBulkAction(services, { tenantId: '', bulkActionId: toKey(id) }, { judgeMs: 0 });
const execute = async (id: string) => {
  await run(id);
  return read(api, id, operator);
};
const change = (id: string, set: string) =>
  api.database.system.query(`UPDATE bulk_actions SET ${set} WHERE id = $1`, [toKey(id)]);

const since = async (): Promise<number> => {
  const { rows } = await api.database.system.query<{ id: number }>(
    'SELECT coalesce(max(id), 0) AS id FROM audit_entries',
  );
  return rows[0]?.id as number;
};
async function auditAfter(entry: number) {
  const { rows } = await api.database.system.query(
    `SELECT tenant_id AS tenant, actor_sub AS sub, resource_type || ' ' || action AS what, count(DISTINCT resource_id)::int AS resources,
       count(*)::int AS count FROM audit_entries WHERE id > $1 GROUP BY 1, 2, 3 ORDER BY 1, 3`,
    [entry],
  );
  return rows;
}

class Killed extends Error {}

/** Services whose process dies at the transaction of that number: before it, in it before its commit, or after it. */
function mortal(at: number, when: 'before' | 'in' | 'after'): Pick<TestApp['services'], 'deps' | 'automation'> {
  let transactions = 0;
  const withSystem = async <T>(work: (tx: never) => Promise<T>): Promise<T> => {
    transactions += 1;
    const dies = transactions >= at;
    if (dies && (when === 'before' || transactions > at)) throw new Killed();
    const done = await api.database.withSystem(async (tx) => {
      const result = await work(tx as never);
      if (dies && when === 'in') throw new Killed();
      return result;
    });
    if (dies) throw new Killed();
    return done;
  };
  const database = { ...api.database, withSystem: withSystem as TestApp['database']['withSystem'] };
  return { ...api.services, deps: { ...api.services.deps, database } };
}

describe('retryFailedJobs', () => {
  test('rehearses, then puts the jobs of a filter back, with an entry for the action and for each job', async () => {
    const { mark, ids } = await makeJobs({ count: 25, tenantId: 'acme-outlet' });
    const none = await makeJobs({ count: 1, tenantId: 'nobody' });
    const filter = { tenantId: 'acme-outlet', job: buildWorkflowJob.name };
    const dry = await start({ filter, dryRun: true });
    expect(dry).toMatchObject({ count: 25, bulkAction: null });
    expect(dry.failedJobs?.map(({ jobId }) => jobId)).toEqual(ids.slice(0, 20));
    expect(await countPutBack(mark)).toEqual({ jobs: 0, numbers: 0 });

    const before = await since();
    const { bulkAction, count } = await start({ filter });
    expect([bulkAction?.status, count]).toEqual(['QUEUED', 25]);
    expect(await execute(bulkAction?.id as string)).toMatchObject({
      kind: 'RETRY_FAILED_JOBS',
      status: 'COMPLETED',
      total: 25,
      done: 25,
      refused: 0,
      startedBy: 'operator@example.com',
    });
    expect(await countPutBack(mark)).toEqual({ jobs: 25, numbers: 25 });
    const other = await start({ ids: none.ids });
    expect(await execute(other.bulkAction?.id as string)).toMatchObject({ done: 1 });
    const sub = 'test-operator';
    expect(await auditAfter(before)).toEqual([
      { tenant: '', sub, what: 'bulk_action start', resources: 2, count: 2 },
      { tenant: '', sub, what: 'failed_job update', resources: 1, count: 1 },
      { tenant: 'acme-outlet', sub, what: 'failed_job update', resources: 25, count: 25 },
    ]);
  });

  test('refuses a job whose queue is gone, which stays, and one that is not there', async () => {
    const gone = await makeJobs({ count: 1, queue: 'no.such.queue' });
    const good = await makeJobs({ count: 1 });
    const unknown = randomUUID();
    const toId = (id: string | undefined) => Buffer.from(`FailedJob:${id}`).toString('base64');
    const given = [gone.ids[0], unknown, good.ids[0], good.ids[0]].map(toId);
    const { bulkAction, count } = await start({ ids: given });
    expect(count).toBe(3);
    const ended = await execute(bulkAction?.id as string);
    expect(ended).toMatchObject({ status: 'COMPLETED', done: 1, refused: 2 });
    expect(ended.refusals.edges.map(({ node }) => [node.itemId, node.code])).toEqual([
      [toId(gone.ids[0]), 'CONFLICT'],
      [toId(unknown), 'NOT_FOUND'],
    ]);
    expect(ended.refusals.edges[0]?.node.reason).toMatch(/could not be put back into the queue no\.such\.queue/);
    expect(await start({ filter: { job: 'no.such.queue' }, dryRun: true })).toMatchObject({ count: 1 });
  });

  test('puts every job back once after ten deaths before, in and after its commits', async () => {
    const { mark } = await makeJobs({ count: 2_000, tenantId: 'killed' });
    const { bulkAction } = await start({ filter: { tenantId: 'killed' } });
    const id = bulkAction?.id as string;
    for (let death = 0; death < 10; death += 1) {
      const when = (['before', 'in', 'after'] as const)[death % 3] as 'in';
      await expect(run(id, mortal(2 + (death % 2), when))).rejects.toThrow(Killed);
      // A dead worker holds the action until its lease ends.
      await change(id, `lease_until = now() - interval '1 s'`);
    }
    expect(await execute(id)).toMatchObject({ status: 'COMPLETED', total: 2_000, done: 2_000, refused: 0 });
    expect(await countPutBack(mark)).toEqual({ jobs: 2_000, numbers: 2_000 });
  });

  test('is cancelled before its next batch by another operator', async () => {
    const { mark } = await makeJobs({ count: 100, tenantId: 'cancelled' });
    const { bulkAction } = await start({ filter: { tenantId: 'cancelled' } });
    const id = bulkAction?.id as string;
    await expect(run(id, mortal(3, 'after'))).rejects.toThrow(Killed);
    const other = { ...operator, sub: 'other-operator', email: 'other@example.com' };
    expect(await mutate('cancel', id, other)).toEqual({ bulkAction: { status: 'RUNNING' } });
    await change(id, `lease_until = now() - interval '1 s'`);
    expect(await execute(id)).toMatchObject({ status: 'CANCELLED', total: 100, done: 30 });
    expect(await countPutBack(mark)).toEqual({ jobs: 30, numbers: 30 });
  });

  test('takes a filter or ids, of failed jobs only', async () => {
    expect(await start({ ids: [globalId('Run', 1)] })).toMatchObject({ code: 'NOT_FOUND' });
    expect(await start({ filter: { job: 'x'.repeat(201) } })).toMatchObject({ code: 'VALIDATION_FAILED' });
    for (const input of [{}, { filter: {}, ids: [randomUUID()] }])
      expect(await start(input)).toMatchObject({ code: 'VALIDATION_FAILED' });
  });
});

describe('an action of operators', () => {
  test('is started, seen, cancelled and continued by operators only, in whichever tenant', async () => {
    await makeJobs({ count: 1, tenantId: 'seen' });
    const { bulkAction } = await start({ filter: { tenantId: 'seen' } });
    const id = bulkAction?.id as string;
    const query = `query ($id: ID!) { bulkAction(id: $id) { id } node(id: $id) { id } }`;
    const list = '{ bulkActions(first: 100) { totalCount edges { node { id kind } } } }';
    interface List {
      bulkActions: { edges: { node: { id: string; kind: string } }[] };
    }
    for (const roles of [['user'], ['admin']]) {
      expect(await start({ filter: {} }, { roles })).toEqual({ code: 'FORBIDDEN' });
      expect(await api.graphql(query, { id }, { roles })).toEqual({ data: { bulkAction: null, node: null } });
      for (const name of ['cancel', 'continue'] as const)
        expect(await mutate(name, id, { roles })).toEqual({ code: 'NOT_FOUND' });
      const { data } = await api.graphql<List>(list, {}, { roles });
      expect(data.bulkActions.edges.map(({ node }) => node.id)).not.toContain(id);
    }
    for (const caller of [operator, { roles: ['operator'] }, { roles: ['admin', 'operator'] }])
      expect(await api.graphql(query, { id }, caller)).toEqual({ data: { bulkAction: { id }, node: { id } } });
    const { data } = await api.graphql<List>(list, {}, operator);
    expect(new Set(data.bulkActions.edges.map(({ node }) => node.kind))).toEqual(new Set(['RETRY_FAILED_JOBS']));

    await change(id, `status = 'stopped'`);
    expect(await mutate('continue', id)).toEqual({ bulkAction: { status: 'QUEUED' } });
    expect(await execute(id)).toMatchObject({ status: 'COMPLETED', done: 1 });
  });

  test('does not show an operator the actions of tenants, nor the database its rows to requests', async () => {
    const { rows } = await api.database.system.query<{ id: number }>(
      `INSERT INTO bulk_actions (tenant_id, kind, status, org_id, actor_user_id, actor_sub, channel)
       VALUES ('acme-shop', 'retry_runs', 'queued', 'acme', 1, 'test-admin', 'api') RETURNING id`,
    );
    const id = globalId('BulkAction', rows[0]?.id as number);
    for (const caller of [operator, { roles: ['operator'] }]) {
      expect(await read(api, id, caller)).toBeNull();
      expect(await mutate('cancel', id, caller)).toEqual({ code: 'NOT_FOUND' });
    }
    for (const tenant of ['', 'acme-shop'])
      expect(
        await api.database.tenantQuery(tenant, {
          text: `SELECT id FROM bulk_actions WHERE kind = 'retry_failed_jobs'`,
        }),
      ).toEqual([]);
  });
});

test('failedJobs are listed by job, tenant and time', async () => {
  const { ids } = await makeJobs({ count: 3, tenantId: 'listed' });
  const count = async (filter: object) => {
    const { data } = await api.graphql<{ failedJobs: { totalCount: number; edges: { node: { jobId: string } }[] } }>(
      'query ($filter: FailedJobFilter) { failedJobs(filter: $filter) { totalCount edges { node { jobId } } } }',
      { filter },
      operator,
    );
    const { totalCount, edges } = data.failedJobs;
    return [totalCount, ...edges.map(({ node }) => node.jobId)];
  };
  expect(await count({ tenantId: 'listed' })).toEqual([3, ...ids.toReversed()]);
  expect(await count({ tenantId: 'listed', job: 'another' })).toEqual([0]);
  const yesterday = new Date(Date.now() - 2 * 86_400_000).toISOString();
  expect(await count({ tenantId: 'listed', since: yesterday })).toEqual([3, ...ids.toReversed()]);
  expect(await count({ tenantId: 'listed', until: yesterday })).toEqual([0]);
});

// The queue's table has many indexes: making the rows takes longest.
test('retryFailedJobs takes at most 100,000 jobs', { timeout: 240_000 }, async () => {
  for (let made = 0; made < 100_001; made += 9_091) await makeJobs({ count: 9_091, tenantId: 'many' });
  for (const dryRun of [true, false])
    expect(await start({ filter: { tenantId: 'many' }, dryRun })).toMatchObject({ fields: [{ path: 'filter' }] });
});
