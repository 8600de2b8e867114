import { cachedTicks } from '#src/infra/cron/ticks.ts';
import type { Deps } from '#src/infra/deps.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { moveOn } from './schedule-firing.store.ts';
import { findLostTicks, lockUnplanned, type UnplannedSchedule } from './schedule-upkeep.store.ts';
import { scheduleTickJob, tickJob } from './schedules.declarations.ts';
import { readClock } from './schedules.store.ts';

const batch = 500;

/**
 * Repairs schedules: one whose overdue tick has no job (the queue was emptied by hand, a backup was restored, the job failed
 * permanently) gets a job, and one that was never planned is planned. Returns how many, at most a batch of each, and whether
 * there may be more. Safe to run anywhere at any time.
 */
export async function reconcileSchedules(deps: Deps): Promise<{ resent: number; planned: number; more: boolean }> {
  return deps.database.withSystem(async (client) => {
    if (!(await tryLockNamed(client, 'schedules'))) return { resent: 0, planned: 0, more: false };
    const now = await readClock(client);
    const lost = await findLostTicks(client, now, batch);
    const jobs = lost.map((row) =>
      tickJob({ tenantId: row.tenant_id, triggerId: row.trigger_id, fireAt: row.next_fire_at }),
    );

    const unplanned = await lockUnplanned(client, batch);
    const planned = unplanned.map((row) => ({ ...row, next: nextTick(deps, row, now), firedAt: null, runId: null }));
    for (const { tenant_id: tenantId, trigger_id: triggerId, next: fireAt } of planned)
      if (fireAt) jobs.push(tickJob({ tenantId, triggerId, fireAt }));
    if (planned.length > 0) await moveOn(client, planned);
    await deps.jobs.insert(scheduleTickJob, jobs, { tx: client });
    return { resent: lost.length, planned: unplanned.length, more: Math.max(lost.length, unplanned.length) === batch };
  });
}

/** Null when the schedule cannot be read: it is switched off, so that it is not found again. */
function nextTick(
  { log }: Deps,
  { tenant_id: tenantId, trigger_id: triggerId, cron, timezone }: UnplannedSchedule,
  now: Date,
): Date | null {
  try {
    const next = cachedTicks(cron, timezone).next(now.getTime());
    if (next !== undefined) return new Date(next);
  } catch (error) {
    log.error({ err: error, tenantId, triggerId, cron, timezone }, 'A schedule cannot be read; it was switched off.');
  }
  return null;
}
