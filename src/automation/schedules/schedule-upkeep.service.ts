import type { Deps } from '#src/infra/deps.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { scheduleTickJob, tickJob, tickPriority } from './schedules.jobs.ts';
import { ticksOf } from './ticks.rules.ts';

const batch = 500;
const sweepBatch = 5_000;
const keptDays = 30;

/** How long a tick may be overdue before we check that its job still exists. */
const overdueAfter = '15 seconds';

/**
 * Repairs schedules: one whose overdue tick has no job (the queue was emptied by hand, a backup was restored, the job failed
 * permanently) gets a job, and one that was never planned is planned. Returns how many, at most a batch of each, and whether
 * there may be more. Safe to run anywhere at any time.
 */
export async function reconcileSchedules(deps: Deps): Promise<{ resent: number; planned: number; more: boolean }> {
  return deps.database.withSystem(async (client) => {
    if (!(await tryLockNamed(client, 'schedules'))) return { resent: 0, planned: 0, more: false };
    const { rows: clock } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    const { now } = clock[0] as { now: Date };

    const { rows: lost } = await client.query<{ tenant_id: string; trigger_id: number; next_fire_at: Date }>(
      `SELECT tenant_id, trigger_id, next_fire_at FROM schedules
       WHERE active AND next_fire_at < $1::timestamptz - interval '${overdueAfter}'
         AND (tenant_id, trigger_id, next_fire_at) NOT IN (
           SELECT data ->> 'tenantId', (data ->> 'triggerId')::bigint, (data ->> 'fireAt')::timestamptz FROM pgboss.job
           WHERE name = $2 AND state < 'active' AND NOT blocked AND priority >= $3
         )
       ORDER BY next_fire_at LIMIT ${batch}`,
      [now, scheduleTickJob.name, tickPriority(now)],
    );
    const jobs = lost.map((row) =>
      tickJob({ tenantId: row.tenant_id, triggerId: row.trigger_id, fireAt: row.next_fire_at }),
    );

    const { rows: unplanned } = await client.query<{
      tenant_id: string;
      trigger_id: number;
      cron: string;
      timezone: string;
    }>(
      `SELECT tenant_id, trigger_id, cron, timezone FROM schedules WHERE active AND next_fire_at IS NULL
       ORDER BY tenant_id, trigger_id LIMIT ${batch} FOR UPDATE SKIP LOCKED`,
    );
    const next = unplanned.map((row) => nextTick(deps, row, now));
    next.forEach((fireAt, index) => {
      const row = unplanned[index] as (typeof unplanned)[number];
      if (fireAt) jobs.push(tickJob({ tenantId: row.tenant_id, triggerId: row.trigger_id, fireAt }));
    });
    if (unplanned.length > 0) {
      await client.query(
        `UPDATE schedules s SET next_fire_at = t.next_fire_at, active = t.next_fire_at IS NOT NULL
         FROM unnest($1::text[], $2::bigint[], $3::timestamptz[]) AS t(tenant_id, trigger_id, next_fire_at)
         WHERE s.tenant_id = t.tenant_id AND s.trigger_id = t.trigger_id`,
        [unplanned.map((row) => row.tenant_id), unplanned.map((row) => row.trigger_id), next],
      );
    }
    await deps.jobs.insert(scheduleTickJob, jobs, { tx: client });
    return { resent: lost.length, planned: unplanned.length, more: Math.max(lost.length, unplanned.length) === batch };
  });
}

/** Null when the schedule cannot be read: it is switched off, so that it does not come up again and again. */
function nextTick(
  { log }: Deps,
  {
    tenant_id: tenantId,
    trigger_id: triggerId,
    cron,
    timezone,
  }: { tenant_id: string; trigger_id: number; cron: string; timezone: string },
  now: Date,
): Date | null {
  try {
    const next = ticksOf(cron, timezone).next(now.getTime());
    if (next !== undefined) return new Date(next);
  } catch (error) {
    log.error({ err: error, tenantId, triggerId, cron, timezone }, 'A schedule cannot be read; it was switched off.');
  }
  return null;
}

/** Deletes a batch of old tick records and returns whether there may be more. */
export async function sweepTicks({ database }: Deps): Promise<boolean> {
  const { rowCount } = await database.system.query(
    `DELETE FROM schedule_ticks WHERE (tenant_id, trigger_id, fire_at) IN (
       SELECT tenant_id, trigger_id, fire_at FROM schedule_ticks WHERE handled_at < now() - interval '${keptDays} days'
       ORDER BY handled_at LIMIT ${sweepBatch}
     )`,
  );
  return rowCount === sweepBatch;
}
