import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { percentile, seeded } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { volume } from './volume.ts';
import { expectSound, fireMany, mixedWorkflows, untilAllEnded } from './workload.ts';

const recoveryLimitMs = 15_000;
/** Runs that a worker has when it is killed. */
const leastHeld = 10;

let api: TestApp;
let receiver: Receiver;
/** Those that live: what one test leaves the next one uses, as each start is a second of CPU. */
let workers: OwnProcess[] = [];
/** When there was last somebody to take over: the last kill, or the start of who came after it. */
let lastChange = 0;

test.beforeAll(async ({ api: started }) => {
  api = started;
  receiver = await startReceiver();
});
afterAll(async () => {
  for (const worker of workers) worker.signal('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  await receiver.close();
});

const start = () => startWorker({ databaseUrl: api.databaseUrl, allow: receiver.address });

interface Kill {
  at: number;
  /** When the receiver, which shares this process, had read what the worker sent before it died. */
  readBy: number;
  /** Runs the worker held. */
  held: number;
  /** Milliseconds from the kill, or from a later change of who might take over, until each of them moved on. */
  recoveries: number[];
}

async function heldBy(worker: OwnProcess): Promise<{ id: number; version: number }[]> {
  const { rows } = await api.database.system.query<{ id: number; version: number }>(
    `SELECT r.id, r.version FROM runs r JOIN workers w ON w.id = r.worker_id WHERE w.pid = $1 AND r.status = 'running'`,
    [worker.pid],
  );
  return rows;
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
    const held = await heldBy(worker);
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

/** Kills one of so many workers again and again, each time in the midst of runs. */
async function rampage(options: { seed: number; workers: number }) {
  const random = seeded(options.seed);
  const begunAt = Date.now();
  const workflows = await mixedWorkflows(api, receiver);
  while (workers.length < options.workers) workers.push(await start());
  const kills: { at: number; done: Promise<Kill> }[] = [];
  for (let left = volume('workerKills'); left > 0; left -= 1) {
    await fireMany(api, workflows, volume('runsPerKill'));
    await delay(30 + random() * 900);
    const victim = workers[Math.floor(random() * workers.length)] as OwnProcess;
    // Most have ended by then, and a kill that meets no run shows little.
    for (let more = 0; more < 50 && (await heldBy(victim)).length < leastHeld; more += 1)
      await fireMany(api, workflows, leastHeld);
    kills.push(kill(victim));
    workers = workers.filter((worker) => worker !== victim);
    // The last takeover is by who is left.
    if (left > 1 || workers.length === 0) workers.push(await start());
    if (options.workers === 1) lastChange = Date.now();
  }
  await untilAllEnded(api, 60_000);
  const sound = await expectSound(api, receiver);
  const repeats = sound.repeats.filter(({ from }) => from >= begunAt);
  return { sound: { ...sound, repeats }, kills: await Promise.all(kills.map(({ done }) => done)) };
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

  test('has its runs taken over by the other within the time promised', { timeout: 600_000 }, async () => {
    expectRecovered(await rampage({ seed: 12, workers: 2 }), 'kills, two workers');
  });
});
