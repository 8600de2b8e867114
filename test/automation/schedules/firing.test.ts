import { describe, expect } from 'vitest';
import { claimTicks } from '#src/automation/schedules/schedule-claims.service.ts';
import { fireTicks } from '#src/automation/schedules/schedule-firing.service.ts';
import { scheduleTickJob, tickJob } from '#src/automation/schedules/schedules.declarations.ts';
import { deleteTrigger, updateTrigger } from '#src/automation/triggers/triggers.service.ts';
import { deleteWorkflow, updateWorkflow } from '#src/automation/workflows/workflows.service.ts';
import { cachedTicks } from '#src/infra/cron/ticks.ts';
import { test } from '#test/setup/app-test.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import {
  actor,
  countFirings,
  forgetSchedules,
  leapDays,
  type Made,
  makeSchedule,
  minutesAgo,
  moveNextTick,
  readJobs,
  readSchedule,
  readTicks,
  thisSecond,
  until,
} from './schedules.ts';

let api: TestApp;
test.beforeEach(async ({ api: started }) => {
  api = started;
  await forgetSchedules(api);
});

const minute = 60_000;
const claim = () => claimTicks(api.deps, 500);

/** The database's time in epoch seconds. */
const secondsNow = async () => {
  const { rows } = await api.database.system.query<{ now: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 AS now',
  );
  return (rows[0] as { now: number }).now;
};

/** A schedule with a single tick that is due. */
async function overdue(): Promise<Made & { at: Date }> {
  const made = await makeSchedule(api, { cron: leapDays });
  const at = await thisSecond(api);
  await moveNextTick(api, made, at);
  return { ...made, at };
}

/** The next tick of such a schedule once that one has gone. */
const nextLeapDay = () => new Date(cachedTicks(leapDays, 'UTC').next(Date.now()) as number);

