import { triggerConfigs } from '#src/automation/triggers/triggers.inputs.ts';
import { createTrigger } from '#src/automation/triggers/triggers.service.ts';
import { systemActor } from '#src/infra/deps.ts';
import type { TestApp } from '#test/setup/app.ts';
import { node, readyWorkflow } from '#test/setup/engine.ts';

export const actor = systemActor('acme', 'acme-shop');

export interface Made {
  tenantId: string;
  workflowId: number;
  triggerId: number;
  handle: string;
}

/** A ready workflow with a schedule trigger, made as the graph makes it. */
export async function makeSchedule(
  api: TestApp,
  config: { cron: string; timezone?: string; misfire?: string },
): Promise<Made> {
  const { workflowId } = await readyWorkflow(api, {
    nodes: [node('only', 'set', { values: { at: '{{ trigger.payload.scheduled_at }}' } })],
  });
  const parsed = triggerConfigs.schedule.parse(config);
  const trigger = await createTrigger(api.deps, actor, BigInt(workflowId), {
    type: 'schedule',
    name: 'On time',
    config: parsed,
  });
  return { tenantId: 'acme-shop', workflowId, triggerId: Number(trigger.id), handle: trigger.handle };
}

/** Forgets what earlier tests of the file left: a claim takes every schedule that is due. */
export async function forgetSchedules({ database, logLines }: TestApp): Promise<void> {
  await database.withSystem(async (client) => {
    await client.query('SET LOCAL ROLE NONE');
    await client.query(`DELETE FROM pgboss.job WHERE name = 'automation.schedule.tick'`);
    await client.query('DELETE FROM schedules');
  });
  logLines.length = 0;
}

export interface ScheduleState {
  cron: string;
  active: boolean;
  next_fire_at: Date | null;
  last_fired_at: Date | null;
  last_run_id: number | null;
}

export async function readSchedule(api: TestApp, { triggerId }: Pick<Made, 'triggerId'>): Promise<ScheduleState> {
  const { rows } = await api.database.system.query<ScheduleState>(
    'SELECT cron, active, next_fire_at, last_fired_at, last_run_id FROM schedules WHERE trigger_id = $1',
    [triggerId],
  );
  if (!rows[0]) throw new Error(`There is no schedule of trigger ${triggerId}.`);
  return rows[0];
}

export interface TickState {
  fire_at: Date;
  outcome: string;
  skipped_until: Date | null;
  run_id: number | null;
  dead_letter_id: number | null;
}

export async function readTicks(api: TestApp, { triggerId }: Pick<Made, 'triggerId'>): Promise<TickState[]> {
  const { rows } = await api.database.system.query<TickState>(
    'SELECT fire_at, outcome, skipped_until, run_id, dead_letter_id FROM schedule_ticks WHERE trigger_id = $1 ORDER BY fire_at',
    [triggerId],
  );
  return rows;
}

/** How many runs and dead letters a trigger has. */
export async function countFirings(
  api: TestApp,
  { handle }: Pick<Made, 'handle'>,
): Promise<{ runs: number; letters: number }> {
  const { rows } = await api.database.system.query<{ runs: number; letters: number }>(
    `SELECT (SELECT count(*) FROM runs WHERE trigger_handle = $1) AS runs,
       (SELECT count(*) FROM dead_letters WHERE trigger_handle = $1) AS letters`,
    [handle],
  );
  return rows[0] as { runs: number; letters: number };
}

/** Lets time pass for one schedule: its next tick, and the job about it, move to `at`. */
export async function moveNextTick(api: TestApp, made: Pick<Made, 'triggerId'>, at: Date): Promise<void> {
  await api.database.withSystem(async (client) => {
    await client.query('UPDATE schedules SET next_fire_at = $2 WHERE trigger_id = $1', [made.triggerId, at]);
    await client.query(
      `UPDATE pgboss.job SET start_after = $2::timestamptz, priority = 0, data = data || jsonb_build_object('fireAt', $3::text)
       WHERE name = 'automation.schedule.tick' AND state < 'active' AND data ->> 'triggerId' = $1::text`,
      [String(made.triggerId), at, at.toISOString()],
    );
  });
}

/** Jobs about a schedule that wait in the queue, by the tick they are about. */
export async function readJobs(api: TestApp, { triggerId }: Pick<Made, 'triggerId'>): Promise<string[]> {
  const { rows } = await api.database.system.query<{ fire_at: string }>(
    `SELECT data ->> 'fireAt' AS fire_at FROM pgboss.job
     WHERE name = 'automation.schedule.tick' AND state < 'active' AND data ->> 'triggerId' = $1 ORDER BY 1`,
    [String(triggerId)],
  );
  return rows.map((row) => row.fire_at);
}

/** Ticks so rarely that no tick falls due in the middle of a test, however long that takes: those that are moved stay alone. */
export const leapDays = '0 0 29 2 *';

/** The database's present second. */
export const thisSecond = (api: TestApp): Promise<Date> => readTime(api, `date_trunc('second', now())`);

/** The database's time to the minute, so many minutes ago. */
export const minutesAgo = (api: TestApp, minutes: number): Promise<Date> =>
  readTime(api, `date_trunc('minute', now()) - ${minutes} * interval '1 minute'`);

async function readTime(api: TestApp, expression: string): Promise<Date> {
  const { rows } = await api.database.system.query<{ at: Date }>(`SELECT ${expression} AS at`);
  return (rows[0] as { at: Date }).at;
}

export async function until<T>(read: () => Promise<T>, isWanted: (value: T) => boolean, limitMs = 60_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > deadline) throw new Error(`It did not come to be as wanted: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
