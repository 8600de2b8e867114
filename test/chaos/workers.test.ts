import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, node, readyWorkflow, startTestEngine, untilRun } from '#test/setup/engine.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { expectLegal, type History, recordHistory } from './history.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { percentile, seeded } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { volume } from './volume.ts';
import { type Kill, killWorker, recoveryLimitMs, runsHeldBy } from './worker-kills.ts';
import { expectSound, type FiredWorkflow, fireMany, mixedWorkflows, untilAllEnded } from './workload.ts';

const leaseMs = 6_000;
const takeoverMs = 30_000;
/** A request that was being sent when its worker was stopped arrives so soon after it has taken its new identity, on a busy machine too. */
const underWayMs = 10_000;
/** Runs that a worker has when it is killed. */
const leastHeld = 10;

let api: TestApp;
let receiver: Receiver;
let readHistory: () => Promise<History>;
let workflows: FiredWorkflow[];
/** The live workers: each test reuses those of the previous one, because each start is a second of CPU. */
let workers: OwnProcess[] = [];
/** When stopped workers went on, with the runs that each had held. */
const continued: { from: number; until: number; runs: Set<number> }[] = [];

test.beforeAll(async ({ api: started }) => {
  api = started;
  receiver = await startReceiver();
  readHistory = await recordHistory(api.databaseUrl);
  workflows = await mixedWorkflows(api, receiver);
});
afterAll(async () => {
  for (const worker of workers) worker.signal('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await receiver.close();
});

const start = () => startWorker({ databaseUrl: api.databaseUrl, allow: receiver.address, leaseMs });

/** Starts or ends workers until there are so many. */
async function haveWorkers(count: number): Promise<void> {
  for (const surplus of workers.splice(count)) {
    surplus.signal('SIGTERM');
    await surplus.exited;
  }
  const started = await Promise.all(Array.from({ length: count - workers.length }, start));
  workers = [...workers, ...started];
}

/** Waits for all runs, and answers the calls that were repeated since `since`. */
async function untilSound(since: number) {
  await untilAllEnded(api, 60_000);
  const wasUnderWay = (at: number, run: number) =>
    continued.some(({ from, until, runs }) => runs.has(run) && at >= from && at < until);
  const sound = await expectSound(api, receiver, wasUnderWay);
  expectLegal(await readHistory());
  return { ...sound, repeats: sound.repeats.filter(({ from }) => from >= since) };
}

const findIdentities = async ({ pid }: OwnProcess): Promise<string[]> => {
  const { rows } = await api.database.system.query<{ id: string }>('SELECT id FROM workers WHERE pid = $1', [pid]);
  return rows.map(({ id }) => id);
};
const heldUnder = async (identity: string | undefined): Promise<number[]> => {
  const { rows } = await api.database.system.query<{ id: number }>(
    `SELECT id FROM runs WHERE worker_id = $1 AND status = 'running'`,
    [identity],
  );
  return rows.map(({ id }) => id);
};

describe('an engine that stops', () => {
  test('waits for steps in progress', startsProcesses, async () => {
    await haveWorkers(0);
    const slow = await startReceiver({ latencyMs: 1_000 });
    const leaving = await startTestEngine(api, { allow: slow.address });
    const workflow = await readyWorkflow(api, {
      nodes: [node('call', 'http-request', { method: 'POST', url: `${slow.url}/{{ run.id }}` })],
    });
    const id = await fireRun(api, workflow);
    while (slow.calls.size === 0) await delay(10);
    expect(slow.answered).toBe(0);
    await leaving.stop();
    expect(await untilRun(api, id, 'succeeded', 100)).toMatchObject({ steps: [{ status: 'succeeded' }] });
    expect(slow.answered).toBe(1);
    await slow.close();
  });

  test('hands back runs that do not end in time immediately, not after the lease', startsProcesses, async () => {
    await haveWorkers(0);
    const slow = await startReceiver({ latencyMs: 50_000 });
    const leaving = await startTestEngine(api, { allow: slow.address, leaseMs: 60_000, drainMs: 200 });
    const workflow = await readyWorkflow(api, {
      nodes: [node('call', 'http-request', { method: 'POST', url: `${slow.url}/{{ run.id }}` })],
    });
    const id = await fireRun(api, workflow);
    while (slow.calls.size === 0) await delay(10);
    await leaving.stop();
    expect(slow.answered).toBe(0);
    // Its step was under way, and is made again.
    expect(await untilRun(api, id, 'queued', 100)).toMatchObject({ status: 'queued', steps: [{ status: 'running' }] });
    slow.latencyMs = 10;
    const next = await startTestEngine(api, { allow: slow.address });
    expect(await untilRun(api, id)).toMatchObject({ status: 'succeeded' });
    await next.stop();
    await slow.close();
    expectLegal(await readHistory());
  });
});

describe('a worker stopped for twice its lease', () => {
  test('commits nothing of its former runs, and continues under a new identity', { timeout: 240_000 }, async () => {
    const begunAt = Date.now();
    await haveWorkers(2);
    const random = seeded(5);
    const [paused] = workers as [OwnProcess];
    const stops = volume('workerStops');
    let held = 0;
    for (let round = 0; round < stops; round += 1) {
      await fireMany(api, workflows, 80);
      await delay(random() * 400);
      const [identity] = await findIdentities(paused);
      paused.signal('SIGSTOP');
      await delay(20);
      const lost = await heldUnder(identity);
      held += lost.length;
      await delay(2 * leaseMs);
      // One stopped in the middle of a commit is declared dead when Postgres has ended its session.
      const deadline = Date.now() + takeoverMs;
      while ((await findIdentities(paused)).length > 0 && Date.now() < deadline) await delay(50);
      expect(await findIdentities(paused)).toEqual([]);
      expect(await heldUnder(identity)).toEqual([]);
      const from = Date.now();
      paused.signal('SIGCONT');
      await expect.poll(() => findIdentities(paused), { timeout: takeoverMs }).toHaveLength(1);
      continued.push({ from, until: Date.now() + underWayMs, runs: new Set(lost) });
      expect(await findIdentities(paused)).not.toContain(identity);
      expect(paused.isAlive()).toBe(true);
    }
    expect(held).toBeGreaterThan(0);
    const sound = await untilSound(begunAt);
    process.stdout.write(
      `${JSON.stringify({ test: 'stopped for twice the lease', stops, held, runs: sound.runs, lateCalls: sound.late })}\n`,
    );
    expect(sound.late).toBeLessThan(held);
  });
});

describe('SIGTERM', () => {
  test('lets a worker finish its steps, and others take the rest immediately', startsProcesses, async () => {
    await haveWorkers(2);
    const begunAt = Date.now();
    // Who is left is the one that was stopped, and does all of the rest.
    const [left, leaving] = workers as [OwnProcess, OwnProcess];
    workers = [left];
    await fireMany(api, workflows, 90);
    await expect.poll(async () => (await runsHeldBy(api, leaving)).length, { interval: 10 }).toBeGreaterThan(0);
    leaving.signal('SIGTERM');
    expect(await leaving.exited).toBe(0);
    const { rows } = await api.database.system.query(
      `SELECT r.id FROM runs r WHERE r.status = 'running' AND NOT EXISTS (SELECT FROM workers w WHERE w.id = r.worker_id)`,
    );
    expect(rows).toEqual([]);
    const sound = await untilSound(begunAt);
    expect(sound.repeats).toEqual([]);
  });
});

/** Kills one of so many workers again and again, each time in the midst of runs. */
async function rampage(options: { seed: number; workers: number }) {
  const random = seeded(options.seed);
  const begunAt = Date.now();
  await haveWorkers(options.workers);
  /** When another worker last became available: the last kill, or the start of its replacement. */
  let lastChange = 0;
  const kills: { at: number; done: Promise<Kill> }[] = [];
  for (let left = volume('workerKills'); left > 0; left -= 1) {
    await fireMany(api, workflows, volume('runsPerKill'));
    await delay(30 + random() * 900);
    const victim = workers[Math.floor(random() * workers.length)] as OwnProcess;
    // Most have ended by then, and a kill that meets no run shows little.
    for (let more = 0; more < 50 && (await runsHeldBy(api, victim)).length < leastHeld; more += 1)
      await fireMany(api, workflows, leastHeld);
    const kill = killWorker(api, victim, () => lastChange);
    lastChange = kill.at;
    kills.push(kill);
    workers = workers.filter((worker) => worker !== victim);
    // The last takeover is by who is left.
    if (left > 1 || workers.length === 0) workers.push(await start());
    if (options.workers === 1) lastChange = Date.now();
  }
  const sound = await untilSound(begunAt);
  return { sound, kills: await Promise.all(kills.map(({ done }) => done)) };
}

function expectRecovered({ sound, kills }: Awaited<ReturnType<typeof rampage>>, label: string): void {
  // A call is repeated only where a kill came between it and its record.
  const unexplained = sound.repeats.filter(
    ({ from, to }) => !kills.some(({ at, readBy }) => from <= readBy && at <= to),
  );
  expect(unexplained).toEqual([]);
  const held = kills.reduce((total, kill) => total + kill.held, 0);
  expect(held).toBeGreaterThan(kills.length);
  const recoveries = kills.flatMap((kill) => kill.recoveries);
  const figures = {
    test: label,
    kills: kills.length,
    runs: sound.runs,
    steps: sound.steps,
    events: sound.events,
    calls: sound.calls,
    repeatedCalls: sound.repeats.length,
    heldAtKills: held,
    recoveryMs: { p50: percentile(recoveries, 0.5), p99: percentile(recoveries, 0.99), max: Math.max(...recoveries) },
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(figures.recoveryMs.max).toBeLessThan(recoveryLimitMs);
}

describe('a worker killed at any moment', () => {
  test('loses no run and repeats no recorded step when it is the only one', { timeout: 600_000 }, async () => {
    expectRecovered(await rampage({ seed: 11, workers: 1 }), 'kills, one worker');
  });

  test('has its runs taken over by the other within the promised time', { timeout: 600_000 }, async () => {
    expectRecovered(await rampage({ seed: 12, workers: 2 }), 'kills, two workers');
  });
});