describe('a tick', () => {
  test('is planned with its trigger, and its job waits for it', async () => {
    const made = await makeSchedule(api, { cron: '30 9 * * *', timezone: 'Asia/Kathmandu' });
    const { next_fire_at: next, last_fired_at: last } = await readSchedule(api, made);
    expect(next?.toISOString().slice(11)).toBe('03:45:00.000Z');
    expect(last).toBeNull();
    expect(await readJobs(api, made)).toEqual([next?.toISOString()]);
    expect((await claim()).taken).toBe(0);
  });

  test('starts one run, and the next tick is planned', async () => {
    const made = await overdue();
    expect(await claim()).toMatchObject({ taken: 1, fired: 1 });
    const [tick, ...more] = await readTicks(api, made);
    expect(tick).toMatchObject({ fire_at: made.at, outcome: 'run' });
    expect(more).toEqual([]);
    const { next_fire_at: next, last_run_id: run, last_fired_at: fired } = await readSchedule(api, made);
    expect(next).toEqual(nextLeapDay());
    expect(run).toBe(tick?.run_id);
    expect(fired?.getTime()).toBeGreaterThan(made.at.getTime());
    expect(await readJobs(api, made)).toEqual([next?.toISOString()]);
    const { rows } = await api.database.system.query(
      `SELECT r.trigger_type, r.trigger_handle, p.payload, a.channel, a.via_system FROM runs r
       JOIN run_payloads p ON p.run_id = r.id JOIN audit_entries a ON a.resource_id = r.id::text AND a.action = 'run.started'
       WHERE r.id = $1`,
      [run],
    );
    expect(rows).toEqual([
      {
        trigger_type: 'schedule',
        trigger_handle: made.handle,
        payload: {
          scheduled_at: made.at.toISOString(),
          fired_at: fired?.toISOString(),
          timezone: 'UTC',
          cron: leapDays,
        },
        channel: 'schedule',
        via_system: true,
      },
    ]);
  });

  test('becomes a dead letter if its workflow cannot run', async () => {
    const made = await overdue();
    await api.database.system.query(`UPDATE workflows SET bundle_status = 'failed' WHERE id = $1`, [made.workflowId]);
    await claim();
    const [tick] = await readTicks(api, made);
    expect(tick).toMatchObject({ outcome: 'dead_letter', run_id: null });
    expect(await countFirings(api, made)).toEqual({ runs: 0, letters: 1 });
    const schedule = await readSchedule(api, made);
    expect(schedule).toMatchObject({ last_fired_at: expect.any(Date), last_run_id: null, active: true });
  });

  test('fires once, however many jobs and workers there are', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => makeSchedule(api, { cron: leapDays })));
    const at = await thisSecond(api);
    for (const one of made) await moveNextTick(api, one, at);
    const extra = made.flatMap(({ tenantId, triggerId }) =>
      [1, 2, 3].map(() => tickJob({ tenantId, triggerId, fireAt: at })),
    );
    await api.deps.jobs.insert(scheduleTickJob, extra);
    const beside = await startTestApp(api);
    try {
      const claims = await Promise.all(
        [api, beside, api, beside, api].map(({ deps }, n) => claimTicks(deps, 5 + 13 * n)),
      );
      let left = 1;
      while (left > 0) left = (await claimTicks(api.deps, 50)).taken;
      expect(claims.reduce((sum, one) => sum + one.fired, 0)).toBeGreaterThan(0);
      for (const one of made) {
        expect(await countFirings(api, one)).toEqual({ runs: 1, letters: 0 });
        expect(await readTicks(api, one)).toHaveLength(1);
      }
    } finally {
      await beside.close();
    }
  });

  test('fires again if the transaction that fired it was lost', async () => {
    const made = await overdue();
    const lost = api.database.withSystem(async (client) => {
      await fireTicks(client, api.deps, [{ ...made, fireAt: made.at }]);
      throw new Error('The worker died before the commit.');
    });
    await expect(lost).rejects.toThrow('died');
    expect(await countFirings(api, made)).toEqual({ runs: 0, letters: 0 });
    await claim();
    expect(await countFirings(api, made)).toEqual({ runs: 1, letters: 0 });
  });

  test('is not fired again when it recurs after a clock was set back', async () => {
    const made = await overdue();
    await claim();
    await moveNextTick(api, made, made.at);
    expect(await claim()).toMatchObject({ taken: 1, fired: 1 });
    expect(await countFirings(api, made)).toEqual({ runs: 1, letters: 0 });
    expect(await readSchedule(api, made)).toMatchObject({ next_fire_at: nextLeapDay() });
  });

  test('waits while its schedule is being changed, without delaying other ticks', async () => {
    const [held, free] = [await overdue(), await overdue()];
    await api.database.withSystem(async (client) => {
      await client.query('SELECT 1 FROM schedules WHERE trigger_id = $1 FOR UPDATE', [held.triggerId]);
      expect(await claim()).toMatchObject({ taken: 2, fired: 1 });
    });
    expect(await countFirings(api, free)).toEqual({ runs: 1, letters: 0 });
    expect(await countFirings(api, held)).toEqual({ runs: 0, letters: 0 });
    await until(claim, ({ fired }) => fired === 1);
    expect(await countFirings(api, held)).toEqual({ runs: 1, letters: 0 });
  });

  test('that is not due is not fired, whichever job names it', async () => {
    const made = await makeSchedule(api, { cron: '0 0 1 1 *' });
    const { next_fire_at: fireAt } = await readSchedule(api, made);
    const fired = await api.database.withSystem((client) =>
      fireTicks(client, api.deps, [{ ...made, fireAt: fireAt as Date }]),
    );
    expect(fired).toBe(0);
    expect(await countFirings(api, made)).toEqual({ runs: 0, letters: 0 });
  });

  test('of a schedule that cannot be read is fired, and the schedule is switched off', async () => {
    const [broken, good] = [await overdue(), await overdue()];
    await api.database.system.query(`UPDATE schedules SET cron = 'nonsense' WHERE trigger_id = $1`, [broken.triggerId]);
    expect((await claim()).fired).toBe(2);
    expect(await countFirings(api, broken)).toEqual({ runs: 1, letters: 0 });
    expect(await readSchedule(api, broken)).toMatchObject({ active: false, next_fire_at: null });
    expect(await readSchedule(api, good)).toMatchObject({ active: true });
    expect(api.logLines.some((line) => line.includes('A schedule cannot be read'))).toBe(true);
  });
});

