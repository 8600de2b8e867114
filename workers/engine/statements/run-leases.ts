import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type NoticeRow, noticeColumns } from '#src/automation/runs/runs.store.ts';
import type { Deps } from '#src/infra/deps.ts';
import { serverSql } from '#src/infra/postgres/connections/server-session.ts';
import type { SystemTx } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import { planBy } from '#src/infra/postgres/statements/plans.ts';

export async function readServer(tx: Pick<SystemTx, 'query'>): Promise<string> {
  const { rows } = await tx.query<{ server: string }>({ name: 'read-server', text: `SELECT ${serverSql} AS server` });
  return rows[0]?.server as string;
}

/** Registers a worker and returns its id. Its lease lasts `leaseMs` from now, by the database's clock. */
export async function registerWorker({ database }: Deps, leaseMs: number): Promise<string> {
  const id = randomUUID();
  await database.system.query(
    `INSERT INTO workers (id, host, pid, lease_until) VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 ms')`,
    [id, hostname(), process.pid, leaseMs],
  );
  return id;
}

/**
 * Extends the lease. Returns how many live workers are before this one in the order of ids, or undefined when the worker has been
 * declared dead, or when its lease has expired and `revive` is false; the worker must then give up all of its runs.
 */
export async function renewLease(
  { database }: Deps,
  workerId: string,
  leaseMs: number,
  { revive }: { revive: boolean },
): Promise<{ before: number } | undefined> {
  const { rows } = await database.system.query<{ before: number }>({
    name: 'renew-lease',
    text: `UPDATE workers SET lease_until = clock_timestamp() + $2 * interval '1 ms'
      WHERE id = $1 AND (lease_until > clock_timestamp() OR $3)
      RETURNING (SELECT count(*)::int FROM workers w WHERE w.id < $1 AND w.lease_until > clock_timestamp()) AS before`,
    values: [workerId, leaseMs, revive],
  });
  return rows[0];
}

/** Keeps the worker's lease from expiring until the transaction ends, and names the server; undefined when it has expired. */
export async function lockLease(tx: SystemTx, workerId: string): Promise<{ server: string } | undefined> {
  const { rows } = await tx.query<{ server: string }>({
    name: 'hold-lease',
    text: `SELECT ${serverSql} AS server FROM workers WHERE id = $1 AND lease_until > clock_timestamp() FOR KEY SHARE`,
    values: [workerId],
  });
  return rows[0];
}

export async function deleteWorker(tx: SystemTx, workerId: string): Promise<void> {
  await tx.query('DELETE FROM workers WHERE id = $1', [workerId]);
}

/** Puts the running runs of workers back to `queued` and returns them, with how many workers in a row were lost with each. */
export async function releaseWorkerRuns(
  tx: SystemTx,
  workerIds: string[],
  { lost, except }: { lost: boolean; except: number[] },
): Promise<(NoticeRow & { takeovers: number })[]> {
  // While a worker holds a run, `updated_at` is the time of its claim.
  const { rows } = await tx.query<NoticeRow & { takeovers: number }>(
    `UPDATE runs r SET status = 'queued', worker_id = NULL, version = r.version + 1, updated_at = clock_timestamp(),
       takeovers = CASE WHEN NOT $3 THEN r.takeovers WHEN EXISTS (
         SELECT FROM steps s WHERE s.tenant_id = r.tenant_id AND s.run_id = r.id AND s.completed_at >= r.updated_at
       ) THEN 1 ELSE r.takeovers + 1 END
     WHERE r.worker_id = ANY($1::uuid[]) AND r.status = 'running' AND r.id <> ALL($2::bigint[])
     RETURNING ${noticeColumns}, r.takeovers`,
    [workerIds, except, lost],
  );
  return rows;
}

/** How long workers have to renew their leases after Postgres has started, since they could not while it was down. */
const graceAfterStart = '3 seconds';
const staleAfter = '20 seconds';
const batch = 500;

/**
 * Deletes workers whose lease has expired, except the caller `workerId`, which is alive, and returns their ids. Once its row is
 * deleted, a worker can commit nothing. A worker in the middle of a commit holds its row and is skipped until it commits or
 * Postgres ends its session, so that a worker that was paused there does not keep the runs of the others waiting.
 */
export async function deleteDeadWorkers(tx: SystemTx, workerId: string): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>(
    `DELETE FROM workers WHERE id IN (
       SELECT id FROM workers WHERE id <> $1 AND lease_until < clock_timestamp()
         AND pg_postmaster_start_time() < clock_timestamp() - interval '${graceAfterStart}' FOR UPDATE SKIP LOCKED
     ) RETURNING id`,
    [workerId],
  );
  return rows.map(({ id }) => id);
}

/**
 * Marks as changed a batch of runs that should have a job of `queue` and have none, and returns them. Runs and jobs are compared as whole
 * tables: by key, each run of a backlog was compared with the jobs of all others, which with 20,000 of them took longer than a statement may.
 */
export async function touchRunsWithoutJob(tx: SystemTx, queue: string): Promise<{ tenant_id: string; id: number }[]> {
  await planBy(tx, 'tables');
  const { rows } = await tx.query<{ tenant_id: string; id: number }>(
    `SELECT tenant_id, id FROM runs WHERE NOT held AND updated_at < clock_timestamp() - interval '${staleAfter}'
       AND (status = 'queued' OR (status = 'waiting' AND wake_at < clock_timestamp() - interval '${staleAfter}'))
       AND NOT EXISTS (SELECT FROM pgboss.job j WHERE j.name = $1 AND j.state < 'active'
         AND j.data = jsonb_build_object('runId', runs.id, 'tenantId', runs.tenant_id))
     ORDER BY id LIMIT ${batch} FOR NO KEY UPDATE SKIP LOCKED`,
    [queue],
  );
  await planBy(tx, 'keys');
  if (rows.length > 0)
    await tx.query(
      `UPDATE runs r SET updated_at = clock_timestamp() FROM unnest($1::text[], $2::bigint[]) AS t(tenant_id, id)
       WHERE r.tenant_id = t.tenant_id AND r.id = t.id`,
      toColumns(rows, 'tenant_id', 'id'),
    );
  return rows;
}

/** Worker ids that running runs name and that do not exist: the worker's row was deleted by hand, so no lease expires. */
export async function findUnknownWorkers(tx: SystemTx): Promise<string[]> {
  const { rows } = await tx.query<{ worker_id: string }>(
    `SELECT DISTINCT worker_id FROM runs r WHERE status = 'running' AND updated_at < clock_timestamp() - interval '${staleAfter}'
       AND NOT EXISTS (SELECT FROM workers w WHERE w.id = r.worker_id) LIMIT ${batch}`,
  );
  return rows.map(({ worker_id: id }) => id);
}
