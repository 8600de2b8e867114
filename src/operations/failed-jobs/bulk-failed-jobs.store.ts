import type { Actor } from '#src/infra/deps.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { insertAuditSql } from '#src/journal/audit/audit.store.ts';
import { auditedFailedJob } from './failed-jobs.declarations.ts';
import { type FailedJobFilter, failedJobConditions, waiting } from './failed-jobs.reads.ts';

/** A statement that yields the ids of the failed jobs within the filter, the oldest first. */
export function selectFailedJobs(filter: FailedJobFilter) {
  const parameters = new SqlParameters();
  const where = failedJobConditions(filter, parameters);
  const text = `SELECT id AS key, row_number() OVER (ORDER BY created_on, id) AS item FROM pgboss.job WHERE ${where.join(' AND ')}`;
  return { text, values: parameters.values };
}

/** A statement that yields the ids as they are given, each once. */
export const selectGivenJobs = (ids: readonly string[]) => ({
  text: 'SELECT key, row_number() OVER (ORDER BY min(at)) AS item FROM unnest($1::uuid[]) WITH ORDINALITY AS given(key, at) GROUP BY key',
  values: [ids],
});

export interface LockedJob {
  key: string;
  job: string;
  tenantId: string | null;
}

/** Locks the failed jobs that no other transaction has locked. */
export async function lockFailedJobs(tx: Tx, keys: readonly string[]): Promise<LockedJob[]> {
  const { rows } = await tx.query<LockedJob>(
    `SELECT id AS key, source_name AS job, data ->> 'tenantId' AS "tenantId" FROM pgboss.job
     WHERE ${waiting} AND id = ANY($1::uuid[]) ORDER BY id FOR UPDATE SKIP LOCKED`,
    [keys],
  );
  return rows;
}

/** Which of these failed jobs exist, also those that are locked. */
export async function findExistingJobs(tx: Tx, keys: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM pgboss.job WHERE ${waiting} AND id = ANY($1::uuid[])`,
    [keys],
  );
  return new Set(rows.map(({ id }) => id));
}

const insertEntries = insertAuditSql(`(
  SELECT coalesce(t.org_id, '') AS org_id, coalesce(t.id, '') AS tenant_id, $1::text AS actor_sub, $2::text AS actor_email,
    $3::text AS channel, 'update' AS action, '${auditedFailedJob.type}' AS resource_type, given.key AS resource_id,
    jsonb_build_object('job', given.job, 'bulk_action_id', $4::bigint) AS metadata
  FROM unnest($5::text[], $6::text[], $7::text[]) AS given(key, job, tenant_id) LEFT JOIN tenants t ON t.id = given.tenant_id
) AS entries`);

/** Writes an entry for each job in the log of its tenant; for one without a tenant, in the log that only operators read. */
export async function auditRetriedJobs(
  tx: Tx,
  actor: Actor,
  bulkActionId: number,
  jobs: readonly LockedJob[],
): Promise<void> {
  if (jobs.length === 0) return;
  await tx.query(insertEntries, [
    actor.sub,
    actor.email,
    actor.channel,
    bulkActionId,
    ...toColumns(jobs, 'key', 'job', 'tenantId'),
  ]);
}
