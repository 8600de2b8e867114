import { afterAll, describe, expect, vi } from 'vitest';
import { z } from 'zod';
import { declarations } from '#src/domains/domains.ts';
import { handle } from '#src/infra/background/job-handler.ts';
import { defineJob, type Jobs, startJobs } from '#src/infra/jobs.ts';
import { migrate } from '#src/infra/migrations/migrate.ts';
import { createMetrics } from '#src/process/metrics/metrics.ts';
import { test } from '#test/setup/app-test.ts';
import type { Caller, TestApp } from '#test/setup/app.ts';
import { registerHandlers } from '#workers/register.ts';

const job = defineJob({
  name: 'test.thing.do',
  schema: z.object({ tenantId: z.string().optional(), thing: z.number() }),
  retry: { limit: 1, delay: 1, delayMax: 1 },
  expireInSeconds: 30,
});
const operator: Caller = { sub: 'test-operator', email: 'operator@example.com', roles: ['operator'], tenant: null };
const secret = 'sk-failed-jobs-canary';

let api: TestApp;
let worker: Jobs;
let isBroken = true;
const done: unknown[] = [];
test.beforeAll(async ({ api: started }) => {
  api = started;
  await migrate(api.databaseUrl, [...declarations.jobs, job]);
  worker = await startJobs({ database: api.database, maintain: { url: api.databaseUrl }, onError: () => undefined });
  api.deps.redactor.add(secret);
  const work = async (_opened: unknown, payload: { thing: number }) => {
    if (isBroken) throw new Error(`no thing ${payload.thing} with ${secret} ${'x'.repeat(5_000)}`);
    done.push(payload);
  };
  await registerHandlers({ ...api.services, deps: { ...api.deps, jobs: worker } }, [handle(job, work)]);
});
afterAll(async () => {
  await worker.stop();
});

interface Failed {
  id: string;
  jobId: string;
  job: string;
  payload: { thing: number };
  error: string;
  attempts: number;
}
const query = `query ($first: Int, $after: String) { failedJobs(first: $first, after: $after) {
  totalCount pageInfo { hasNextPage endCursor } edges { node { id jobId job payload error attempts sentAt failedAt } } } }`;
interface Page {
  failedJobs: { totalCount: number; pageInfo: { hasNextPage: boolean; endCursor: string }; edges: { node: Failed }[] };
}
async function page(args: object = {}) {
  const { data, errors } = await api.graphql<Page>(query, args, operator);
  expect(errors).toBeUndefined();
  return data.failedJobs;
}
const failedJobs = async (): Promise<Failed[]> => (await page()).edges.map((edge) => edge.node);

async function settle(how: 'retry' | 'discard', id: string, as: Caller = operator) {
  const title = how === 'retry' ? 'RetryFailedJob' : 'DiscardFailedJob';
  const { data, errors } = await api.graphql<Record<string, { code?: string; failedJob?: { id: string } }>>(
    `mutation ($input: ${title}Input!) { ${how}FailedJob(input: $input) {
      ... on ${title}Payload { failedJob { id } } ... on Error { code } } }`,
    { input: { id } },
    as,
  );
  return data?.[`${how}FailedJob`] ?? { code: errors?.[0]?.extensions?.code };
}

/** Sends a job that fails, and answers it as an operator sees it. */
async function fail(payload: z.input<typeof job.schema>): Promise<Failed> {
  isBroken = true;
  await worker.send(job, payload);
  const isIt = (failed: Failed) => failed.payload.thing === payload.thing;
  return vi.waitFor(
    async () => {
      const found = (await failedJobs()).find(isIt);
      if (!found) throw new Error('The job has not failed yet.');
      return found;
    },
    { timeout: 60_000, interval: 100 },
  );
}

const findAudit = async (id: string) => {
  const { rows } = await api.database.system.query(
    `SELECT org_id, actor_sub, action, metadata FROM audit_entries WHERE resource_type = 'failed_job' AND resource_id = $1`,
    [id],
  );
  return rows;
};

