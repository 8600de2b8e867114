import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { openS3Driver } from '#src/infra/storage/storage-s3.ts';
import type { StorageDriver } from '#src/infra/storage/storage.ts';
import { generateKey } from '#src/infra/vault/key-ring.ts';
import { lacksS3, type S3Server, s3Suffix, startS3Server } from '#test/infra/storage/s3-server.ts';
import { copyCluster } from '#test/setup/cluster.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { type RunningServer, startServer } from './running-server.ts';

// An API process and a worker process on two machines, with a Postgres of somebody's own. Where there is an object store, they keep their
// files in it; no directory is common to both.
let directory: string;
let postgres: EmbeddedPostgres;
let s3: S3Server | undefined;
let driver: StorageDriver;
let env: Record<string, string>;
let api: RunningServer;
let worker: RunningServer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'roles-test-'));
  // The processes come first: what belongs to one deployment starts in any order.
  env = {
    DATABASE_URL: `postgresql://postgres@/postgres?host=${encodeURIComponent(join(directory, 'pg.run'))}`,
    CREDENTIALS_KEY: generateKey(),
    SECRETS_KEY: generateKey(),
    URL_SIGNING_SECRET: 'the same secret on both of the machines',
    ...(!lacksS3 && (await startBucket())),
  };
  api = startServer(join(directory, 'api'), { ...env, ROLE: 'api' });
  worker = startServer(join(directory, 'worker'), { ...env, ROLE: 'worker' });
  await copyCluster(join(directory, 'pg'));
  postgres = await startEmbeddedPostgres({ dataDir: join(directory, 'pg') });
  await api.untilReady();
  await untilWorking();
}, startsProcesses.timeout);
afterAll(async () => {
  for (const server of [worker, api]) {
    server?.child.kill('SIGTERM');
    await server?.exited;
  }
  await postgres?.stop();
  await s3?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Starts the object store; answers the settings that name a bucket in it. */
async function startBucket(): Promise<Record<string, string>> {
  s3 = await startS3Server();
  const { credentials, ...bucket } = await s3.makeBucket('causeway');
  driver = await openS3Driver({ ...bucket, credentials });
  return {
    S3_BUCKET: bucket.bucket,
    S3_ENDPOINT: bucket.endpoint,
    S3_ACCESS_KEY_ID: credentials.accessKeyId,
    S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  };
}

const untilWorking = () =>
  vi.waitFor(() => expect(worker.output()).toContain('The worker is ready.'), { timeout: 60_000, interval: 50 });

const makeHeaders = async (role: string) => ({
  authorization: `Bearer ${(await api.run('token', '--role', role)).trim()}`,
  'x-tenant-id': 'demo',
  'content-type': 'application/json',
});

async function graphql<Data>(role: string, query: string): Promise<Data> {
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: await makeHeaders(role),
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  expect(errors).toBeUndefined();
  return data;
}

let demo: Promise<void> | undefined;
/** Makes the tenant `demo`, once. */
const haveDemo = (): Promise<void> => (demo ??= makeDemo());

async function makeDemo(): Promise<void> {
  await graphql('operator', 'mutation { createOrg(input: { id: "demo-org", name: "Demo" }) { __typename } }');
  await graphql(
    'operator',
    'mutation { createTenant(input: { orgId: "demo-org", id: "demo", name: "Demo" }) { __typename } }',
  );
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
    await haveDemo();
    await expectBuilt('before');
  });

  test('serve metrics and health each, the worker too', startsProcesses, async () => {
    for (const { metricsUrl } of [api, worker]) {
      const answers = await Promise.all(['/healthz', '/readyz', '/metrics'].map((path) => fetch(metricsUrl + path)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await answers[2]?.text()).toContain('causeway_failed_jobs');
    }
  });
});

describe.skipIf(lacksS3)(`files in a bucket${s3Suffix}`, startsProcesses, () => {
  beforeAll(async () => {
    await api.run('org', 'create', 'acme', '--name', 'Acme');
    await api.run('tenant', 'create', 'acme/acme-shop', '--name', 'Acme shop');
  });

  const stored = async () => [...(await driver.listAll('sha256', { recursive: true })).objects].length;

  test('are imported and exported by a worker of another machine', async () => {
    const key = (await api.run('api-key', 'create', '--tenant', 'acme-shop', '--name', 'files', '--scope', '*')).trim();
    const headers = {
      'x-platform-api-key': key,
      'x-platform-tenant': 'acme-shop',
      'content-type': 'application/json',
    };
    const profile = { name: 'Products', target: 'products', format: 'csv' };
    const body = JSON.stringify(profile);
    const made = await fetch(`${api.url}/v1/io/import-profiles`, { method: 'POST', headers, body });
    expect(made.status).toBe(201);
    const [file, out] = [join(directory, 'products.csv'), join(directory, 'out.csv')];
    await writeFile(file, 'sku,name,description,active\nA-1,Cup,,true\nA-2,Pot,,true\n');
    const access = ['--url', api.url, '--tenant', 'acme-shop', '--key', key, '--json'];
    const imported = await api.run('import', file, '--profile', 'Products', ...access);
    expect(JSON.parse(imported)).toMatchObject({ job: { rows_written: 2, rows_rejected: 0 } });
    await api.run('export', 'products', '--out', out, ...access);
    expect(await readFile(out, 'utf8')).toBe(await readFile(file, 'utf8'));
    // Both have the same bytes, and so the same key.
    expect(await stored()).toBe(1);
  });

  test('include those of node packages', async () => {
    const token = (await api.run('token', '--role', 'operator')).trim();
    const access = ['--org', 'acme', '--url', api.url, '--token', token, '--json'];
    const published = await api.run('node', 'publish', 'examples/erp-nodes', ...access);
    expect(JSON.parse(published)).toMatchObject({ published: true });
    expect(await stored()).toBeGreaterThan(1);
  });

  test('are not stored in any local directory', () => {
    for (const machine of ['api', 'worker']) expect(existsSync(join(directory, machine, 'storage'))).toBe(false);
  });

  test('stop the start with advice if the bucket is missing', async () => {
    const lost = startServer(join(directory, 'worker'), { ...env, ROLE: 'worker', S3_BUCKET: 'nowhere' });
    expect(await lost.exited).toBe(1);
    expect(lost.output()).toContain('There is no bucket nowhere. Create it, or correct S3_BUCKET.');
  });
});

describe('both', () => {
  beforeAll(haveDemo);

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
  });

  test('answer a request whose body takes longer than ten seconds before they end', startsProcesses, async () => {
    // The API says that it has begun to read the request.
    const headers = { ...(await makeHeaders('admin')), expect: '100-continue' };
    const asked = request(`${api.url}/api/v1/workflows`, { method: 'POST', headers });
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    await once(asked, 'continue');
    asked.write('{"name":');
    const before = api.output().length;
    api.child.kill('SIGTERM');
    await delay(12_000);
    asked.end('"Slowly"}');
    const [answer] = await answered;
    expect([answer.statusCode, answer.headers.connection, await text(answer)]).toEqual([
      201,
      'close',
      expect.stringContaining('Slowly'),
    ]);
    expect(await api.exited).toBe(0);
    expect(api.output().slice(before)).not.toContain('"level":"error"');
  });
});
