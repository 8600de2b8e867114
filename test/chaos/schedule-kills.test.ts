import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { countFirings, makeSchedule, readTicks, until } from '#test/automation/schedules/schedules.ts';
import { test } from '#test/setup/app-test.ts';
import { type OwnProcess, startWorker } from './processes.ts';
import { seeded } from './random.ts';
import { volume } from './volume.ts';

const kills = volume('schedulerKills');

test('workers that are killed while they fire schedules of every second neither lose nor duplicate a tick', async ({
  api,
}) => {
  const random = seeded(7);
  const start = () => startWorker({ databaseUrl: api.databaseUrl });
  let workers: OwnProcess[] = await Promise.all([start(), start()]);
  try {
    const made = await Promise.all(
      Array.from({ length: 30 }, () => makeSchedule(api, { cron: '* * * * * *', misfire: 'catch_up' })),
    );
    for (let n = 0; n < kills; n += 1) {
      const [victim, other] = workers as [OwnProcess, OwnProcess];
      // Around the whole second, when it is at it.
      await delay(1_000 - (Date.now() % 1_000) + Math.floor(random() * 60));
      victim.signal('SIGKILL');
      await victim.exited;
      workers = n < kills - 1 ? [other, await start()] : [other];
    }
    // Who is left fires what was due.
    await delay(1_500);
    await api.database.system.query('UPDATE schedules SET active = false');
    const before = await Promise.all(made.map((one) => readTicks(api, one)));
    for (const [index, one] of made.entries()) {
      const ticks = before[index] ?? [];
      const times = ticks.map(({ fire_at: at }) => at.getTime());
      expect(times.length).toBeGreaterThan(kills);
      expect(times).toEqual(times.map((_, n) => (times[0] as number) + n * 1_000));
      expect(ticks.every(({ outcome }) => outcome === 'run')).toBe(true);
      expect(await countFirings(api, one)).toEqual({ runs: ticks.length, letters: 0 });
    }
    const total = before.reduce((sum, ticks) => sum + ticks.length, 0);
    const ended = `SELECT count(*) AS n FROM runs WHERE trigger_type = 'schedule' AND status = 'succeeded'`;
    await until(
      () => api.database.system.query<{ n: number }>(ended),
      ({ rows }) => rows[0]?.n === total,
      60_000,
    );
  } finally {
    for (const worker of workers) worker.signal('SIGKILL');
    await Promise.all(workers.map(({ exited }) => exited));
  }
}, 300_000);