describe('a job that failed at its last attempt', () => {
  test('is shown with its ids and its error, which is redacted and bounded', async () => {
    const failed = await fail({ tenantId: 'acme-shop', thing: 1 });
    expect(failed).toMatchObject({ job: job.name, payload: { tenantId: 'acme-shop', thing: 1 }, attempts: 2 });
    expect(failed.error).toMatch(/^no thing 1 with /);
    expect(failed.error).not.toContain(secret);
    expect(failed.error.length).toBeLessThanOrEqual(2_000);
    const { rows } = await api.database.system.query(
      'SELECT source_output::text AS stored FROM pgboss.job WHERE id = $1',
      [failed.jobId],
    );
    expect(rows[0].stored).toContain('no thing 1');
    expect(rows[0].stored).not.toContain(secret);
  });

  test('runs again when it is retried, with an entry in the log of its tenant', async () => {
    const { id, jobId } = await fail({ tenantId: 'acme-shop', thing: 2 });
    isBroken = false;
    const tries = await Promise.all([settle('retry', id), settle('retry', id)]);
    expect(tries.filter(({ failedJob }) => failedJob?.id === id)).toHaveLength(1);
    await vi.waitFor(() => expect(done).toEqual([{ tenantId: 'acme-shop', thing: 2 }]), { timeout: 60_000 });
    expect(await findAudit(jobId)).toEqual([
      { org_id: 'acme', actor_sub: 'test-operator', action: 'update', metadata: { job: job.name } },
    ]);
    expect((await failedJobs()).map((failed) => failed.id)).not.toContain(id);
    expect(await settle('retry', id)).toEqual({ code: 'NOT_FOUND' });
  });

  test('is deleted when it is discarded, even if it belongs to no tenant', async () => {
    const { id, jobId } = await fail({ tenantId: 'acme-shop', thing: 3 });
    const { id: ofNone, jobId: jobOfNone } = await fail({ thing: 4 });
    expect(await settle('discard', jobId)).toEqual({ failedJob: { id } });
    expect(await settle('discard', ofNone)).toEqual({ failedJob: { id: ofNone } });
    expect(await findAudit(jobId)).toMatchObject([{ action: 'delete' }]);
    expect(await findAudit(jobOfNone)).toEqual([]);
    const left = (await failedJobs()).map((failed) => failed.id);
    for (const gone of [id, ofNone]) expect(left).not.toContain(gone);
    expect(await settle('discard', id)).toEqual({ code: 'NOT_FOUND' });
  });

  test('is paged newest first', async () => {
    const newest = await fail({ thing: 5 });
    const all = await failedJobs();
    expect(all[0]?.id).toBe(newest.id);
    const first = await page({ first: 1 });
    expect([first.totalCount, first.pageInfo.hasNextPage]).toEqual([all.length, all.length > 1]);
    const rest = await page({ after: first.pageInfo.endCursor });
    expect(rest.edges.map(({ node }) => node.id)).toEqual(all.slice(1).map(({ id }) => id));
  });

  test('is visible to operators only', async () => {
    const { id } = await fail({ thing: 6 });
    const node = 'query ($id: ID!) { node(id: $id) { __typename id ... on FailedJob { job } } }';
    expect(await api.graphql(node, { id }, operator)).toEqual({
      data: { node: { __typename: 'FailedJob', id, job: job.name } },
    });
    for (const roles of [['admin'], ['user'], []]) {
      const { errors } = await api.graphql(query, {}, { roles });
      expect(errors?.[0]?.extensions?.code).toBe('FORBIDDEN');
      for (const how of ['retry', 'discard'] as const)
        expect(await settle(how, id, { roles })).toEqual({ code: 'FORBIDDEN' });
      expect(await api.graphql(node, { id }, { roles })).toEqual({ data: { node: null } });
    }
    expect(await settle('retry', 'x')).toEqual({ code: 'VALIDATION_FAILED' });
  });

  test('is counted in /metrics', async () => {
    await fail({ thing: 7 });
    const body = await createMetrics(api.database).metrics();
    expect(body).toMatch(/^causeway_failed_jobs\{job="test\.thing\.do"\} [1-9]/m);
  });
});
