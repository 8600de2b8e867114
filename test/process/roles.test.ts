import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { copyCluster } from '#test/setup/cluster.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { type RunningServer, startServer } from './running-server.ts';

// An API process and a worker process on a Postgres of somebody's own.
let directory: string;
let postgres: EmbeddedPostgres;
let api: RunningServer;
let worker: RunningServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'roles-test-'));
  // The processes come first: what belongs to one deployment starts in any order.
  const url = `postgresql://postgres@/postgres?host=${encodeURIComponent(join(directory, 'pg.run'))}`;
  const dataDir = join(directory, 'data');
  api = startServer(dataDir, { ROLE: 'api', DATABASE_URL: url });
  worker = startServer(dataDir, { ROLE: 'worker', DATABASE_URL: url });
  await copyCluster(join(directory, 'pg'));
  postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'pg') });
  await api.untilReady();
  await untilWorking();
});
afterAll(async () => {
  for (const { child, exited } of [worker, api]) {
    child.kill('SIGTERM');
    await exited;
  }
  await postgres.stop();
  await rm(directory, { recursive: true, force: true });
});

const untilWorking = () =>
  vi.waitFor(() => expect(worker.output()).toContain('The worker is ready.'), { timeout: 60_000, interval: 50 });

async function graphql<Data>(role: string, query: string): Promise<Data> {
  const token = (await api.run('token', '--role', role)).trim();
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-tenant-id': 'demo', 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

/** The worker builds what is created through the API. */
async function expectBuilt(name: string): Promise<void> {
  await graphql('admin', `mutation { createWorkflow(input: { name: "${name}" }) { __typename } }`);
  const document = `{ workflows(filter: { search: "${name}" }, first: 1) { edges { node { bundle { status } } } } }`;
  await vi.waitFor(
    async () => {
      const { workflows } = await graphql<{ workflows: { edges: { node: { bundle: { status: string } } }[] } }>(
        'user',
        document,
      );
      expect(workflows.edges[0]?.node.bundle.status).toBe('READY');
    },
    { timeout: 60_000, interval: 100 },
  );
}

describe('ROLE=api and ROLE=worker on one DATABASE_URL', () => {
  test('share the work, and seed nothing', startsProcesses, async () => {
    const { orgs } = await graphql<{ orgs: unknown[] }>('operator', '{ orgs { slug } }');
    expect(orgs).toEqual([]);
    await graphql('operator', 'mutation { createOrg(input: { id: "demo-org", name: "Demo" }) { __typename } }');
    await graphql(
      'operator',
      'mutation { createTenant(input: { orgId: "demo-org", id: "demo", name: "Demo" }) { __typename } }',
    );
    await expectBuilt('before');
  });

  test('serve metrics and health each, the worker too', startsProcesses, async () => {
    for (const { metricsUrl } of [api, worker]) {
      const answers = await Promise.all(['/healthz', '/readyz', '/metrics'].map((path) => fetch(metricsUrl + path)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await answers[2]?.text()).toContain('causeway_failed_jobs');
    }
  });

  test('survive a restart of Postgres', startsProcesses, async () => {
    await postgres.stop();
    expect(await api.status('/healthz')).toBe(200);
    expect(await api.status('/readyz')).toBe(503);
    postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'pg') });
    await api.untilReady();
    await expectBuilt('after');
    expect([api.child.exitCode, worker.child.exitCode]).toEqual([null, null]);
    expect(worker.output().match(/The worker is ready/g)).toHaveLength(1);
  });

  test('drain independently', startsProcesses, async () => {
    worker.child.kill('SIGTERM');
    expect(await worker.exited).toBe(0);
    expect(await api.status('/readyz')).toBe(200);
    api.child.kill('SIGTERM');
    expect(await api.exited).toBe(0);
  });
});
