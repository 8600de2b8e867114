import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { adminHeaders } from '#test/chaos/deployment.ts';
import { type OwnProcess, startApi, startWorker } from '#test/chaos/processes.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { templateDatabase } from '#test/setup/template-database.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

// An API and a worker process behind a proxy, on a server with a synchronous streaming standby.
let directory: string;
let primary: EmbeddedPostgres;
let standby: EmbeddedPostgres;
let proxy: Awaited<ReturnType<typeof startProxy>>;
let api: Awaited<ReturnType<typeof startApi>>;
let worker: OwnProcess;
let headers: Record<string, string>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'causeway-failover-'));
  const [first, second] = [join(directory, 'a'), join(directory, 'b')];
  await copyMigratedCluster(first);
  primary = await startEmbeddedPostgres({ dataDir: first });
  await statement(
    primary,
    `INSERT INTO orgs (id, name) VALUES ('acme', 'Acme');
     INSERT INTO tenants (id, org_id, name) VALUES ('acme-shop', 'acme', 'Acme shop')`,
  );
  await primary.stop();
  // A copy of a stopped server is its standby; pg_basebackup is not among the binaries.
  await promisify(execFile)('cp', ['-a', first, second]);
  await writeFile(join(second, 'standby.signal'), '');
  await appendFile(
    join(second, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${first}.run user=postgres application_name=b'\n`,
  );
  primary = await startEmbeddedPostgres({ dataDir: first, settings: { synchronous_standby_names: 'b' } });
  standby = await startEmbeddedPostgres({ dataDir: second });
  proxy = await startProxy(`${first}.run/.s.PGSQL.5432`);
  const databaseUrl = `postgresql://postgres@127.0.0.1:${proxy.port}/${templateDatabase}`;
  [api, worker] = await Promise.all([startApi({ databaseUrl, dataDir: directory }), startWorker({ databaseUrl })]);
  headers = await adminHeaders(directory, api.port);
}, 240_000);
afterAll(async () => {
  for (const process of [api, worker]) process.signal('SIGKILL');
  await Promise.all([api.exited, worker.exited]);
  await proxy.close();
  await primary.stop();
  await standby.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Passes connections on to one socket, as a proxy of a cluster does to the server that it takes for the primary. */
async function startProxy(first: string) {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => undefined);
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Cuts every connection; later ones lead to the other server. */
    switchTo(other: string) {
      target = other;
      cut();
    },
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

async function statement(server: EmbeddedPostgres, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: server.url(templateDatabase) });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

const rest = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${api.url}/api/v1${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, body: (await response.json()) as Record<string, unknown> };
};
const readiness = async () => {
  const response = await fetch(`${api.url}/readyz`);
  return [response.status, await response.json()];
};
const soon = { timeout: 30_000, interval: 50 };
const unready = [503, { status: 'unavailable', missing: ['database'] }];
const untilReady = () => vi.waitFor(async () => expect(await readiness()).toEqual([200, { status: 'ready' }]), soon);
const putSecret = (value: string) => rest('PUT', '/secrets/ANY', { value });
const away = { status: 503, retryAfter: expect.stringMatching(/^\d+$/), body: { message: expect.any(String) } };

/** Starts a run that waits for `ms`. */
async function startWaiting(ms: number): Promise<string> {
  const blob = {
    version: 'v1',
    nodes: [{ id: 'wait', node: 'core:wait', version: '1.0.0', config: { duration_ms: ms } }],
    edges: [],
  };
  const { body: workflow } = await rest('POST', '/workflows', { name: `Waits for ${ms} ms`, blob });
  await rest('POST', `/workflows/${String(workflow['id'])}/triggers`, { type: 'manual', name: 'By hand' });
  let run: Awaited<ReturnType<typeof rest>> | undefined;
  await vi.waitFor(async () => {
    run = await rest('POST', `/workflows/${String(workflow['id'])}/runs`, {});
    expect(run).toMatchObject({ status: 202 });
  }, soon);
  return String(run?.body['id']);
}

test('a server made read-only is an outage until it takes writes again', startsProcesses, async () => {
  const turn = (on: boolean) =>
    statement(primary, `ALTER SYSTEM SET default_transaction_read_only = ${on}`).then(() =>
      statement(primary, 'SELECT pg_reload_conf()'),
    );
  expect(await putSecret('before')).toMatchObject({ status: 201 });
  await turn(true);
  await vi.waitFor(async () => expect(await readiness()).toEqual(unready), soon);
  expect(await putSecret('while')).toMatchObject(away);
  await turn(false);
  await untilReady();
  expect(await putSecret('after')).toMatchObject({ status: 200 });
});

test(
  'a failover is an outage until the standby is promoted; nothing acknowledged is lost, no run fails',
  startsProcesses,
  async () => {
    const runId = await startWaiting(4_000);
    proxy.switchTo(`${directory}/b.run/.s.PGSQL.5432`);
    await vi.waitFor(async () => expect(await readiness()).toEqual(unready), soon);
    const asked = performance.now();
    expect(await putSecret('while')).toMatchObject(away);
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect((await fetch(`${api.url}/healthz`)).status).toBe(200);
    await primary.stop();
    await statement(standby, 'SELECT pg_promote()');
    await untilReady();
    expect(await putSecret('after')).toMatchObject({ status: 200 });
    expect(Number(await startWaiting(1))).toBeGreaterThan(Number(runId) + 1_000_000);
    await vi.waitFor(
      async () => expect(await rest('GET', `/runs/${runId}`)).toMatchObject({ body: { status: 'succeeded' } }),
      soon,
    );
    // The worker listens on the new server; the API has nobody to listen for.
    const listening = `SELECT count(*)::int AS many FROM pg_stat_activity WHERE application_name = 'causeway-live'`;
    await vi.waitFor(async () => expect((await statement(standby, listening)).rows).toEqual([{ many: 1 }]), soon);
    expect([api.isAlive(), worker.isAlive()]).toEqual([true, true]);
  },
);

test(
  'a former primary that is met again is an alarm: nobody is served until the process is started again',
  startsProcesses,
  async () => {
    const alarmed = [503, { status: 'unavailable', missing: ['database'], alarm: 'two_primaries' }];
    primary = await startEmbeddedPostgres({ dataDir: join(directory, 'a') });
    proxy.switchTo(`${directory}/a.run/.s.PGSQL.5432`);
    await vi.waitFor(async () => expect(await readiness()).toEqual(alarmed), soon);
    expect(await putSecret('on the former primary')).toMatchObject(away);
    proxy.switchTo(`${directory}/b.run/.s.PGSQL.5432`);
    expect(await readiness()).toEqual(alarmed);
    expect(await putSecret('before a restart')).toMatchObject(away);
    expect([api.isAlive(), worker.isAlive()]).toEqual([true, true]);
  },
);
