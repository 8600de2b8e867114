import type { Tx } from '#src/infra/postgres/tx.ts';

/** A poll that is due. */
export interface DuePoll {
  tenantId: string;
  triggerId: number;
  config: unknown;
  /** The current time by the database's clock. */
  now: Date;
}

/** Locks polls that are due and that no other process is planning. Runs as the system role. */
export async function lockDue(tx: Tx): Promise<DuePoll[]> {
  const { rows } = await tx.query<DuePoll>({
    name: 'lock-due-polls',
    text: `SELECT p.tenant_id AS "tenantId", p.trigger_id AS "triggerId", t.config, now() AS now FROM polls p
      JOIN triggers t ON t.tenant_id = p.tenant_id AND t.id = p.trigger_id
      WHERE p.active AND p.next_at <= now() ORDER BY p.next_at LIMIT 100 FOR UPDATE OF p SKIP LOCKED`,
  });
  return rows;
}

/** Requests each poll unless it is already requested, and sets its next time. Times that passed while no worker ran cause a single poll. */
export async function requestDue(
  tx: Tx,
  due: readonly { tenantId: string; triggerId: number; nextAt: Date | null }[],
): Promise<void> {
  await tx.query({
    name: 'request-due-polls',
    text: `UPDATE polls p SET requested_at = coalesce(p.requested_at, now()), next_at = d.next_at
      FROM unnest($1::text[], $2::bigint[], $3::timestamptz[]) AS d(tenant_id, trigger_id, next_at)
      WHERE p.tenant_id = d.tenant_id AND p.trigger_id = d.trigger_id`,
    values: [due.map((each) => each.tenantId), due.map((each) => each.triggerId), due.map((each) => each.nextAt)],
  });
}

/**
 * Returns the polls that wait for a worker, because they were requested or their worker died. Returns each only once every few seconds, so
 * that polls which have to wait are not announced again and again. Runs as the system role.
 */
export async function claimUntaken(system: Pick<Tx, 'query'>): Promise<{ tenantId: string; triggerId: number }[]> {
  const { rows } = await system.query<{ tenantId: string; triggerId: number }>({
    name: 'claim-untaken-polls',
    text: `UPDATE polls SET announced_at = now() WHERE (tenant_id, trigger_id) IN (
        SELECT tenant_id, trigger_id FROM polls
        WHERE requested_at IS NOT NULL AND (retry_at IS NULL OR retry_at <= now()) AND (lease_until IS NULL OR lease_until < now())
          AND (announced_at IS NULL OR announced_at < now() - interval '5 s')
        LIMIT 100)
      RETURNING tenant_id AS "tenantId", trigger_id AS "triggerId"`,
  });
  return rows;
}