describe('missed ticks', () => {
  test.each([
    ['skip', []],
    ['fire_once', [9]],
    ['catch_up', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]],
  ])('of ten minutes fire under %s those at minutes %j, and the one that is on time', async (misfire, expected) => {
    const made = await makeSchedule(api, { cron: '* * * * *', misfire });
    const at = new Date('2026-03-01T10:00:00Z');
    await moveNextTick(api, made, at);
    const now = new Date('2026-03-01T10:10:30Z');
    await api.database.withSystem((client) => fireTicks(client, api.deps, [{ ...made, fireAt: at }], { now }));
    const ticks = await readTicks(api, made);
    const toMinute = (time: Date) => (time.getTime() - at.getTime()) / minute;
    const runs = ticks.filter(({ outcome }) => outcome === 'run').map(({ fire_at: time }) => toMinute(time));
    expect(runs).toEqual([...expected, 10]);
    expect(await countFirings(api, made)).toEqual({ runs: runs.length, letters: 0 });
    // Every tick from the first to the next one planned is logged once.
    const told = ticks.flatMap(({ fire_at: from, skipped_until: end }) => {
      const last = end ? toMinute(end) - 1 : toMinute(from);
      return Array.from({ length: last - toMinute(from) + 1 }, (_, n) => toMinute(from) + n);
    });
    expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { next_fire_at: next, last_fired_at: last } = await readSchedule(api, made);
    expect(next).toEqual(new Date('2026-03-01T10:11:00Z'));
    expect(last).toEqual(now);
  });

  test('of a week are recorded in one row, and the newest hundred are caught up', async () => {
    const made = await makeSchedule(api, { cron: '* * * * *', misfire: 'catch_up' });
    const at = await minutesAgo(api, 7 * 24 * 60);
    await moveNextTick(api, made, at);
    await claim();
    const [skipped, ...runs] = await readTicks(api, made);
    expect(skipped).toMatchObject({ outcome: 'skipped', fire_at: at, skipped_until: runs[0]?.fire_at });
    expect(runs.every(({ outcome }) => outcome === 'run')).toBe(true);
    expect(runs.length).toBeGreaterThanOrEqual(101);
    expect(runs.length).toBeLessThanOrEqual(102);
  });

  test('are split over transactions when there are too many for one', async () => {
    const made = await Promise.all(
      Array.from({ length: 14 }, () => makeSchedule(api, { cron: '* * * * *', misfire: 'catch_up' })),
    );
    const at = await minutesAgo(api, 300);
    for (const one of made) await moveNextTick(api, one, at);
    const first = await claim();
    expect(first.taken).toBe(14);
    expect(first.fired).toBeGreaterThanOrEqual(1_000);
    expect(first.fired).toBeLessThan(1_200);
    expect((await claim()).fired).toBeGreaterThan(300);
    for (const one of made) {
      const ticks = await readTicks(api, one);
      expect(ticks.filter(({ outcome }) => outcome === 'run').length).toBeGreaterThanOrEqual(100);
    }
  });
});

