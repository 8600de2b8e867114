import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect } from 'vitest';
import type { Database } from '#src/infra/postgres/database.ts';
import { OutageError } from '#src/infra/postgres/outages.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { fireRun, startTestEngine } from '#test/setup/engine.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import type { Engine } from '#workers/engine/engine.ts';
import { seeded } from './random.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { expectSound, type FiredWorkflow, mixedWorkflows, untilAllEnded } from './workload.ts';

let flaky: TestApp;
let receiver: Receiver;
let engine: Engine;
let lost = { before: 0, after: 0 };
let share = 0;

test.beforeAll(async ({ api }) => {
  flaky = { ...api, deps: { ...api.deps, database: losing(api.database, seeded(7)) } };
  receiver = await startReceiver({ latencyMs: 3 });
  // Some renewals are lost too, and a busy machine may be late with the others; nobody is to take its runs over.
  engine = await startTestEngine(flaky, { allow: receiver.address, leaseMs: 15_000 });
});
afterAll(async () => {
  share = 0;
  await engine.stop();
  await receiver.close();
});

/** A database whose connections break: half the time before the transaction, half the time after its commit. */
function losing(database: Database, random: () => number): Database {
  const broken = () => new OutageError('Connection terminated unexpectedly');
  return {
    ...database,
    async withSystem(work) {
      const fate = random();
      if (fate < share / 2) {
        lost.before += 1;
        throw broken();
      }
      const answer = await database.withSystem(work);
      if (fate < share) {
        lost.after += 1;
        throw broken();
      }
      return answer;
    },
  };
}

describe('lost responses to commits', () => {
  test('cause no loss and no repetition', startsProcesses, async ({ api }) => {
    const workflows = await mixedWorkflows(api, receiver, { packages: false });
    lost = { before: 0, after: 0 };
    share = 0.2;
    const accepted: number[] = [];
    for (let n = 0; n < 120; n += 10) {
      // Ten at a time, so that they share a commit.
      const fired = Array.from({ length: 10 }, (_, of) =>
        fireRun(flaky, workflows[(n + of) % workflows.length] as FiredWorkflow, { n: n + of }),
      );
      for (const end of await Promise.allSettled(fired)) if (end.status === 'fulfilled') accepted.push(end.value);
      await delay(20);
    }
    await untilAllEnded(api, 80_000);
    share = 0;
    expect(lost.before).toBeGreaterThan(10);
    expect(lost.after).toBeGreaterThan(10);
    const sound = await expectSound(api, receiver);
    expect(sound.repeats).toEqual([]);
    expect(new Set(accepted).size).toBe(accepted.length);
    // No firing was kept twice: each carries its number.
    const { rows } = await api.database.system.query(
      `SELECT payload ->> 'n' AS n FROM run_payloads p JOIN runs r ON r.tenant_id = p.tenant_id AND r.id = p.run_id
       WHERE r.trigger_type = 'webhook' GROUP BY 1 HAVING count(*) > 1`,
    );
    expect(rows).toEqual([]);
  });
});
