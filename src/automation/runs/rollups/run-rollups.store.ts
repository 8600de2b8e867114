import type { Database } from '#src/infra/postgres/database.ts';
import { tryLockNamed } from '#src/infra/postgres/named-locks.ts';
import { durationStepSql, slotSql } from './run-rollups.rules.ts';

/** How long rollups are kept, also those of runs that retention has deleted. */
export const rollupDays = 400;

const columns = 'tenant_id, slot, workflow_id, trigger_type, status, duration_ms';

/**
 * Counts runs that end (`sign` +1), or that are retried (-1), in the statement that changes them. `source` has their columns as
 * they are with an end. Appended rather than added up in place: workers that end runs of the same workflow would wait for each
 * other's commits. Test runs do not count.
 */
export const insertRollupChangesSql = (source: string, sign: 1 | -1): string => `
    INSERT INTO run_rollup_changes (${columns}, runs)
    SELECT tenant_id, ${slotSql('completed_at')}, workflow_id, trigger_type, status, ${durationStepSql('span.ms')}, ${sign} * count(*)
    FROM ${source} CROSS JOIN LATERAL (
      SELECT round(extract(epoch FROM completed_at - started_at) * 1000)::bigint AS ms OFFSET 0
    ) AS span WHERE NOT is_test GROUP BY 1, 2, 3, 4, 5, 6`;

const batchSize = 10_000;

/**
 * Adds the next batch of changes to the rollups, in one statement, so that a reader of both tables sees each change once. Returns true if more
 * may be left. Changes of slots that are not kept any more are dropped.
 */
export async function foldRollupChanges({ database }: { database: Database }): Promise<boolean> {
  return database.withSystem(async (client) => {
    // Two at a time would wait for each other's rows.
    if (!(await tryLockNamed(client, 'run-rollups'))) return false;
    const { rows } = await client.query<{ folded: number }>(foldSql);
    return rows[0]?.folded === batchSize;
  });
}

const foldSql = `
  WITH taken AS (
    DELETE FROM run_rollup_changes WHERE ctid = ANY(ARRAY(SELECT ctid FROM run_rollup_changes LIMIT ${batchSize}))
    RETURNING ${columns}, runs
  ), added AS (
    INSERT INTO run_rollups AS kept (${columns}, runs)
    SELECT ${columns}, sum(runs) FROM taken WHERE slot >= now() - interval '${rollupDays} days' GROUP BY ${columns} HAVING sum(runs) <> 0
    ON CONFLICT (${columns}) DO UPDATE SET runs = kept.runs + excluded.runs
  )
  SELECT count(*) AS folded FROM taken`;

/** Deletes a batch of rollups older than `rollupDays`; returns true if more are left. */
export async function purgeRollups({ database }: { database: Database }): Promise<boolean> {
  const { rowCount } = await database.system.query(
    `DELETE FROM run_rollups WHERE ctid = ANY(ARRAY(
       SELECT old.ctid FROM tenants t CROSS JOIN LATERAL (
         SELECT r.ctid FROM run_rollups r WHERE r.tenant_id = t.id AND r.slot < now() - interval '${rollupDays} days' LIMIT ${batchSize}
       ) AS old LIMIT ${batchSize}))`,
  );
  return rowCount === batchSize;
}
