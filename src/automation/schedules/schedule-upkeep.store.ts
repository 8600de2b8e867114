import type { Deps } from '#src/infra/deps.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { scheduleTickJob, tickPriority } from './schedules.declarations.ts';

/** How long a tick may be overdue before we check that its job still exists. */
const overdueAfter = '15 seconds';

/** Overdue ticks without a job, earliest first. */
export async function findLostTicks(
  tx: SystemTx,
  now: Date,
  limit: number,
): Promise<{ tenant_id: string; trigger_id: number; next_fire_at: Date }[]> {
  const { rows } = await tx.query<{ tenant_id: string; trigger_id: number; next_fire_at: Date }>(
    `SELECT tenant_id, trigger_id, next_fire_at FROM schedules
     WHERE active AND next_fire_at < $1::timestamptz - interval '${overdueAfter}'
       AND (tenant_id, trigger_id, next_fire_at) NOT IN (
         SELECT data ->> 'tenantId', (data ->> 'triggerId')::bigint, (data ->> 'fireAt')::timestamptz FROM pgboss.job
         WHERE name = $2 AND state < 'active' AND NOT blocked AND priority >= $3
       )
     ORDER BY next_fire_at LIMIT $4`,
    [now, scheduleTickJob.name, tickPriority(now), limit],
  );
  return rows;
}

export interface UnplannedSchedule {
  tenant_id: string;
  trigger_id: number;
  cron: string;
  timezone: string;
}

/** Locks active schedules without a next tick, except those that others have locked. */
export async function lockUnplanned(tx: SystemTx, limit: number): Promise<UnplannedSchedule[]> {
  const { rows } = await tx.query<UnplannedSchedule>(
    `SELECT tenant_id, trigger_id, cron, timezone FROM schedules WHERE active AND next_fire_at IS NULL
     ORDER BY tenant_id, trigger_id LIMIT $1 FOR UPDATE SKIP LOCKED`,
    [limit],
  );
  return rows;
}

const keptDays = 30;
const sweepBatch = 5_000;

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
