import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { percentile, seeded } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { expectSound, fireMany, mixedWorkflows, untilAllEnded } from './workload.ts';

// oxlint-disable-next-line node/no-process-env -- the long variant is asked for from outside
const isLong = process.env['CHAOS'] === 'long';
const recoveryLimitMs = 15_000;

let api: TestApp;
let receiver: Receiver;
let workers: OwnProcess[] = [];
/** When there was last somebody to take over: the last kill, or the start of who came after it. */
let lastChange = 0;

test.beforeEach(async ({ ownApi }) => {
  api = ownApi;
  receiver = await startReceiver();
});
afterEach(async () => {
  for (const worker of workers) worker.signal('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  workers = [];
  await receiver.close();
});

interface Kill {
  at: number;
  /** When the receiver, which shares this process, had read what the worker sent before it died. */
  readBy: number;
  /** Runs the worker held. */
  held: number;
  /** Milliseconds from the kill, or from a later change of who might take over, until each of them moved on. */
  recoveries: number[];
}

/** Kills the worker and follows the runs it held until each has moved on. */
function kill(worker: OwnProcess): { at: number; done: Promise<Kill> } {
  worker.signal('SIGKILL');
  const at = Date.now();
  lastChange = at;
  const follow = async (): Promise<Kill> => {
    await worker.exited;
    await delay(20);
    // However late that was, the receiver has then taken new connections and read from them.
    for (let turns = 0; turns < 3; turns += 1) await setImmediate();
    const readBy = Date.now();
    const { rows: held } = await api.database.system.query<{ id: number; version: number }>(
      `SELECT r.id, r.version FROM runs r JOIN workers w ON w.id = r.worker_id WHERE w.pid = $1 AND r.status = 'running'`,
      [worker.pid],
    );
    const open = new Map(held.map(({ id, version }) => [id, version]));
    const recoveries: number[] = [];
    while (open.size > 0 && Date.now() - lastChange < 4 * recoveryLimitMs) {
      await delay(50);
      // Put back into the queue is not enough: a worker must have taken it.
      const { rows } = await api.database.system.query<{ id: number; version: number }>(
        `SELECT id, version FROM runs WHERE id = ANY($1::bigint[]) AND status <> 'queued'`,
        [[...open.keys()]],
      );
      for (const { id, version } of rows) {
        if (version === open.get(id)) continue;
        open.delete(id);
        recoveries.push(Date.now() - lastChange);
      }
    }
    for (const _ of open) recoveries.push(Number.POSITIVE_INFINITY);
    return { at, readBy, held: held.length, recoveries };
  };
  return { at, done: follow() };
}

async function rampage(options: { seed: number; workers: number; kills: number; runs: number; leaseMs: number }) {
  const random = seeded(options.seed);
  const start = () => startWorker({ databaseUrl: api.databaseUrl, allow: receiver.address, leaseMs: options.leaseMs });
  const workflows = await mixedWorkflows(api, receiver);
  workers = await Promise.all(Array.from({ length: options.workers }, start));
  const kills: { at: number; done: Promise<Kill> }[] = [];
  const portion = Math.ceil(options.runs / options.kills);
  for (let n = 0; n < options.kills; n += 1) {
    await fireMany(api, workflows, portion);
    await delay(30 + random() * 900);
    const victim = Math.floor(random() * workers.length);
    kills.push(kill(workers[victim] as OwnProcess));
    workers[victim] = await start();
    if (options.workers === 1) lastChange = Date.now();
  }
  await untilAllEnded(api, 60_000);
  const sound = await expectSound(api, receiver);
  return { sound, kills: await Promise.all(kills.map(({ done }) => done)) };
}

function expectRecovered({ sound, kills }: Awaited<ReturnType<typeof rampage>>, label: string): void {
  // A call is repeated only where a kill came between it and its record.
  const unexplained = sound.repeats.filter(
    ({ from, to }) => !kills.some(({ at, readBy }) => from <= readBy && at <= to),
  );
  expect(unexplained).toEqual([]);
  const held = kills.reduce((total, kill) => total + kill.held, 0);
  expect(held).toBeGreaterThan(0);
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
  test(
    'loses no run and repeats no recorded step when it is the only one',
    { timeout: isLong ? 600_000 : 300_000 },
    async () => {
      const kills = isLong ? 30 : 4;
      expectRecovered(
        await rampage({ seed: 11, workers: 1, kills, runs: kills * 40, leaseMs: 4_000 }),
        'kills, one worker, lease 4 s',
      );
    },
  );

  test(
    'has its runs taken over by the other within the time promised',
    { timeout: isLong ? 600_000 : 300_000 },
    async () => {
      const kills = isLong ? 30 : 4;
      expectRecovered(
        await rampage({ seed: 12, workers: 2, kills, runs: kills * 50, leaseMs: 6_000 }),
        'kills, two workers, lease 6 s',
      );
    },
  );
});
