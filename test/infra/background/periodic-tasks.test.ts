import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, test, vi } from 'vitest';
import { domains } from '#src/domains/domains.ts';
import { infraTasks } from '#src/infra/background/infra-tasks.ts';
import { inBatches, startPeriodicTasks } from '#src/infra/background/periodic-tasks.ts';
import type { Deps } from '#src/infra/deps.ts';

const lines: { level: number; msg: string; chore: string }[] = [];
const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
const deps = { log } as Deps;
const fault = 'The work failed.';

describe('a chore', () => {
  test('runs immediately and then repeatedly, never concurrently, and not after it is stopped', async () => {
    let times = 0;
    let atATime = 0;
    let most = 0;
    const work = async () => {
      times += 1;
      most = Math.max(most, (atATime += 1));
      await delay(20);
      atATime -= 1;
    };
    const running = startPeriodicTasks(deps, [{ name: 'count', everyMs: 1, work, fault }]);
    await vi.waitFor(() => expect(times).toBeGreaterThan(2), 10_000);
    await running.stop();
    expect([most, atATime]).toEqual([1, 0]);
    const before = times;
    await delay(50);
    expect(times).toBe(before);
  });

  test('is retried after a failure, which is logged with its name', async () => {
    let times = 0;
    const work = async () => {
      times += 1;
      if (times === 1) throw new Error('no');
    };
    const running = startPeriodicTasks(deps, [{ name: 'fail-once', everyMs: 1, work, fault }]);
    await vi.waitFor(() => expect(times).toBeGreaterThan(1), 10_000);
    await running.stop();
    expect(lines).toMatchObject([{ level: 50, msg: fault, chore: 'fail-once' }]);
  });

  test('waits before its first run if configured, and a stop ends the wait', async () => {
    let times = 0;
    const work = async () => (times += 1);
    const running = startPeriodicTasks(deps, [{ name: 'later', everyMs: 1, firstMs: 3_600_000, work, fault }]);
    await delay(20);
    await running.stop();
    expect(times).toBe(0);
  });

  test('that works in batches continues until nothing is left, or until it is stopped', async () => {
    let left = 3;
    await inBatches(async () => (left -= 1) > 0)(deps, new AbortController().signal);
    expect(left).toBe(0);
    await inBatches(async () => (left -= 1) > -10)(deps, AbortSignal.abort());
    expect(left).toBe(0);
  });
});

test('no two periodic tasks have the same name', () => {
  const tasks = [...infraTasks, ...domains.flatMap(({ periodicTasks }) => periodicTasks ?? [])];
  const names = tasks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
