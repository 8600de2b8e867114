import { expect } from 'vitest';
import { fireTicks } from '#src/automation/schedules/schedule-firing.service.ts';
import { cachedTicks } from '#src/infra/cron/ticks.ts';
import { readZone, ticksByMinute } from '#test/infra/cron/cron-oracle.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { computesLong } from '#test/setup/timeouts.ts';
import { countFirings, makeSchedule, readTicks } from './schedules.ts';

let api: TestApp;
test.beforeAll(({ api: started }) => {
  api = started;
});

const crons = [
  '0 * * * *',
  '30 */2 * * *',
  '30 2 * * *',
  '15,45 1-3 * * *',
  '0 0 * * *',
  '*/30 0,23 * * SAT,SUN',
  '5 3 * * SUN',
];
const day = 86_400_000;

/** Fires what is due, as of each moment at which something is, until `end`. */
async function liveUntil(end: number): Promise<void> {
  for (;;) {
    const { rows } = await api.database.system.query<{ trigger_id: number; next_fire_at: Date }>(
      `SELECT trigger_id, next_fire_at FROM schedules WHERE active AND next_fire_at = (SELECT min(next_fire_at) FROM schedules WHERE active)`,
    );
    const [first] = rows;
    if (!first || first.next_fire_at.getTime() >= end) return;
    const planned = rows.map((row) => ({
      tenantId: 'acme-shop',
      triggerId: row.trigger_id,
      fireAt: row.next_fire_at,
    }));
    const now = new Date(first.next_fire_at.getTime() + 20);
    const fired = await api.database.withSystem((client) => fireTicks(client, api.deps, planned, { now }));
    expect(fired).toBe(planned.length);
  }
}

test.each(['Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe'])(
  'schedules that live through the clock changes of %s start one run for each tick there is',
  computesLong,
  async (timezone) => {
    const clock = readZone(timezone, 1);
    const changes = [...clock.walls.keys()].filter(
      (n) => n > 0 && clock.walls[n] !== (clock.walls[n - 1] as number) + 1,
    );
    expect(changes).toHaveLength(2);
    const made = await Promise.all(
      crons.map(async (cron) => ({ cron, ...(await makeSchedule(api, { cron, timezone, misfire: 'skip' })) })),
    );
    const windows = changes.map((n) => clock.start + n * 60_000).map((at) => [at - day / 4, at + 1.1 * day] as const);
    for (const [start, end] of windows) {
      for (const { cron, triggerId } of made) {
        const next = cachedTicks(cron, timezone).next(start - 1) as number;
        await api.database.system.query('UPDATE schedules SET next_fire_at = $2 WHERE trigger_id = $1', [
          triggerId,
          new Date(next),
        ]);
      }
      await liveUntil(end);
    }
    for (const one of made) {
      const expected = [...ticksByMinute(one.cron, clock)].filter((at) =>
        windows.some(([start, end]) => at >= start && at < end),
      );
      const ticks = await readTicks(api, one);
      expect({ cron: one.cron, ticks: ticks.map(({ fire_at: at }) => at.toISOString()) }).toEqual({
        cron: one.cron,
        ticks: expected.map((at) => new Date(at).toISOString()),
      });
      expect(await countFirings(api, one)).toEqual({ runs: expected.length, letters: 0 });
    }
    await api.database.system.query('UPDATE schedules SET active = false');
  },
);
