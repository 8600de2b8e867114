import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { Afterwards, Direction } from './transfers.inputs.ts';

/** A transfer in the hands of a worker. */
export interface TakenTransfer {
  tenantId: string;
  orgId: string;
  id: number;
  direction: Direction;
  accountId: number | null;
  sourceId: number | null;
  profile: string | null;
  target: string | null;
  format: string | null;
  filter: Record<string, string>;
  path: string;
  pattern: string | null;
  filename: string | null;
  afterwards: Afterwards;
  movedTo: string;
  maxFiles: number;
  timezone: string;
  /** Null where only fetched files wait to be moved or deleted. */
  requestedAt: Date | null;
  attempt: number;
  lease: string;
}

export type HeldTransfer = Pick<TakenTransfer, 'tenantId' | 'id' | 'lease'>;

/** Seconds for which a worker holds a transfer without renewing its lease. */
export const leaseSeconds = 30;
/** Transfers of one tenant that run at a time, so that its slow servers do not keep other tenants waiting. */
const runningOfTenant = 2;

/**
 * Takes a transfer that waits for a run, or whose worker has died; undefined where it may not run yet. The caller holds the lock of the
 * tenant's transfers.
 */
export async function takeTransfer(tx: Tx, { tenantId, id, lease }: HeldTransfer): Promise<TakenTransfer | undefined> {
  const { rows } = await tx.query<TakenTransfer>({
    name: 'take-transfer',
    text: `UPDATE transfers t SET lease = $3, lease_until = now() + make_interval(secs => ${leaseSeconds}),
        last_run_at = CASE WHEN requested_at IS NULL THEN last_run_at ELSE now() END
      WHERE tenant_id = $1 AND id = $2 AND (lease_until IS NULL OR lease_until < now()) AND (retry_at IS NULL OR retry_at <= now())
        AND (requested_at IS NOT NULL OR EXISTS (
          SELECT FROM transfer_files f JOIN bulk_jobs j ON j.tenant_id = f.tenant_id AND j.id = f.bulk_job_id
          WHERE f.tenant_id = $1 AND f.transfer_id = $2 AND f.settled_at IS NULL AND j.status NOT IN ('queued', 'running')))
        AND (SELECT count(*) FROM transfers o WHERE o.tenant_id = $1 AND o.lease_until > now()) < ${runningOfTenant}
      RETURNING tenant_id AS "tenantId", (SELECT org_id FROM tenants o WHERE o.id = t.tenant_id) AS "orgId", id, direction,
        account_id AS "accountId", source_id AS "sourceId", profile, target, format, filter, path, pattern, filename, afterwards,
        moved_to AS "movedTo", max_files AS "maxFiles", timezone, requested_at AS "requestedAt", attempt, lease`,
    values: [tenantId, id, lease],
  });
  return rows[0];
}

/** Renews the lease; false where another worker has the transfer. */
export async function renewTransfer(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  held: HeldTransfer,
): Promise<boolean> {
  const rows = await tenantQuery(held.tenantId, {
    name: 'renew-transfer',
    text: `UPDATE transfers SET lease_until = now() + make_interval(secs => ${leaseSeconds})
      WHERE tenant_id = $1 AND id = $2 AND lease = $3 RETURNING id`,
    values: [held.tenantId, held.id, held.lease],
  });
  return rows.length > 0;
}

/** Locks a transfer until the transaction ends; false where another worker has it, whose writes alone count. */
export async function holdTransfer(tx: Tx, { tenantId, id, lease }: HeldTransfer): Promise<boolean> {
  const { rows } = await tx.query(
    'SELECT id FROM transfers WHERE tenant_id = $1 AND id = $2 AND lease = $3 FOR UPDATE',
    [tenantId, id, lease],
  );
  return rows.length > 0;
}

