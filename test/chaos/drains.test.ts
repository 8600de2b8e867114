import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { adminHeaders } from './deployment.ts';
import { expectLegal, type History, recordHistory } from './history.ts';
import { acceptedRuns, startLoad } from './load.ts';
import { type OwnProcess, startApi, startWorker } from './processes.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { expectSound, fireMany, mixedWorkflows, untilAllEnded } from './workload.ts';

let app: TestApp;
let receiver: Receiver;
let readHistory: () => Promise<History>;
let dataDir: string;
let started: OwnProcess[] = [];

test.beforeEach(async ({ ownApi }) => {
  app = ownApi;
  receiver = await startReceiver();
  readHistory = await recordHistory(app.databaseUrl);
  dataDir = await mkdtemp(join(tmpdir(), 'causeway-drain-'));
});
afterEach(async () => {
  for (const process of started) process.signal('SIGKILL');
  await Promise.all(started.map(({ exited }) => exited));
  started = [];
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

const worker = async (): Promise<OwnProcess> => {
  const process = await startWorker({ databaseUrl: app.databaseUrl, allow: receiver.address });
  started.push(process);
  return process;
};

describe('SIGTERM', () => {
  test('lets the API answer everything it took, and what it accepted ends', startsProcesses, async () => {
    const [api] = await Promise.all([startApi({ databaseUrl: app.databaseUrl, dataDir }), worker()]);
    started.push(api);
    const workflows = await mixedWorkflows(app, receiver, { packages: false });
    const headers = await adminHeaders(dataDir, api.port);
    const load = startLoad({
      url: api.url,
      handles: workflows.map(({ handle }) => handle),
      headers,
      clients: 8,
      pauseMs: 3,
    });
    while (load.answers.length < 150) await delay(20);
    api.signal('SIGTERM');
    const askedAt = Date.now();
    expect(await api.exited).toBe(0);
    const drainMs = Date.now() - askedAt;
    await load.stop();

    const { answers } = load;
    expect(answers.filter(({ status }) => status === 202).length).toBeGreaterThan(100);
    expect(answers.filter(({ status }) => status !== 202 && status !== 0)).toEqual([]);
    // Without an answer remain those that came when the door was closed, and connections that the kernel had taken but the
    // process had not: odd numbers have a connection of their own. Nothing was done for any of them.
    const unanswered = answers.filter(({ status }) => status === 0);
    expect(
      unanswered.filter(({ fault, n }) => fault !== 'ECONNREFUSED' && !(fault === 'ECONNRESET' && n % 2 === 1)),
    ).toEqual([]);
    const { rows: done } = await app.database.system.query(
      `SELECT payload -> 'body' ->> 'n' AS n FROM run_payloads WHERE (payload -> 'body' ->> 'n')::int = ANY($1::int[])`,
      [unanswered.map(({ n }) => n)],
    );
    expect(done).toEqual([]);
    expect(drainMs).toBeLessThan(10_000);

    await untilAllEnded(app, 60_000);
    await expectSound(app, receiver);
    const history = await readHistory();
    expectLegal(history);
    const accepted = acceptedRuns(answers);
    for (const id of accepted) expect(history.has(id), `run ${id}`).toBe(true);
  });

  test('lets the API answer a request whose body takes longer than ten seconds', startsProcesses, async () => {
    const api = await startApi({ databaseUrl: app.databaseUrl, dataDir });
    started.push(api);
    const headers = { ...(await adminHeaders(dataDir, api.port)), 'content-type': 'application/json' };
    // The API says that it has begun to read the request.
    const expecting = { ...headers, expect: '100-continue' };
    const asked = request(`${api.url}/api/v1/workflows`, { method: 'POST', headers: expecting });
    const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
    await once(asked, 'continue');
    asked.write('{"name":');
    api.signal('SIGTERM');
    await delay(12_000);
    asked.end('"Slowly"}');
    const [answer] = await answered;
    expect([answer.statusCode, answer.headers.connection, await text(answer)]).toEqual([
      201,
      'close',
      expect.stringContaining('Slowly'),
    ]);
    expect(await api.exited).toBe(0);
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('lets a worker end what it has begun, and others have the rest at once', startsProcesses, async () => {
    const workflows = await mixedWorkflows(app, receiver);
    const [leaving] = await Promise.all([worker(), worker()]);
    await fireMany(app, workflows, 150);
    await delay(250);
    leaving.signal('SIGTERM');
    expect(await leaving.exited).toBe(0);
    const { rows } = await app.database.system.query(
      `SELECT r.id FROM runs r WHERE r.status = 'running' AND NOT EXISTS (SELECT FROM workers w WHERE w.id = r.worker_id)`,
    );
    expect(rows).toEqual([]);
    await untilAllEnded(app, 60_000);
    const sound = await expectSound(app, receiver);
    expect(sound.repeats).toEqual([]);
    expectLegal(await readHistory());
  });

  test('hands back what does not end in time, not after the lease but at once', startsProcesses, async () => {
    const slow = await startReceiver({ latencyMs: 50_000 });
    const leaving = await startTestEngine(app, { allow: slow.address, leaseMs: 60_000, drainMs: 200 });
    const workflow = await readyWorkflow(app, {
      nodes: [node('call', 'http-request', { method: 'POST', url: `${slow.url}/{{ run.id }}` })],
    });
    const id = await fireRun(app, workflow);
    while (slow.calls.size === 0) await delay(10);
    await leaving.stop();
    expect(slow.answered).toBe(0);
    // Its step was under way, and is made again.
    expect(await untilRun(app, id, 'queued', 100)).toMatchObject({ status: 'queued', steps: [{ status: 'running' }] });
    slow.latencyMs = 10;
    const next = await startTestEngine(app, { allow: slow.address });
    expect(await untilRun(app, id)).toMatchObject({ status: 'succeeded' });
    await next.stop();
    await slow.close();
    expectLegal(await readHistory());
  });
});
