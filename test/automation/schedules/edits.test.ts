import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { claimTicks } from '#src/automation/schedules/schedule-claims.service.ts';
import { betweenTicks, planSchedules } from '#src/automation/schedules/schedules.service.ts';
import { deleteTrigger, updateTrigger } from '#src/automation/triggers/triggers.service.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { test } from '#test/setup/app-test.ts';
import type { TestApp } from '#test/setup/app.ts';
import { actor, forgetSchedules, type Made, makeSchedule, readSchedule, readTicks } from './schedules.ts';

let api: TestApp;
test.beforeEach(async ({ api: started }) => {
  api = started;
  await forgetSchedules(api);
});

const everySecond = '* * * * * *';
/** The same times in other words, so that the edit plans anew. */
const reworded = '*/1 * * * * *';
const toKey = ({ tenantId, triggerId }: Made) => ({ tenantId, triggerId: BigInt(triggerId) });
const config = (cron: string) => ({ cron, timezone: 'UTC', misfire: 'catch_up' });

/** Fires due ticks until the given number is recorded. A late tick is caught up. */
async function fireUntil(made: Made, count: number) {
  for (;;) {
    const ticks = await readTicks(api, made);
    if (ticks.length >= count) return ticks;
    if ((await claimTicks(api.deps, 10)).taken === 0) await delay(100);
  }
}

/** Returns when a tick has just been fired, and the next is most of a second away. */
async function untilJustFired(made: Made): Promise<void> {
  for (;;) {
    await claimTicks(api.deps, 10);
    const { next_fire_at: next } = await readSchedule(api, made);
    const { rows } = await api.database.system.query(`SELECT $1 - clock_timestamp() > interval '0.7 s' AS far`, [next]);
    if (rows[0].far) return;
    await delay(50);
  }
}

const gaps = (ticks: { fire_at: Date }[]): number[] =>
  ticks.slice(1).map(({ fire_at: at }, index) => at.getTime() - (ticks[index] as { fire_at: Date }).fire_at.getTime());

/** Locks the schedule like a firing does, until the returned function is called. */
async function hold(made: Made): Promise<() => Promise<void>> {
  const client = await api.database.system.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM schedules WHERE trigger_id = $1 FOR UPDATE', [made.triggerId]);
  return async () => {
    await client.query('COMMIT');
    client.release();
  };
}

/** Resolves once the next tick of the schedule is due. */
async function untilDue(made: Made): Promise<Date> {
  const { next_fire_at: next } = await readSchedule(api, made);
  for (;;) {
    const { rows } = await api.database.system.query('SELECT clock_timestamp() > $1 AS due', [next]);
    if (rows[0].due) return next as Date;
    await delay(50);
  }
}

describe('an edit of a schedule of every second', () => {
  test('wins although a tick becomes due meanwhile, and no tick is lost or doubled', async () => {
    const made = await makeSchedule(api, config(everySecond));
    await fireUntil(made, 1);
    await betweenTicks(api.deps, toKey(made), async (tx: TenantTx) => {
      await untilDue(made);
      await tx.trigger.update({
        where: { tenantId_id: { tenantId: made.tenantId, id: BigInt(made.triggerId) } },
        data: { config: config(reworded) },
      });
      await planSchedules(api.deps, tx, toKey(made));
    });
    expect((await readSchedule(api, made)).cron).toBe(reworded);
    const ticks = await fireUntil(made, 4);
    expect(ticks.every(({ outcome }) => outcome === 'run')).toBe(true);
    expect(new Set(gaps(ticks))).toEqual(new Set([1_000]));
  });

  test("wins although it waited for a tick's lock", async () => {
    const made = await makeSchedule(api, config(everySecond));
    await untilJustFired(made);
    const release = await hold(made);
    const edit = updateTrigger(api.deps, actor, { id: BigInt(made.triggerId) }, { config: config(reworded) });
    await untilDue(made);
    await release();
    await edit;
    expect((await readSchedule(api, made)).cron).toBe(reworded);
    expect(new Set(gaps(await fireUntil(made, 4)))).toEqual(new Set([1_000]));
  });

  test('to other times takes effect from the time of the request', async () => {
    const made = await makeSchedule(api, config(everySecond));
    await untilJustFired(made);
    const release = await hold(made);
    const edit = updateTrigger(api.deps, actor, { id: BigInt(made.triggerId) }, { config: config('0 0 1 1 *') });
    const missed = await untilDue(made);
    await release();
    await edit;
    expect((await readSchedule(api, made)).next_fire_at?.toISOString()).toMatch(/-01-01T00:00:00.000Z$/);
    const before = (await readTicks(api, made)).length;
    while ((await claimTicks(api.deps, 10)).taken > 0);
    const ticks = await readTicks(api, made);
    expect(ticks).toHaveLength(before);
    expect(ticks.map(({ fire_at: at }) => at.getTime())).not.toContain(missed.getTime());
  });

  test('wins against workers that keep firing it', async () => {
    const made = await makeSchedule(api, config(everySecond));
    const stopping = new AbortController();
    const worker = (async () => {
      while (!stopping.signal.aborted) if ((await claimTicks(api.deps, 10)).taken === 0) await delay(3);
    })();
    const until = Date.now() + 3_000;
    for (let n = 0; Date.now() < until; n += 1) {
      await updateTrigger(
        api.deps,
        actor,
        { id: BigInt(made.triggerId) },
        { config: config(n % 2 ? reworded : everySecond) },
      );
    }
    await deleteTrigger(api.deps, actor, { id: BigInt(made.triggerId) });
    stopping.abort();
    await worker;
    const ticks = await readTicks(api, made);
    expect(ticks.length).toBeGreaterThan(1);
    expect(new Set(gaps(ticks))).toEqual(new Set([1_000]));
  });
});