/** Removes the request of a run; false where another worker has the transfer. A later request stays. */
export async function clearRequest(tx: Tx, { tenantId, id, lease, requestedAt }: TakenTransfer): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE transfers SET requested_at = CASE WHEN requested_at > $4 THEN requested_at END
     WHERE tenant_id = $1 AND id = $2 AND lease = $3`,
    [tenantId, id, lease, requestedAt],
  );
  return rowCount === 1;
}

/** Releases a transfer as it was, so that another worker takes it immediately. */
export async function releaseTransfer(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  { tenantId, id, lease }: HeldTransfer,
): Promise<void> {
  await tenantQuery(tenantId, {
    text: `UPDATE transfers SET lease = NULL, lease_until = NULL, announced_at = NULL
      WHERE tenant_id = $1 AND id = $2 AND lease = $3`,
    values: [tenantId, id, lease],
  });
}

/** Ends a run that did not fail. A request that came meanwhile stays; so does what the last run said, where this one only dealt with its files. */
export async function endTransfer(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  { tenantId, id, lease, requestedAt }: TakenTransfer,
  { hasSucceeded }: { hasSucceeded: boolean },
): Promise<void> {
  await tenantQuery(tenantId, {
    name: 'end-transfer',
    text: `UPDATE transfers SET lease = NULL, lease_until = NULL, announced_at = NULL, attempt = 0, retry_at = NULL,
        requested_at = CASE WHEN $4::timestamptz IS NULL OR requested_at > $4 THEN requested_at END,
        last_success_at = CASE WHEN $5 THEN now() ELSE last_success_at END,
        last_error = CASE WHEN $5 THEN NULL ELSE last_error END,
        failures = CASE WHEN $5 THEN 0 ELSE failures END
      WHERE tenant_id = $1 AND id = $2 AND lease = $3`,
    values: [tenantId, id, lease, requestedAt, hasSucceeded],
  });
}

/** Seconds after a failed run until fetched files are handled again: soon, without asking the server endlessly. */
const settleAgainSeconds = 300;

/** A transfer as `transfer.failed` describes it. */
export interface FailedTransfer {
  direction: Direction;
  profile: string | null;
  place: string;
  /** Runs that failed since the last success, with this one. */
  failures: number;
  lastSuccessAt: Date | null;
}

/**
 * Ends a run that failed: it is tried again after some seconds or, without them, given up until its next time. Files that wait for
 * their end are tried again a little later. Undefined where another worker has the transfer.
 */
export async function failTransfer(
  tx: Tx,
  { tenantId, id, lease, requestedAt }: TakenTransfer,
  { error, retryInSeconds }: { error: string; retryInSeconds: number | undefined },
): Promise<FailedTransfer | undefined> {
  const { rows } = await tx.query<FailedTransfer>({
    name: 'fail-transfer',
    text: `UPDATE transfers t SET lease = NULL, lease_until = NULL, announced_at = NULL, last_error = $4,
        attempt = CASE WHEN $5::int IS NULL THEN 0 ELSE attempt + 1 END,
        retry_at = now() + make_interval(secs => coalesce($5, ${settleAgainSeconds})),
        failures = failures + CASE WHEN $5::int IS NULL THEN 1 ELSE 0 END,
        requested_at = CASE WHEN $5 IS NOT NULL OR $6::timestamptz IS NULL OR requested_at > $6 THEN requested_at END
      WHERE tenant_id = $1 AND id = $2 AND lease = $3
      RETURNING direction, profile, failures, last_success_at AS "lastSuccessAt",
        coalesce((SELECT name FROM sftp_accounts a WHERE a.tenant_id = t.tenant_id AND a.id = t.account_id),
          (SELECT name FROM http_sources s WHERE s.tenant_id = t.tenant_id AND s.id = t.source_id)) AS place`,
    values: [tenantId, id, lease, error, retryInSeconds ?? null, requestedAt],
  });
  return rows[0];
}

export interface TransferKey {
  tenantId: string;
  id: bigint;
}

/** Locks a transfer, where it exists, until the transaction ends. */
export async function lockRow(tx: Tx, { tenantId, id }: TransferKey): Promise<void> {
  await tx.query('SELECT FROM transfers WHERE tenant_id = $1 AND id = $2 FOR UPDATE', [tenantId, id]);
}

/** Makes a transfer due now. Each request is later than the one before, so a request made during a transfer starts another. */
export async function markRequested(tx: Tx, { tenantId, id }: TransferKey): Promise<void> {
  await tx.query(
    `UPDATE transfers SET requested_at = greatest(now(), requested_at + interval '1 ms'), attempt = 0, retry_at = NULL
     WHERE tenant_id = $1 AND id = $2`,
    [tenantId, id],
  );
}
