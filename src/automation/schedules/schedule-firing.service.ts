import { accept, type Fired, type Firing } from '#src/automation/firings/firings.service.ts';
import type { RunQueue } from '#src/automation/runs/run-queue.service.ts';
import { cachedTicks } from '#src/infra/cron/ticks.ts';
import { type Deps, systemActor } from '#src/infra/deps.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { type Settlement, settleTicks } from './misfire.rules.ts';
import {
  type DueSchedule,
  findHandled,
  findStillNext,
  insertTicks,
  lockDue,
  moveOn,
  type TickRow,
} from './schedule-firing.store.ts';
import { type PlannedTick, scheduleTickJob, tickJob } from './schedules.declarations.ts';

interface Settled extends Settlement {
  schedule: DueSchedule;
}

/** A tick that fires. */
interface Tick {
  schedule: DueSchedule;
  at: number;
}

// A transaction with more firings would hold its locks too long; the rest goes into the next one.
const firingsPerBatch = 1_000;
/** When to retry a schedule that another transaction is changing. */
const busyMs = 1_000;

export interface FireOptions {
  /** Wait for schedules that another transaction has locked, instead of retrying them later. */
  wait?: boolean;
  /** Replaces the database's clock in tests. */
  now?: Date;
}

/**
 * Fires planned ticks that are due, in the caller's transaction (as causeway_system). Each becomes a run or a dead letter, or
 * is skipped under its schedule's misfire policy, and the next tick is planned. A tick that is no longer its schedule's next
 * one is stale and ignored. Returns how many fired.
 */
export async function fireTicks(
  client: SystemTx,
  deps: Pick<Deps, 'log'> & RunQueue,
  planned: PlannedTick[],
  { wait = false, now }: FireOptions = {},
): Promise<number> {
  // Two jobs for the same tick count once. Of two ticks of one schedule, at least one is stale.
  const wanted = [...new Map(planned.map((tick) => [tickKey(tick), tick])).values()];
  const due = await lockDue(client, wanted, { wait, ...(now && { now }) });
  const later: ReturnType<typeof tickJob>[] = [];
  const settled = settle(deps, due, later);
  await fire(client, deps, settled);
  if (!wait && due.length < wanted.length) later.push(...(await findBusy(client, wanted, due)));
  await deps.jobs.insert(
    scheduleTickJob,
    [...later, ...settled.flatMap(({ schedule, next }) => (next === null ? [] : [tickJob(planTick(schedule, next))]))],
    { tx: client },
  );
  return settled.reduce((sum, one) => sum + one.fire.length, 0);
}

const tickKey = ({ tenantId, triggerId, fireAt }: PlannedTick): string =>
  `${tenantId}/${triggerId}/${fireAt.getTime()}`;

const planTick = ({ tenant_id: tenantId, trigger_id: triggerId }: DueSchedule, at: number): PlannedTick => ({
  tenantId,
  triggerId,
  fireAt: new Date(at),
});

/** Decides each schedule's ticks; those that do not fit this batch, or are not due yet, come later. */
function settle(
  deps: Pick<Deps, 'log'> & RunQueue,
  due: DueSchedule[],
  later: ReturnType<typeof tickJob>[],
): Settled[] {
  const settled: Settled[] = [];
  let firings = 0;
  for (const schedule of due) {
    const at = schedule.next_fire_at.getTime();
    const now = schedule.now.getTime();
    if (at > now || firings >= firingsPerBatch) {
      later.push(tickJob(planTick(schedule, at)));
      continue;
    }
    const { tenant_id: tenantId, trigger_id: triggerId, cron, timezone } = schedule;
    try {
      const settlement = settleTicks(cachedTicks(cron, timezone), schedule.misfire, at, now);
      firings += settlement.fire.length;
      settled.push({ schedule, ...settlement });
    } catch (error) {
      // An unreadable schedule must not block the others. Its planned tick still counts.
      deps.log.error(
        { err: error, tenantId, triggerId, cron, timezone },
        'A schedule cannot be read; it was switched off.',
      );
      settled.push({ schedule, fire: [at], skipped: null, next: null });
    }
  }
  return settled;
}

