import type { KeptProfile } from '#src/imports/profiles/profiles.inputs.ts';
import { serverSql } from '#src/infra/postgres/connections/server-session.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { StoredCause } from '#src/infra/tracing/cause.ts';
import type { JobRow } from './bulk-jobs.declarations.ts';
import type { BulkJobStatus } from './bulk-jobs.rules.ts';

export const bulkJobKinds = ['import', 'export'] as const;
export const bulkJobPhases = ['reading', 'merging', 'absent'] as const;

/** A job in the hands of a worker. */
export interface TakenJob {
  tenantId: string;
  id: number;
  kind: (typeof bulkJobKinds)[number];
  target: string;
  profile: KeptProfile;
  /** Null for an export. */
  uploadId: number | null;
  dryRun: boolean;
  phase: (typeof bulkJobPhases)[number];
  rowsRead: number;
  rowsUnchanged: number;
  rowsRejected: number;
  mergedTo: number;
  absentTo: string | null;
  attempts: number;
  lease: string;
  /** The value when the job was taken or its lease last renewed. */
  cancelRequested: boolean;
  /** The server that the job was taken on. */
  server: string;
}

/** Seconds for which a worker holds a job without renewing its lease. */
export const leaseSeconds = 6;
/** From the moment of writing: a transaction that merged for ten seconds began before a lease that would have ended by now. */
const leaseEnd = `clock_timestamp() + make_interval(secs => ${leaseSeconds})`;
/** Jobs of one tenant that run at a time, so that one tenant does not keep the others waiting. */
const runningOfTenant = 2;
/**
 * No worker has the job `j`, and no other comes before it: jobs of a target run one after the other. One that has begun comes before one
 * that waits even if its id is higher, because ids are given before jobs are committed.
 */
const isFirstInLine = `j.status IN ('queued', 'running') AND (j.lease_until IS NULL OR j.lease_until < now())
  AND NOT EXISTS (
    SELECT FROM bulk_jobs o WHERE o.tenant_id = j.tenant_id AND o.target = j.target AND o.id <> j.id
      AND (o.status = 'running' OR (o.status = 'queued' AND j.status = 'queued' AND o.id < j.id)))`;

/** Takes up a job; undefined where it may not run yet. The caller holds the lock of the tenant's jobs. */
export async function takeJob(tx: Tx, tenantId: string, id: number, lease: string): Promise<TakenJob | undefined> {
  const { rows } = await tx.query<TakenJob>({
    name: 'take-bulk-job',
    text: `UPDATE bulk_jobs j SET status = 'running', lease = $3, lease_until = ${leaseEnd},
        started_at = coalesce(started_at, clock_timestamp()), attempts = attempts + 1
      WHERE tenant_id = $1 AND id = $2 AND ${isFirstInLine}
        AND (SELECT count(*) FROM bulk_jobs o WHERE o.tenant_id = $1 AND o.id <> $2 AND o.status = 'running') < ${runningOfTenant}
      RETURNING tenant_id AS "tenantId", id, kind, target, profile, upload_id AS "uploadId", dry_run AS "dryRun", phase,
        rows_read AS "rowsRead", rows_unchanged AS "rowsUnchanged", rows_rejected AS "rowsRejected", merged_to AS "mergedTo", absent_to AS "absentTo", attempts, lease,
        cancel_requested AS "cancelRequested", ${serverSql} AS server`,
    values: [tenantId, id, lease],
  });
  return rows[0];
}

type Held = Pick<TakenJob, 'tenantId' | 'id' | 'lease'>;

/**
 * Renews the lease and answers whether the job is to be cancelled; undefined where another worker has it, or it has ended. It does not
 * wait for the disk, which may be busy for longer than the lease lasts. A crash of the database ends every lease anyway.
 */
