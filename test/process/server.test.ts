import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import WebSocket from 'ws';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { npmStart, type RunningServer, startServer } from './running-server.ts';

// One data directory through its life: first start, work, crashes, drain, next start.
let dataDir: string;
let server: RunningServer;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'server-test-'));
  server = npmStart(dataDir);
  await server.untilReady();
}, startsProcesses.timeout);
afterAll(async () => {
  server.child.kill('SIGTERM');
  await server.exited;
  await rm(dataDir, { recursive: true, force: true });
});

/** The output of `npm run demo -- --json`. */
interface Demo {
  order: { number: string; status: string; erpNumber: string };
  run: { result: unknown };
  receipt: { erpNumber: string; order: { externalNumber: string } };
}

const me = '{"query":"{ me { user { email } context { tenantId roles } } }"}';
const ask = async (token: string) => {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'x-tenant-id': 'demo', 'content-type': 'application/json' },
    body: me,
  });
  return { status: response.status, body: await response.text() };
};
const workerPids = () =>
  [...server.output().matchAll(/"pid":(\d+)[^\n]*The worker is ready/g)].map(([, pid]) => Number(pid));

const postmaster = async () =>
  Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
const untilDraining = () => vi.waitFor(() => expect(server.output()).toContain('Draining.'), 60_000);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const childPids = async () => [await postmaster(), ...workerPids()];

