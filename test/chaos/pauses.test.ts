import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { expectLegal, type History, recordHistory } from './history.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { seeded } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { expectSound, fireMany, mixedWorkflows, untilAllEnded } from './workload.ts';

/** Renewed three times in it, also on a busy machine. */
const leaseMs = 4_000;
const takeoverMs = 30_000;
/** A request that was being sent when its worker was stopped arrives so soon after it has taken its new identity, on a busy machine too. */
const underWayMs = 10_000;

let api: TestApp;
let receiver: Receiver;
let readHistory: () => Promise<History>;
let paused: OwnProcess;
let other: OwnProcess;

test.beforeAll(async ({ api: started }) => {
  api = started;
  receiver = await startReceiver();
  readHistory = await recordHistory(api.databaseUrl);
  const start = () => startWorker({ databaseUrl: api.databaseUrl, allow: receiver.address, leaseMs });
  [paused, other] = await Promise.all([start(), start()]);
});
afterAll(async () => {
  for (const worker of [paused, other]) worker.signal('SIGKILL');
  await Promise.all([paused.exited, other.exited]);
  await receiver.close();
});

const identitiesOf = async ({ pid }: OwnProcess): Promise<string[]> => {
  const { rows } = await api.database.system.query<{ id: string }>('SELECT id FROM workers WHERE pid = $1', [pid]);
  return rows.map(({ id }) => id);
};
const heldBy = async (worker: string | undefined): Promise<{ id: number; version: number }[]> => {
  const { rows } = await api.database.system.query<{ id: number; version: number }>(
    `SELECT id, version FROM runs WHERE worker_id = $1 AND status = 'running'`,
    [worker],
  );
  return rows;
};

describe('a worker stopped for twice its lease', () => {
  test('commits nothing of what it held, and goes on under a new identity', { timeout: 240_000 }, async () => {
    const random = seeded(5);
    const workflows = await mixedWorkflows(api, receiver);
    let held = 0;
    const continued: { from: number; until: number; runs: Set<number> }[] = [];
    for (let round = 0; round < 2; round += 1) {
      await fireMany(api, workflows, 80);
      await delay(random() * 400);
      const [identity] = await identitiesOf(paused);
      paused.signal('SIGSTOP');
      await delay(20);
      const lost = await heldBy(identity);
      held += lost.length;
      await delay(2 * leaseMs);
      // One stopped in the middle of a commit is declared dead when Postgres has ended its session.
      const deadline = Date.now() + takeoverMs;
      while ((await identitiesOf(paused)).length > 0 && Date.now() < deadline) await delay(50);
      expect(await identitiesOf(paused)).toEqual([]);
      expect(await heldBy(identity)).toEqual([]);
      const from = Date.now();
      paused.signal('SIGCONT');
      await expect.poll(() => identitiesOf(paused), { timeout: takeoverMs }).toHaveLength(1);
      continued.push({ from, until: Date.now() + underWayMs, runs: new Set(lost.map(({ id }) => id)) });
      expect(await identitiesOf(paused)).not.toContain(identity);
      expect(paused.isAlive()).toBe(true);
    }
    expect(held).toBeGreaterThan(0);
    await untilAllEnded(api, 60_000);
    const wasUnderWay = (at: number, run: number) =>
      continued.some(({ from, until, runs }) => runs.has(run) && at >= from && at < until);
    const sound = await expectSound(api, receiver, wasUnderWay);
    process.stdout.write(
      `${JSON.stringify({ test: 'stopped for twice the lease', stops: 2, held, runs: sound.runs, lateCalls: sound.late })}\n`,
    );
    expect(sound.late).toBeLessThan(held);
    expectLegal(await readHistory());

    other.signal('SIGTERM');
    expect(await other.exited).toBe(0);
    await fireMany(api, workflows, 12);
    await untilAllEnded(api, 60_000);
    await expectSound(api, receiver, wasUnderWay);
  });
});
