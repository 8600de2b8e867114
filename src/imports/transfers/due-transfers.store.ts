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

/** Requests a run of each, and plans its next time. All times that passed while no worker ran cause a single run. */
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
 * Transfers that wait for a worker: a run was requested, their worker has died, or the job of a file has ended. Each is returned
 * only once every few seconds, so that transfers which have to wait are not announced again and again. As the system.
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
 * Forgets files that were moved aside or deleted long ago, because they cannot be fetched again. The last answer of an HTTP server and
 * files that stay in place are kept. As the system; returns whether there may be more.
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