async function fire(client: SystemTx, deps: Pick<Deps, 'log'> & RunQueue, settled: Settled[]): Promise<void> {
  if (settled.length === 0) return;
  const ticks = settled.flatMap(({ schedule, fire: times }) => times.map((at): Tick => ({ schedule, at })));
  const fresh = ticks.length === 0 ? [] : await withoutHandled(client, ticks);
  const answers = fresh.length === 0 ? [] : await accept(client, deps, fresh.map(toFiring));
  await recordTicks(client, deps, settled, fresh, answers);
  await planNext(client, settled, fresh, answers);
}

/** After a database restore or a clock change, a tick that was already handled may come up again. */
async function withoutHandled(client: SystemTx, ticks: Tick[]): Promise<Tick[]> {
  const handled = await findHandled(
    client,
    ticks.map(({ schedule, at }) => planTick(schedule, at)),
  );
  return ticks.filter((_, index) => !handled.has(index));
}

const toFiring = ({ schedule, at }: Tick): Firing => ({
  actor: systemActor(schedule.org_id, schedule.tenant_id, 'schedule'),
  handle: schedule.handle,
  type: 'schedule',
  workflowId: schedule.workflow_id,
  payload: {
    scheduled_at: new Date(at).toISOString(),
    fired_at: schedule.now.toISOString(),
    timezone: schedule.timezone,
    cron: schedule.cron,
  },
  capture: true,
});

async function recordTicks(
  client: SystemTx,
  deps: Pick<Deps, 'log'> & RunQueue,
  settled: Settled[],
  fresh: Tick[],
  answers: Fired[],
): Promise<void> {
  const rows: TickRow[] = settled.flatMap(({ schedule, skipped }) => {
    if (skipped === null) return [];
    return [{ ...planTick(schedule, skipped.from), ...skippedTick, until: new Date(skipped.until) }];
  });
  fresh.forEach(({ schedule, at }, index) => {
    const fired = answers[index] as Fired;
    const planned = planTick(schedule, at);
    if (fired.outcome === 'run') rows.push({ ...planned, ...skippedTick, outcome: 'run', runId: fired.runId });
    else if (fired.outcome === 'dead_letter')
      rows.push({ ...planned, ...skippedTick, outcome: 'dead_letter', deadLetterId: fired.deadLetterId });
    else {
      deps.log.error({ ...planned, fired }, 'A schedule without an active trigger ticked; nothing was fired.');
      rows.push({ ...planned, ...skippedTick });
    }
  });
  await insertTicks(client, rows);
}

const skippedTick = { outcome: 'skipped', until: null, runId: null, deadLetterId: null } as const;

/** Plans the next tick and records the last firing. A schedule without a next tick is finished. */
async function planNext(client: SystemTx, settled: Settled[], fresh: Tick[], answers: Fired[]): Promise<void> {
  const fired = new Set<DueSchedule>();
  const lastRuns = new Map<DueSchedule, number>();
  fresh.forEach(({ schedule }, index) => {
    const answer = answers[index] as Fired;
    if (answer.outcome === 'run') lastRuns.set(schedule, answer.runId);
    if (answer.outcome === 'run' || answer.outcome === 'dead_letter') fired.add(schedule);
  });
  await moveOn(
    client,
    settled.map(({ schedule, next }) => ({
      ...schedule,
      next: next === null ? null : new Date(next),
      firedAt: fired.has(schedule) ? schedule.now : null,
      runId: lastRuns.get(schedule) ?? null,
    })),
  );
}

/** Due schedules that another transaction had locked. They are retried in a moment. */
async function findBusy(
  client: SystemTx,
  planned: PlannedTick[],
  due: DueSchedule[],
): Promise<ReturnType<typeof tickJob>[]> {
  const had = new Set(due.map((row) => `${row.tenant_id}/${row.trigger_id}`));
  const rows = await findStillNext(
    client,
    planned.filter(({ tenantId, triggerId }) => !had.has(`${tenantId}/${triggerId}`)),
  );
  return rows.map(({ tenant_id: tenantId, trigger_id: triggerId, fire_at: fireAt, now }) =>
    tickJob({ tenantId, triggerId, fireAt }, new Date(now.getTime() + busyMs)),
  );
}