export async function renewLease(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  job: Held,
): Promise<Pick<TakenJob, 'cancelRequested'> | undefined> {
  const [renewed] = await tenantQuery<Pick<TakenJob, 'cancelRequested'>>(job.tenantId, {
    name: 'renew-bulk-job',
    text: `WITH soon AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true))
      UPDATE bulk_jobs SET lease_until = ${leaseEnd} FROM soon
      WHERE tenant_id = $1 AND id = $2 AND lease = $3 AND status = 'running'
      RETURNING cancel_requested AS "cancelRequested"`,
    values: [job.tenantId, job.id, job.lease],
  });
  return renewed;
}

/** Gives the job back, so that another worker takes it immediately. A worker whose process ends does not count as a failed attempt. */
export async function releaseJob(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  job: Held,
  { isEnding }: { isEnding: boolean },
): Promise<void> {
  await tenantQuery(job.tenantId, {
    text: `UPDATE bulk_jobs SET lease = NULL, lease_until = NULL, attempts = CASE WHEN $4 THEN 0 ELSE attempts END
      WHERE tenant_id = $1 AND id = $2 AND lease = $3`,
    values: [job.tenantId, job.id, job.lease, isEnding],
  });
}

/** How far a job has come; numbers are added. */
export interface Progress {
  read?: number;
  written?: number;
  unchanged?: number;
  rejected?: number;
  progress?: number;
  phase?: TakenJob['phase'];
  mergedTo?: number;
  absentTo?: string;
}

/** Rounds: products of shares are inexact, such that 0.65 may be 0.6499999999999999. */
const inThousandths = (share: number): number => Math.round(share * 1_000) / 1_000;

/**
 * Records what a chunk did, in its transaction. Undefined where another worker has taken the job: then only its writes count, and the
 * caller rolls back. The same where the job is not as far as this worker left it, or on another server: a failover may have lost the last
 * chunks, and loses the staging table, which is unlogged. The job is then taken up again from where the database says it is.
 */
export async function recordProgress(
  tx: Tx,
  job: Held & Pick<TakenJob, 'rowsRead' | 'mergedTo' | 'server'>,
  made: Progress,
): Promise<{ cancelRequested: boolean } | undefined> {
  const { rows } = await tx.query<{ cancelRequested: boolean }>({
    name: 'record-bulk-progress',
    text: `UPDATE bulk_jobs SET rows_read = rows_read + $4, rows_written = rows_written + $5,
        rows_unchanged = rows_unchanged + $6, rows_rejected = rows_rejected + $7, progress = greatest(progress, $8),
        phase = coalesce($9, phase), merged_to = greatest(merged_to, $10), absent_to = coalesce($11, absent_to), attempts = 0,
        lease_until = ${leaseEnd}
      WHERE tenant_id = $1 AND id = $2 AND lease = $3 AND status = 'running'
        AND rows_read = $12 AND merged_to = $13 AND ${serverSql} = $14
      RETURNING cancel_requested AS "cancelRequested"`,
    values: [
      job.tenantId,
      job.id,
      job.lease,
      made.read ?? 0,
      made.written ?? 0,
      made.unchanged ?? 0,
      made.rejected ?? 0,
      inThousandths(made.progress ?? 0),
      made.phase ?? null,
      made.mergedTo ?? 0,
      made.absentTo ?? null,
      job.rowsRead,
      job.mergedTo,
      job.server,
    ],
  });
  return rows[0];
}

/** A job as `import.completed` describes it. */
export interface EndedJob extends JobRow, StoredCause {
  id: number;
}

/**
 * Ends a job; undefined where another worker has it, or where the last chunk may have been lost, as above. Rows that were read and not merged are of no job that failed or was
 * cancelled while it merged, so that what was read is always what was written, unchanged and rejected.
 */
