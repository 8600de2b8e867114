import type { Tx } from '#src/infra/postgres/tx.ts';

/** A transfer whose time has come. */
export interface DueTransfer {
  tenantId: string;
  id: number;
  cron: string;
  timezone: string;
  /** The database's clock. */
  now: Date;
}

/** Locks transfers whose time has come, and that no other process is planning. As the system. */
export async function lockDue(tx: Tx): Promise<DueTransfer[]> {
  const { rows } = await tx.query<DueTransfer>({
    name: 'lock-due-transfers',
    text: `SELECT tenant_id AS "tenantId", id, cron, timezone, now() AS now FROM transfers
      WHERE active AND next_at <= now() ORDER BY next_at LIMIT 100 FOR UPDATE SKIP LOCKED`,
  });
  return rows;
}

/** Asks for a run of each, and plans its next time. Times that passed while nobody looked are one run. */
export async function requestDue(
  tx: Tx,
  due: readonly { tenantId: string; id: number; nextAt: Date | null }[],
): Promise<void> {
  await tx.query({
    name: 'request-due-transfers',
    text: `UPDATE transfers t SET requested_at = now(), next_at = d.next_at, attempt = 0, retry_at = NULL, announced_at = NULL
      FROM unnest($1::text[], $2::bigint[], $3::timestamptz[]) AS d(tenant_id, id, next_at)
      WHERE t.tenant_id = d.tenant_id AND t.id = d.id`,
    values: [due.map((each) => each.tenantId), due.map((each) => each.id), due.map((each) => each.nextAt)],
  });
}

/**
 * Transfers that wait for a worker: a run was asked for, the worker of one is gone, or the job of a file has ended. Each is answered
 * to one caller in a few seconds, so that those that have to wait are not announced over and over. As the system.
 */
export async function claimUntaken(system: Pick<Tx, 'query'>): Promise<{ tenantId: string; transferId: number }[]> {
  const { rows } = await system.query<{ tenantId: string; transferId: number }>({
    name: 'claim-untaken-transfers',
    text: `WITH waiting AS (
        SELECT tenant_id, id FROM transfers WHERE requested_at IS NOT NULL
        UNION
        SELECT f.tenant_id, f.transfer_id FROM transfer_files f JOIN bulk_jobs j ON j.tenant_id = f.tenant_id AND j.id = f.bulk_job_id
        WHERE f.settled_at IS NULL AND j.status NOT IN ('queued', 'running')
      )
      UPDATE transfers SET announced_at = now() WHERE (tenant_id, id) IN (
        SELECT t.tenant_id, t.id FROM waiting w JOIN transfers t ON t.tenant_id = w.tenant_id AND t.id = w.id
        WHERE (t.retry_at IS NULL OR t.retry_at <= now()) AND (t.lease_until IS NULL OR t.lease_until < now())
          AND (t.announced_at IS NULL OR t.announced_at < now() - interval '5 s')
        LIMIT 100)
      RETURNING tenant_id AS "tenantId", id AS "transferId"`,
  });
  return rows;
}

/**
 * Forgets files that were moved aside or deleted long ago: they are not there to be fetched again. What an HTTP server answered last is
 * kept, and what was left in its place. As the system; answers whether there may be more.
 */
export async function forgetOldFiles(system: Pick<Tx, 'query'>): Promise<boolean> {
  const { rowCount } = await system.query(
    `DELETE FROM transfer_files WHERE (tenant_id, id) IN (
       SELECT f.tenant_id, f.id FROM transfer_files f JOIN transfers t ON t.tenant_id = f.tenant_id AND t.id = f.transfer_id
       WHERE f.settled_at < now() - interval '90 days' AND (t.direction = 'export'
         OR (t.source_id IS NULL AND t.afterwards <> 'leave')
         OR (t.source_id IS NOT NULL AND f.id < (SELECT max(n.id) FROM transfer_files n
           WHERE n.tenant_id = f.tenant_id AND n.transfer_id = f.transfer_id)))
       LIMIT 1000)`,
  );
  return (rowCount ?? 0) > 0;
}