describe('a change of a schedule', () => {
  const config = (cron: string) => ({ config: { cron } });
  const edit = (made: Made, change: object) => updateTrigger(api.deps, actor, { id: BigInt(made.triggerId) }, change);

  test('plans new ticks, and the earlier job does nothing', async () => {
    const made = await makeSchedule(api, { cron: '0 0 1 1 *' });
    const [old] = await readJobs(api, made);
    await edit(made, config('0 0 1 2 *'));
    const { next_fire_at: next, cron } = await readSchedule(api, made);
    expect(cron).toBe('0 0 1 2 *');
    expect(new Set(await readJobs(api, made))).toEqual(new Set([old, next?.toISOString()]));
    const stale = await api.database.withSystem((client) =>
      fireTicks(client, api.deps, [{ ...made, fireAt: new Date(old as string) }], { now: new Date('2040-01-01') }),
    );
    expect(stale).toBe(0);
    expect(await countFirings(api, made)).toEqual({ runs: 0, letters: 0 });
  });

  test('that concerns only its name, or nothing, keeps the planned tick', async () => {
    const made = await makeSchedule(api, { cron: '0 0 1 1 *' });
    const before = await readJobs(api, made);
    await edit(made, { name: 'Renamed' });
    await edit(made, config('0 0 1 1 *'));
    expect(await readJobs(api, made)).toEqual(before);
  });

  test('first fires the ticks that were due before it', async () => {
    const made = await overdue();
    await edit(made, config('0 0 1 1 *'));
    expect(await countFirings(api, made)).toEqual({ runs: 1, letters: 0 });
    expect(await readTicks(api, made)).toMatchObject([{ fire_at: made.at, outcome: 'run' }]);
    await claim();
    expect(await countFirings(api, made)).toEqual({ runs: 1, letters: 0 });
  });

  test.each<[string, (made: Made) => Promise<unknown>]>([
    ['switching the trigger off', (made) => edit(made, { active: false })],
    ['making it a manual one', (made) => edit(made, { type: 'manual', config: {} })],
    ['deleting the trigger', (made) => deleteTrigger(api.deps, actor, { id: BigInt(made.triggerId) })],
    [
      'switching the workflow off',
      (made) => updateWorkflow(api.deps, actor, BigInt(made.workflowId), { active: false }),
    ],
    ['deleting the workflow', (made) => deleteWorkflow(api.deps, actor, BigInt(made.workflowId))],
  ])('by %s fires what was due, and nothing after', async (_, change) => {
    const made = await overdue();
    await change(made);
    expect(await countFirings(api, made)).toEqual({ runs: 1, letters: 0 });
    const { rows } = await api.database.system.query(
      'SELECT next_fire_at FROM schedules WHERE trigger_id = $1 AND active',
      [made.triggerId],
    );
    expect(rows).toEqual([]);
    await api.database.system.query(
      `UPDATE pgboss.job SET start_after = now() - interval '1 minute', priority = 0 WHERE name = 'automation.schedule.tick'`,
    );
    await claim();
    expect(await countFirings(api, made)).toEqual({ runs: 1, letters: 0 });
  });

  test('that activates the workflow again plans from now on', async () => {
    const made = await makeSchedule(api, { cron: '* * * * *' });
    const flip = (active: boolean) => updateWorkflow(api.deps, actor, BigInt(made.workflowId), { active });
    await flip(false);
    expect(await readSchedule(api, made)).toMatchObject({ active: false, next_fire_at: null });
    const before = await thisSecond(api);
    await flip(true);
    const { active, next_fire_at: next } = await readSchedule(api, made);
    expect(active).toBe(true);
    expect(next?.getTime()).toBeGreaterThan(before.getTime());
  });

  test('that races with a firing every second neither loses nor doubles a tick', async () => {
    // Caught up with, a tick counts however late a busy machine fires it.
    const configs = ['* * * * * *', '*/2 * * * * *'].map((cron) => ({ config: { cron, misfire: 'catch_up' } }));
    const made = await makeSchedule(api, { cron: '* * * * * *', misfire: 'catch_up' });
    const beside = await startTestApp(api);
    const stopping = new AbortController();
    const work = async ({ deps }: TestApp) => {
      while (!stopping.signal.aborted)
        if ((await claimTicks(deps, 10)).taken === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    const began = await secondsNow();
    const workers = [work(api), work(beside)];
    for (let n = 1; n <= 40; n += 1) {
      await edit(made, configs[n % 2] as object);
      await new Promise((resolve) => setTimeout(resolve, 60 + ((n * 37) % 90)));
    }
    const ended = await secondsNow();
    stopping.abort();
    await Promise.all(workers);
    await beside.close();
    while ((await claim()).taken > 0);
    const ticks = await readTicks(api, made);
    expect(await countFirings(api, made)).toEqual({ runs: ticks.length, letters: 0 });
    const times = ticks.map(({ fire_at: at }) => at.getTime() / 1_000);
    expect(new Set(times).size).toBe(times.length);
    // Both crons tick at every even second, whichever is in force: none of those may be missing.
    const seconds = Array.from({ length: Math.floor(ended) - Math.floor(began) }, (_, n) => Math.floor(began) + 1 + n);
    const even = seconds.filter((second) => second % 2 === 0);
    expect(even.length).toBeGreaterThanOrEqual(2);
    expect(even.filter((second) => !times.includes(second))).toEqual([]);
  });
});
