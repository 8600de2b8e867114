import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { addWorkflows, threeNodes } from './bench-workflow.ts';
import { note } from './figure.ts';
import { findFamily, processorSeconds } from './processes.ts';
import { significant, summarise, type Summary } from './stats.ts';
import { startWorkerProcess } from './worker-process.ts';

const limitMs = 300_000;
// Polling costs the database time that the ticks need.
const pollMs = 250;

export interface DueMinute {
  /** Milliseconds from the tick's time to the row that records its outcome, by the database's clock. */
  lateness: Summary;
  /** From the minute until the last of the ticks was visible from outside. */
  allSeenMs: number;
  /** From the minute to the end of the last run. */
  runsEndedMs: number;
  /** Processor time from the minute until all were visible, in microseconds a tick. */
  processorMicrosPerTick: Record<string, number>;
  ticks: number;
  runs: number;
  deadLetters: number;
  doubled: number;
  missing: number;
}

export interface DueSchedules {
  schedules: number;
  tenants: number;
  minutes: number;
  postgresPid: number;
}

/**
 * Makes schedules of every minute fall due together, `minutes` times, on one worker, in a migrated database. Every tick is verified: its
 * row, its run, and that there is one of each.
 */
export async function measureDueSchedules(
  databaseUrl: string,
  { schedules, tenants, minutes, postgresPid }: DueSchedules,
): Promise<DueMinute[]> {
  const blob = threeNodes('core:set', { values: { at: '{{ trigger.payload.scheduled_at }}' } });
  await addWorkflows(databaseUrl, { name: 'On time', blob, tenants });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const worker = await startWorkerProcess({ databaseUrl });
  try {
    await client.query(
      `WITH made AS (
         INSERT INTO triggers (tenant_id, workflow_id, type, name, config, updated_at)
         SELECT tenant_id, id, 'schedule', 'Every minute', '{"cron":"* * * * *","timezone":"Europe/Berlin","misfire":"catch_up"}', now()
         FROM workflows, generate_series(1, $1::int) RETURNING tenant_id, id, workflow_id
       )
       INSERT INTO schedules (tenant_id, trigger_id, workflow_id, cron, timezone, misfire, active)
       SELECT tenant_id, id, workflow_id, '* * * * *', 'Europe/Berlin', 'catch_up', true FROM made`,
      [schedules / tenants],
    );
    await client.query('ANALYZE');
    const planned = 'SELECT count(*)::int AS n FROM schedules WHERE next_fire_at IS NOT NULL';
    await untilCount(client, planned, [], schedules);
    const { rows } = await client.query<{ at: Date }>(
      `SELECT date_trunc('minute', max(next_fire_at)) AS at FROM schedules`,
    );
    const first = (rows[0] as { at: Date }).at.getTime();
    note(`${schedules} schedules are planned; the first minute is ${new Date(first).toISOString()}`);
    const measured: DueMinute[] = [];
    const pids = { worker: worker.pid, postgres: postgresPid };
    for (let n = 0; n < minutes; n += 1)
      measured.push(await measureMinute(client, new Date(first + n * 60_000), schedules, pids));
    return measured;
  } finally {
    await worker.stop();
    await client.end();
  }
}

async function measureMinute(
  client: pg.Client,
  at: Date,
  schedules: number,
  pids: Record<string, number>,
): Promise<DueMinute> {
  await delay(at.getTime() - (await readClock(client)));
  const used = () => Object.values(pids).map((pid) => processorSeconds(findFamily(pid)));
  const before = used();
  const seen = 'SELECT count(*)::int AS n FROM schedule_ticks WHERE fire_at = $1';
  await untilCount(client, seen, [at], schedules);
  const allSeenMs = (await readClock(client)) - at.getTime();
  const micros = used().map((seconds, n) => significant(((seconds - (before[n] ?? 0)) * 1e6) / schedules, 3));
  const ended = `SELECT count(*)::int AS n FROM schedule_ticks t JOIN runs r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
    WHERE t.fire_at = $1 AND r.status = 'succeeded'`;
  await untilCount(client, ended, [at], schedules);
  const { rows: ticks } = await client.query<{ late: number }>(
    'SELECT (extract(epoch FROM handled_at - fire_at) * 1000)::float8 AS late FROM schedule_ticks WHERE fire_at = $1',
    [at],
  );
  const { rows } = await client.query<{ runs: number; keys: number; letters: number; ended: number }>(
    `SELECT count(*)::int AS runs, count(DISTINCT r.trigger_id)::int AS keys,
       (SELECT count(*)::int FROM dead_letters) AS letters,
       (extract(epoch FROM max(r.completed_at) - $1::timestamptz) * 1000)::float8 AS ended
     FROM runs r JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id
     WHERE r.trigger_type = 'schedule' AND p.payload ->> 'scheduled_at' = $2`,
    [at, at.toISOString()],
  );
  const { runs, keys, letters, ended: endedMs } = rows[0] as (typeof rows)[number];
  const lateness = summarise(ticks.map(({ late }) => late));
  note(`${at.toISOString()}: p99 ${lateness.p99} ms, last seen after ${allSeenMs} ms, runs ended after ${endedMs} ms`);
  return {
    lateness,
    allSeenMs,
    runsEndedMs: endedMs,
    processorMicrosPerTick: Object.fromEntries(Object.keys(pids).map((name, n) => [name, micros[n] ?? 0])),
    ticks: ticks.length,
    runs,
    deadLetters: letters,
    doubled: runs - keys,
    missing: schedules - keys,
  };
}

async function readClock(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ at: Date }>('SELECT clock_timestamp() AS at');
  return (rows[0] as { at: Date }).at.getTime();
}

async function untilCount(client: pg.Client, query: string, values: unknown[], wanted: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const { rows } = await client.query<{ n: number }>(query, values);
    const { n } = rows[0] as { n: number };
    if (n >= wanted) return;
    if (performance.now() > deadline) throw new Error(`Only ${n} of ${wanted} were there in time: ${query}`);
    await delay(pollMs);
  }
}
