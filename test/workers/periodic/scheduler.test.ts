import { describe, expect } from 'vitest';
import { reconcileSchedules } from '#src/automation/schedules/schedule-upkeep.service.ts';
import { sweepTicks } from '#src/automation/schedules/schedule-upkeep.store.ts';
import { updateTrigger } from '#src/automation/triggers/triggers.service.ts';
import {
  actor,
  countFirings,
  forgetSchedules,
  leapDays,
  makeSchedule,
  moveNextTick,
  readJobs,
  readSchedule,
  readTicks,
  thisSecond,
  until,
} from '#test/automation/schedules/schedules.ts';
import { test } from '#test/setup/app-test.ts';
import { startTestApp, type TestApp } from '#test/setup/app.ts';
import { startTestEngine } from '#test/setup/engine.ts';
import { startScheduler } from '#workers/periodic/scheduler.ts';

let api: TestApp;
test.beforeEach(async ({ api: started }) => {
  api = started;
  await forgetSchedules(api);
});

const overdueBy = (seconds: number) =>
  api.database.system.query(
    `UPDATE schedules SET next_fire_at = date_trunc('second', clock_timestamp()) - $1 * interval '1 second'`,
    [seconds],
  );

describe('a scheduler', () => {
  test('fires every second, on the second, and the runs end', async () => {
    const [scheduler, engine] = [startScheduler(api.deps), await startTestEngine(api)];
    try {
      const made = await makeSchedule(api, { cron: '* * * * * *' });
      await until(
        () => readTicks(api, made),
        (ticks) => ticks.length >= 3,
      );
      await updateTrigger(api.deps, actor, { id: BigInt(made.triggerId) }, { active: false });
      const ticks = await readTicks(api, made);
      const times = ticks.map(({ fire_at: at }) => at.getTime());
      expect(times).toEqual(times.map((_, n) => (times[0] as number) + n * 1_000));
      const ended = () =>
        api.database.system.query<{ n: number }>(
          `SELECT count(*) AS n FROM runs WHERE trigger_handle = $1 AND status = 'succeeded'`,
          [made.handle],
        );
      await until(ended, ({ rows }) => rows[0]?.n === ticks.length);
    } finally {
      await scheduler.stop();
      await engine.stop();
    }
  });

  test('shares the ticks with others, and each fires once', async () => {
    const beside = await startTestApp(api);
    const made = await Promise.all(Array.from({ length: 10 }, () => makeSchedule(api, { cron: '* * * * * *' })));
    const schedulers = [startScheduler(api.deps), startScheduler(beside.deps)];
    try {
      for (const one of made)
        await until(
          () => readTicks(api, one),
          (ticks) => ticks.length >= 3,
        );
    } finally {
      await Promise.all(schedulers.map((one) => one.stop()));
      await beside.close();
    }
    for (const one of made) {
      const ticks = await readTicks(api, one);
      expect(ticks.every(({ outcome }) => outcome === 'run')).toBe(true);
      expect(await countFirings(api, one)).toEqual({ runs: ticks.length, letters: 0 });
      const times = ticks.map(({ fire_at: at }) => at.getTime());
      expect(times).toEqual(times.map((_, n) => (times[0] as number) + n * 1_000));
    }
  });

  test('takes over from one that died in the middle of a batch', async () => {
    const made = await makeSchedule(api, { cron: leapDays });
    await moveNextTick(api, made, await thisSecond(api));
    const dead = await api.database.system.connect();
    await dead.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0');
    const { rows } = await dead.query<{ pid: number }>(
      `UPDATE pgboss.job SET state = 'active' WHERE name = 'automation.schedule.tick' RETURNING pg_backend_pid() AS pid`,
    );
    await dead.query('SELECT 1 FROM schedules FOR UPDATE');
    const scheduler = startScheduler(api.deps);
    try {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await countFirings(api, made)).toEqual({ runs: 0, letters: 0 });
      await owner(`SELECT pg_terminate_backend(${rows[0]?.pid})`);
      await until(
        () => countFirings(api, made),
        ({ runs }) => runs > 0,
      );
      expect(await countFirings(api, made)).toEqual({ runs: 1, letters: 0 });
    } finally {
      dead.release(true);
      await scheduler.stop();
    }
  });

  test('fires the rest if one tick cannot be fired, and retries that one later', async () => {
    const made = await Promise.all(Array.from({ length: 6 }, () => makeSchedule(api, { cron: leapDays })));
    const at = await thisSecond(api);
    for (const one of made) await moveNextTick(api, one, at);
    const [poison, ...rest] = made as [(typeof made)[number], ...typeof made];
    await owner(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'No run for you.'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON schedule_ticks FOR EACH ROW WHEN (NEW.trigger_id = ${poison.triggerId}) EXECUTE FUNCTION refuse()`,
    );
    const scheduler = startScheduler(api.deps);
    try {
      for (const one of rest)
        await until(
          () => countFirings(api, one),
          ({ runs }) => runs === 1,
        );
      await until(
        async () => api.logLines,
        (lines) => lines.some((line) => line.includes('was put aside')),
      );
      expect(await countFirings(api, poison)).toEqual({ runs: 0, letters: 0 });
      await owner('DROP TRIGGER refuse ON schedule_ticks');
      // The retry is seconds away; it is brought forward.
      const bringForward = () =>
        api.database.system.query(
          `UPDATE pgboss.job SET start_after = clock_timestamp() WHERE name = 'automation.schedule.tick' AND state = 'retry'
           AND start_after > clock_timestamp() + interval '2 s'`,
        );
      await until(bringForward, ({ rowCount }) => rowCount === 1);
      await until(
        () => countFirings(api, poison),
        ({ runs }) => runs === 1,
      );
    } finally {
      await scheduler.stop();
    }
    expect(await readTicks(api, poison)).toMatchObject([{ outcome: 'run', fire_at: at }]);
  });
});

/** A statement as the owner of the tables. */
async function owner(statement: string): Promise<void> {
  await api.database.withSystem(async (client) => {
    await client.query('SET LOCAL ROLE NONE');
    await client.query(statement);
  });
}

describe('upkeep', () => {
  test('queues another job, once, for a due tick whose job was lost', async () => {
    const made = await makeSchedule(api, { cron: leapDays });
    await api.database.system.query(`DELETE FROM pgboss.job WHERE name = 'automation.schedule.tick'`);
    await overdueBy(0);
    expect(await reconcileSchedules(api.deps)).toMatchObject({ resent: 0 });
    await overdueBy(20);
    expect(await reconcileSchedules(api.deps)).toMatchObject({ resent: 1, more: false });
    expect(await reconcileSchedules(api.deps)).toMatchObject({ resent: 0 });
    const { next_fire_at: next } = await readSchedule(api, made);
    expect(await readJobs(api, made)).toEqual([next?.toISOString()]);
    const scheduler = startScheduler(api.deps);
    try {
      await until(
        () => countFirings(api, made),
        ({ runs }) => runs === 1,
      );
    } finally {
      await scheduler.stop();
    }
  });

  test('plans unplanned schedules, for example after an upgrade, and disables invalid ones', async () => {
    const made = await Promise.all(Array.from({ length: 3 }, () => makeSchedule(api, { cron: '0 12 * * *' })));
    await api.database.system.query('UPDATE schedules SET next_fire_at = NULL');
    await api.database.system.query(`UPDATE schedules SET cron = 'x' WHERE trigger_id = $1`, [made[2]?.triggerId]);
    expect(await reconcileSchedules(api.deps)).toMatchObject({ planned: 3 });
    const states = await Promise.all(made.map((one) => readSchedule(api, one)));
    expect(states.map(({ active, next_fire_at: next }) => [active, next?.getUTCHours()])).toEqual([
      [true, 12],
      [true, 12],
      [false, undefined],
    ]);
    expect(await reconcileSchedules(api.deps)).toMatchObject({ planned: 0, resent: 0 });
  });

  test('deletes ticks after thirty days', async () => {
    const made = await makeSchedule(api, { cron: '0 12 * * *' });
    await api.database.system.query(
      `INSERT INTO schedule_ticks (tenant_id, trigger_id, fire_at, outcome, handled_at)
       SELECT 'acme-shop', $1, now() - n * interval '1 day', 'skipped', now() - n * interval '1 day' FROM generate_series(1, 60) AS n`,
      [made.triggerId],
    );
    expect(await sweepTicks(api.deps)).toBe(false);
    const left = await readTicks(api, made);
    expect(left).toHaveLength(29);
  });
});
