import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { cachedTicks } from '#src/infra/cron/ticks.ts';
import type { Deps } from '#src/infra/deps.ts';
import { ConflictError } from '#src/infra/errors.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { fireTicks } from './schedule-firing.service.ts';
import { type PlannedTick, scheduleTickJob, tickJob } from './schedules.declarations.ts';
import { scheduleConfig } from './schedules.inputs.ts';
import { findDue, type LockedSchedule, lockSchedules, type ScheduleKey } from './schedules.store.ts';

/** Error when more ticks are missed than can be fired before the change. */
class TicksDueError extends ConflictError {
  constructor() {
    super('The schedule has missed ticks, which are still being fired. Repeat the change in a minute.');
  }
}

const settlePasses = 20;

/**
 * Runs a transaction that changes or deletes schedules, under locks on them, after firing everything due when it was called:
 * a change neither loses a tick nor applies the new times to it. A tick that falls due while waiting for the lock follows the
 * changed schedule, so even a schedule that ticks every second is changed at the first attempt.
 */
export async function betweenTicks<T>(
  deps: Pick<Deps, 'database' | 'log'> & RunQueue,
  key: ScheduleKey,
  work: (tx: TenantTx) => Promise<T>,
): Promise<T> {
  const called = await fireDue(deps, key);
  return deps.database.withTenant(key.tenantId, async (tx) => {
    const { rows } = await lockSchedules(tx, key);
    if (rows.some((row) => isDue(row, called))) throw new TicksDueError();
    return work(tx);
  });
}

/** Fires everything due at the time of the call and returns that time, by the database's clock. */
async function fireDue(deps: Pick<Deps, 'database' | 'log'> & RunQueue, key: ScheduleKey): Promise<number> {
  const { database } = deps;
  let called: Date | undefined;
  for (let pass = 0; ; pass += 1) {
    const found = await findDue(database, key, called);
    called = found.called;
    if (found.ticks.length === 0 || pass === settlePasses) return called.getTime();
    await database.withSystem((client) => fireTicks(client, deps, found.ticks, { wait: true }));
  }
}

/**
 * Brings schedules in line with their triggers and workflows, in the transaction of the change: creates, updates and deletes
 * rows and plans the next tick of changed ones. An unchanged schedule keeps its next tick.
 */
export async function planSchedules(deps: RunQueue, tx: TenantTx, key: ScheduleKey): Promise<void> {
  const { tenantId } = key;
  const { rows, now } = await lockSchedules(tx, key);
  const present = new Map(rows.map((row) => [row.trigger_id, row]));
  const triggers = await tx.trigger.findMany({
    where: { tenantId, ...('triggerId' in key ? { id: key.triggerId } : { workflowId: key.workflowId }) },
    select: {
      id: true,
      type: true,
      config: true,
      active: true,
      workflowId: true,
      workflow: { select: { active: true } },
    },
    orderBy: { id: 'asc' },
  });
  const planned: PlannedTick[] = [];
  for (const { id: triggerId, workflowId, ...trigger } of triggers) {
    const row = present.get(Number(triggerId));
    const place = { tenantId_triggerId: { tenantId, triggerId } };
    const config = trigger.type === 'schedule' ? scheduleConfig.safeParse(trigger.config).data : undefined;
    if (!config) {
      if (row) await tx.schedule.delete({ where: place });
      continue;
    }
    const { cron, timezone, misfire } = config;
    const active = trigger.active && trigger.workflow.active;
    // It fell due after the change was requested, so it becomes the first of the new times if it is one of them.
    const from = row && isDue(row, now) ? row.next_fire_at.getTime() - 1 : now;
    const isSameTime = row?.cron === cron && row.timezone === timezone && row.active === active;
    if (isSameTime && row.misfire === misfire) continue;
    const next = active ? cachedTicks(cron, timezone).next(from) : undefined;
    const nextFireAt = isSameTime ? row.next_fire_at : next === undefined ? null : new Date(next);
    const data = { cron, timezone, misfire, active, nextFireAt, updatedAt: new Date(now) };
    await tx.schedule.upsert({ where: place, create: { tenantId, triggerId, workflowId, ...data }, update: data });
    if (nextFireAt && !isSameTime) planned.push({ tenantId, triggerId: Number(triggerId), fireAt: nextFireAt });
  }
  await deps.jobs.insert(
    scheduleTickJob,
    planned.map((tick) => tickJob(tick)),
    { tx },
  );
}

const isDue = (row: LockedSchedule, now: number): row is LockedSchedule & { next_fire_at: Date } =>
  row.active && row.next_fire_at !== null && row.next_fire_at.getTime() <= now;