export async function endJob(
  tx: Tx,
  job: Held & Pick<TakenJob, 'mergedTo' | 'server'>,
  { status, error = null }: { status: BulkJobStatus; error?: string | null },
): Promise<EndedJob | undefined> {
  const { rows } = await tx.query<EndedJob>({
    name: 'end-bulk-job',
    text: `UPDATE bulk_jobs SET status = $4, error = $5, finished_at = clock_timestamp(), lease = NULL, lease_until = NULL,
        progress = CASE WHEN $4 = 'completed' THEN 1 ELSE progress END,
        rows_read = rows_written + rows_unchanged + rows_rejected
      WHERE tenant_id = $1 AND id = $2 AND lease = $3 AND status = 'running'
        AND ($4 <> 'completed' OR (merged_to = $6 AND ${serverSql} = $7))
      RETURNING id, kind, target, profile_name AS "profileName", status, rows_read AS "rowsRead", rows_written AS "rowsWritten",
        rows_unchanged AS "rowsUnchanged", rows_rejected AS "rowsRejected", error, dry_run AS "dryRun",
        created_at AS "createdAt", started_at AS "startedAt", finished_at AS "finishedAt", traceparent, request_id`,
    values: [job.tenantId, job.id, job.lease, status, error, job.mergedTo, job.server],
  });
  return rows[0];
}

/**
 * Queues a failed import once more, from the beginning and by the profile as it is now. Only where it wrote nothing: rows that it merged name
 * it in their references, so that they must not be merged a second time. Answers whether it did.
 */
export async function requeueFailed(
  tx: Tx,
  { tenantId, id }: { tenantId: string; id: number },
  { target, profile, profileName }: { target: string; profile: KeptProfile; profileName: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE bulk_jobs SET status = 'queued', error = NULL, started_at = NULL, finished_at = NULL, lease = NULL, lease_until = NULL,
        attempts = 0, cancel_requested = false, progress = 0, phase = 'reading', rows_read = 0, rows_written = 0, rows_unchanged = 0,
        rows_rejected = 0, merged_to = 0, absent_to = NULL, target = $3, profile = $4, profile_name = $5, announced_at = now()
      WHERE tenant_id = $1 AND id = $2 AND status = 'failed' AND kind = 'import'
        AND (dry_run OR (rows_written = 0 AND absent_to IS NULL AND phase <> 'absent'))`,
    [tenantId, id, target, JSON.stringify(profile), profileName],
  );
  if (rowCount !== 1) return false;
  await tx.query('DELETE FROM import_rows WHERE tenant_id = $1 AND job_id = $2', [tenantId, id]);
  await tx.query('DELETE FROM import_rejects WHERE tenant_id = $1 AND job_id = $2', [tenantId, id]);
  return true;
}

/** Most jobs that are announced together; of one tenant, there is at most one for each of its few targets. */
const announcedTogether = 100;

/** Jobs of a tenant that are first in line of their target. In a transaction that plans by key: a hash of a long queue took ten seconds. */
export async function jobsFirstInLine(tx: Tx, tenantId: string): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>({
    name: 'first-bulk-jobs',
    text: `SELECT id FROM bulk_jobs j WHERE tenant_id = $1 AND ${isFirstInLine} ORDER BY id LIMIT ${announcedTogether}`,
    values: [tenantId],
  });
  return rows.map(({ id }) => id);
}

/**
 * Jobs of all tenants that are first in line, those that were announced longest ago first. Each is answered to one caller in a few seconds,
 * so that jobs which have to wait for a worker are not announced over and over. As the system.
 */
export async function claimUntakenJobs(system: Pick<Tx, 'query'>): Promise<{ tenantId: string; bulkJobId: number }[]> {
  const { rows } = await system.query<{ tenantId: string; bulkJobId: number }>({
    name: 'claim-untaken-bulk-jobs',
    text: `UPDATE bulk_jobs SET announced_at = now() WHERE (tenant_id, id) IN (
        SELECT tenant_id, id FROM bulk_jobs j
        WHERE ${isFirstInLine} AND (announced_at IS NULL OR announced_at < now() - interval '5 s')
        ORDER BY announced_at NULLS FIRST LIMIT ${announcedTogether} FOR UPDATE SKIP LOCKED)
      RETURNING tenant_id AS "tenantId", id AS "bulkJobId"`,
  });
  return rows;
}
