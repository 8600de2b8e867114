import type { MisfirePolicy } from '#prisma/enums.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { PlannedTick } from './schedules.declarations.ts';

/** The schedule of one trigger, or all of one workflow's. */
export type ScheduleKey = { tenantId: string } & ({ triggerId: bigint } | { workflowId: bigint });

/** The database's clock, by which all schedules tick. */
export async function readClock(tx: Tx): Promise<Date> {
  const { rows } = await tx.query<{ now: Date }>('SELECT clock_timestamp() AS now');
  return (rows[0] as { now: Date }).now;
}

/** The ticks that were due at `called`; now when absent. */
export async function findDue(
  { system }: Database,
  key: ScheduleKey,
  called?: Date,
): Promise<{ called: Date; ticks: PlannedTick[] }> {
  const { tenantId } = key;
  const [column, id] = 'triggerId' in key ? ['id', key.triggerId] : ['workflow_id', key.workflowId];
  const { rows } = await system.query<{ called: Date; trigger_id: number | null; next_fire_at: Date }>({
    name: `find-due-by-${column}`,
    text: `SELECT c.called, s.trigger_id, s.next_fire_at
      FROM (SELECT coalesce($3::timestamptz, clock_timestamp()) AS called) AS c
      LEFT JOIN (triggers t JOIN schedules s ON s.tenant_id = t.tenant_id AND s.trigger_id = t.id)
        ON t.tenant_id = $1 AND t.${column} = $2 AND CASE WHEN s.active THEN s.next_fire_at <= c.called ELSE false END`,
    values: [tenantId, id, called],
  });
  return {
    called: (rows[0] as (typeof rows)[number]).called,
    ticks: rows.flatMap(({ trigger_id: triggerId, next_fire_at: fireAt }) =>
      triggerId === null ? [] : [{ tenantId, triggerId, fireAt }],
    ),
  };
}

export interface LockedSchedule {
  trigger_id: number;
  cron: string;
  timezone: string;
  misfire: MisfirePolicy;
  active: boolean;
  next_fire_at: Date | null;
}

/**
 * Locks the schedules until the transaction ends and returns them with the time at which the locks were acquired, in epoch
 * milliseconds by the database's clock.
 */
export async function lockSchedules(tx: Tx, key: ScheduleKey): Promise<{ rows: LockedSchedule[]; now: number }> {
  const [isMeant, id] =
    'triggerId' in key
      ? ['trigger_id = $2', key.triggerId]
      : ['trigger_id IN (SELECT id FROM triggers WHERE tenant_id = $1 AND workflow_id = $2)', key.workflowId];
  const { rows } = await tx.query<LockedSchedule>(
    `SELECT trigger_id, cron, timezone, misfire, active, next_fire_at FROM schedules
     WHERE tenant_id = $1 AND ${isMeant} ORDER BY trigger_id FOR UPDATE`,
    [key.tenantId, id],
  );
  // A separate statement, because the lock may have been waited for.
  return { rows, now: (await readClock(tx)).getTime() };
}