describe('npm start on an empty data directory', () => {
  test('prints its addresses and the next steps', startsProcesses, async () => {
    await vi.waitFor(() => expect(server.output()).toContain(`http://localhost:${server.port}/graphql`), 60_000);
    expect(server.output()).toMatch(/curl -X POST \S+\/api\/v1\/webhooks\/[0-9a-f-]{36}/);
    // The commands that it prints name the server, which is not at the default place.
    expect(server.output()).toContain(`PORT=${server.port} DATA_DIR=${dataDir} npm run -s demo`);
  });

  test('accepts a token of npm run token', startsProcesses, async () => {
    const token = (await server.npm('token', '--', '--tenant', 'demo', '--role', 'user')).trim();
    const response = await fetch(`${server.url}/api/v1/me`, {
      headers: { authorization: `Bearer ${token}`, 'x-tenant-id': 'demo' },
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ context: { tenant_id: 'demo', roles: ['user'] } });
    expect(await server.status('/api/v1/me')).toBe(401);
  });

  test('runs the demo: an order of the shop goes to the ERP, which acknowledges it', startsProcesses, async () => {
    const { order, run, receipt } = JSON.parse(await server.run('demo', '--json')) as Demo;
    expect(order).toMatchObject({ status: 'ACKNOWLEDGED', erpNumber: receipt.erpNumber });
    expect(run.result).toEqual({ order: order.number, erp_number: receipt.erpNumber });
    expect(receipt.order.externalNumber).toBe(order.number);
  });

  test('describes the demo in ten lines, repeatedly, and its next steps work', startsProcesses, async () => {
    const first = (await server.npm('demo')).trim().split('\n');
    const again = (await server.run('demo')).trim().split('\n');
    expect(again.filter((line) => line !== '').length).toBeLessThanOrEqual(10);
    const acknowledged = /^Shop +order (\d+) is ACKNOWLEDGED as (ERP-\d+), \d+ ms after/;
    const acknowledgedEnd = (lines: string[]) => lines.flatMap((line) => acknowledged.exec(line)?.slice(1, 3) ?? []);
    expect(acknowledgedEnd(first)).toHaveLength(2);
    expect(acknowledgedEnd(again)).not.toEqual(acknowledgedEnd(first));
    const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
    const [, shown = ''] = /\$ npm run demo\n([^]*?)\n```/.exec(readme) ?? [];
    const masked = (text: string) => text.replaceAll(/\d+ ms|ERP-\d+|order \d+|orders\/\d+|run \d+/g, '#');
    expect(masked(first.join('\n'))).toContain(masked(shown));
    const [, command = ''] = /npm run -s (causeway .+)\)$/.exec(again.at(-2) ?? '') ?? [];
    const key = (await server.npm(...command.replaceAll("'", '').split(' '))).trim();
    const [, url = ''] = /curl -X POST (\S+)/.exec(again.at(-1) ?? '') ?? [];
    const headers = { 'x-platform-api-key': key, 'x-platform-tenant': 'demo' };
    const completed = await fetch(url, { method: 'POST', headers });
    expect([completed.status, await completed.json()]).toEqual([200, expect.objectContaining({ status: 'completed' })]);
  });

  test('shows pages of a theme with blocks of an extension, until that demo ends', startsProcesses, async () => {
    const demo = server.causeway('demo', 'theme', '--json');
    const exited = once(demo, 'exit');
    let said = '';
    for (const stream of [demo.stdout, demo.stderr])
      stream.on('data', (text: Buffer) => (said += text.toString('utf8')));
    await Promise.race([once(demo.stdout, 'data'), exited]);
    expect(said).toContain('"url"');
    const { url } = JSON.parse(said) as { url: string };
    const page = await (await fetch(url)).text();
    expect(page).toContain('<h2>Customers say</h2>');
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
    expect((await fetch(new URL(script, url))).status).toBe(200);
    demo.kill('SIGINT');
    expect(await exited).toEqual([0, null]);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  test('serves metrics by route pattern on their own port only, together with health', startsProcesses, async () => {
    await server.status('/healthz');
    const text = await (await fetch(`${server.metricsUrl}/metrics`)).text();
    expect(text).toMatch(/http_request_duration_seconds_count\{[^}]*route="\/healthz"/);
    expect(text).toContain('process_cpu_seconds_total');
    for (const path of ['/healthz', '/readyz']) expect((await fetch(server.metricsUrl + path)).status).toBe(200);
    expect(await server.status('/metrics')).toBe(404);
    expect((await fetch(`${server.metricsUrl}/graphql`)).status).toBe(404);
  });

  test('is not ready while its worker is stopped past its lease, and says so', startsProcesses, async () => {
    const worker = workerPids().at(-1) ?? 0;
    process.kill(worker, 'SIGSTOP');
    try {
      for (const url of [server.url, server.metricsUrl]) {
        await vi.waitFor(
          async () => {
            const answer = await fetch(`${url}/readyz`);
            expect([answer.status, await answer.json()]).toEqual([503, { status: 'unavailable', missing: ['worker'] }]);
          },
          { timeout: 60_000, interval: 100 },
        );
      }
    } finally {
      process.kill(worker, 'SIGCONT');
    }
    await vi.waitFor(async () => expect(await server.status('/readyz')).toBe(200), { timeout: 60_000, interval: 50 });
  });

  test('lets pages of localhost call it by default', startsProcesses, async () => {
    const allowed = async (origin: string) =>
      (await fetch(`${server.url}/healthz`, { headers: { origin } })).headers.get('access-control-allow-origin');
    expect(await allowed('http://localhost:5173')).toBe('http://localhost:5173');
    expect(await allowed('https://shop.example')).toBeNull();
  });

  test('refuses a second server on the same data directory with one sentence', startsProcesses, async () => {
    const second = startServer(dataDir);
    expect(await second.exited).toBe(1);
    expect(second.output()).toContain('Another Causeway is running on');
    expect(second.output()).not.toContain('    at ');
    // It reads nothing of the API before, and starts no worker.
    expect(second.output()).not.toContain('Metrics are served');
    expect(await server.status('/readyz')).toBe(200);
  });
});

describe('a process that dies', () => {
  test('a killed worker is replaced', startsProcesses, async () => {
    const [first = 0] = workerPids();
    process.kill(first, 'SIGKILL');
    await vi.waitFor(() => expect(workerPids()).toHaveLength(2), { timeout: 60_000, interval: 50 });
    await server.untilReady();
  });

  test('a killed Postgres is restarted, and the processes continue', startsProcesses, async () => {
    const workers = workerPids();
    const killed = await postmaster();
    process.kill(killed, 'SIGKILL');
    await vi.waitFor(async () => expect(await postmaster()).not.toBe(killed), { timeout: 60_000, interval: 50 });
    await vi.waitFor(async () => expect(await server.status('/readyz')).toBe(200), { timeout: 60_000, interval: 50 });
    const demo = JSON.parse(await server.run('demo', '--json')) as Demo;
    expect(demo.order.status).toBe('ACKNOWLEDGED');
    expect(workerPids()).toEqual(workers);
  });

  test('a killed server takes its child processes with it, and the next start works', startsProcesses, async () => {
    const [, serverPid] = /"pid":(\d+)[^\n]*The API is open/.exec(server.output()) ?? [];
    const parts = await childPids();
    process.kill(Number(serverPid), 'SIGKILL');
    await vi.waitFor(() => expect(parts.filter(isAlive)).toEqual([]), { timeout: 60_000, interval: 50 });
    server = startServer(dataDir);
    await server.untilReady();
  });
});

describe('SIGTERM', () => {
  test('answers requests in flight, closes sockets with 1001, and ends with 0', startsProcesses, async () => {
    const token = (await server.run('token')).trim();
    const statuses: number[] = [];
    const load = Promise.all(
      Array.from({ length: 8 }, async () => {
        for (;;) {
          // A connection refused is an answer too: the request was never taken.
          const answer = await ask(token).catch(() => undefined);
          if (!answer) return;
          statuses.push(answer.status);
        }
      }),
    );
    const socket = new WebSocket(`${server.url}/graphql`, 'graphql-transport-ws');
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.once('open', resolve));
    const slow = slowRequest(token);
    await slow.begun;
    await vi.waitFor(() => expect(statuses.length).toBeGreaterThan(0), 60_000);

    server.child.kill('SIGTERM');
    await untilDraining();
    const before = statuses.length;
    slow.finish();
    expect(await slow.answer).toMatch(/^HTTP\/1\.1 200 [^]*connection: close[^]*dev-admin@example\.com/i);
    expect(await closed).toBe(1001);
    await load;
    expect(await server.exited).toBe(0);
    expect(before).toBeGreaterThan(0);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test('ends a start with 0, without leaving a process', startsProcesses, async () => {
    const starting = npmStart(dataDir);
    // The worker and Postgres are being started by then, and the API's modules read.
    await vi.waitFor(() => expect(starting.output()).toContain('Metrics are served.'), {
      timeout: 60_000,
      interval: 5,
    });
    starting.child.kill('SIGTERM');
    expect(await starting.exited).toBe(0);
    expect(starting.output()).not.toMatch(/"level":"error"/);
    expect(await postmaster()).toBe(0);
  });

  test('leaves the data ready for the next start', startsProcesses, async () => {
    server = npmStart(dataDir);
    const ms = await server.untilReady();
    process.stdout.write(`Start on an existing data directory to /readyz 200: ${Math.round(ms)} ms\n`);
    expect(server.output()).not.toContain('The database was migrated');
    const demo = JSON.parse(await server.run('demo', '--json')) as Demo;
    expect(demo.order.status).toBe('ACKNOWLEDGED');
  });
});

describe('a second signal', () => {
  test('ends a process that drains too slowly, with its child processes', startsProcesses, async () => {
    const token = (await server.run('token')).trim();
    const parts = await childPids();
    await slowRequest(token).begun;
    server.child.kill('SIGTERM');
    await untilDraining();
    // A signal sooner than this counts as the first one, forwarded.
    await delay(1_000);
    expect(server.child.exitCode).toBeNull();
    server.child.kill('SIGTERM');
    expect(await server.exited).toBe(1);
    // The same as after a kill, where the next start is tested.
    await vi.waitFor(() => expect(parts.filter(isAlive)).toEqual([]), { timeout: 60_000, interval: 50 });
  });
});

describe('a start that fails', () => {
  test('production without an issuer says so in one sentence', startsProcesses, async () => {
    const refused = startServer(dataDir, { NODE_ENV: 'production' });
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toContain('OIDC_ISSUER must name your identity provider in production');
    expect(refused.output()).not.toContain('    at ');
  });
});

/** A request whose body ends only when told to; it has begun when the server has read its head and asks for the rest. */
function slowRequest(token: string) {
  const socket = connect(server.port, '127.0.0.1');
  let text = '';
  const half = Math.floor(me.length / 2);
  const continueHead = 'HTTP/1.1 100 Continue\r\n\r\n';
  return {
    begun: new Promise<void>((resolve) => {
      const head = ['POST /graphql HTTP/1.1', 'host: localhost', `authorization: Bearer ${token}`, 'x-tenant-id: demo'];
      const rest = ['content-type: application/json', `content-length: ${me.length}`, 'expect: 100-continue', '', ''];
      socket.write([...head, ...rest].join('\r\n'));
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (!text.startsWith(continueHead)) return;
        text = text.slice(continueHead.length);
        socket.write(me.slice(0, half), () => resolve());
      });
    }),
    answer: new Promise<string>((resolve, reject) => {
      socket.once('error', reject).once('close', () => resolve(text));
    }),
    finish: () => socket.write(me.slice(half)),
  };
}
