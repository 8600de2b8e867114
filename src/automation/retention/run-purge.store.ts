import type { Database, SystemTx } from '#src/infra/postgres/database.ts';

/** The most rows that one statement examines and so deletes. */
export const maxRows = 5_000;
const runsAtOnce = 500;

/**
 * The condition under which `runs r` may be deleted: it has ended and nothing in progress depends on it. A sub-workflow's run
 * stays while any run above it is active, and a run while one that it started is active.
 */
const isOver = (days: string): string => `r.completed_at < now() - ${days} * interval '1 day'
  AND NOT EXISTS (
    SELECT FROM runs child WHERE child.tenant_id = r.tenant_id AND child.parent_run_id = r.id AND child.status IN ('queued', 'running', 'waiting')
  ) AND (r.parent_run_id IS NULL OR NOT EXISTS (
    WITH RECURSIVE above AS (
      SELECT p.id, p.parent_run_id, p.status FROM runs p WHERE p.tenant_id = r.tenant_id AND p.id = r.parent_run_id
      UNION ALL
      SELECT p.id, p.parent_run_id, p.status FROM above JOIN runs p ON p.tenant_id = r.tenant_id AND p.id = above.parent_run_id
    ) SELECT FROM above WHERE status IN ('queued', 'running', 'waiting')
  ))`;

/** Details with their own retention, shorter than that of their run. */
const details = {
  // A failed run may be retried, which continues from its steps: without them it would repeat them all.
  steps: { key: 'path, attempt', of: `'succeeded', 'cancelled'` },
  run_log_lines: { key: 'id', of: `'succeeded', 'failed', 'cancelled'` },
};

const descending = (...keys: string[]): string =>
  keys
    .flatMap((key) => key.split(', '))
    .map((key) => `${key} DESC`)
    .join(', ');

/** The progress of a walk from the oldest rows to the newest. */
export interface Pass {
  deleted: number;
  /** Where the next pass begins; undefined when the remaining rows are too recent or none are left. */
  next: number | undefined;
}

/**
 * Deletes the ended runs among the next batch after `from` (an id), of one workflow if given, with everything that belongs to
 * them. Ids grow with time, so the walk ends at the first run created within `days`.
 */
export function purgeRuns(
  database: Database,
  scope: { tenantId: string; workflowId?: number | undefined; days: number },
  from: number,
): Promise<Pass> {
  const { tenantId, workflowId, days } = scope;
  return database.withSystem(async (client) => {
    const ofWorkflow = workflowId === undefined ? '' : 'AND workflow_id = $4';
    const { rows: met } = await client.query<{ id: number; is_old: boolean }>(
      `SELECT id, created_at < now() - $2 * interval '1 day' AS is_old FROM runs
       WHERE tenant_id = $1 AND id > $3 ${ofWorkflow} ORDER BY id LIMIT ${runsAtOnce}`,
      [tenantId, days, from, ...(workflowId === undefined ? [] : [workflowId])],
    );
    const old = met.filter((run) => run.is_old).map(({ id }) => id);
    const next = old.length === runsAtOnce ? old.at(-1) : undefined;
    return { deleted: await deleteOver(client, tenantId, old, days), next };
  });
}

/** How long a test run is kept after its end, whatever the tenant's settings. */
const testDays = 1;

/** Deletes the test runs that are over among the next batch after `from`. Rows whose run was deleted with a partition go too. */
export function purgeTestRuns(database: Database, tenantId: string, from: number): Promise<Pass> {
  return database.withSystem(async (client) => {
    const { rows: met } = await client.query<{ id: number; is_there: boolean }>(
      `SELECT t.run_id AS id, EXISTS (SELECT FROM runs r WHERE r.tenant_id = $1 AND r.id = t.run_id) AS is_there
       FROM test_runs t WHERE t.tenant_id = $1 AND t.run_id > $2 ORDER BY t.run_id LIMIT ${runsAtOnce}`,
      [tenantId, from],
    );
    const orphans = met.filter((run) => !run.is_there).map(({ id }) => id);
    if (orphans.length > 0) await deleteRuns(client, tenantId, orphans);
    const there = met.filter((run) => run.is_there).map(({ id }) => id);
    const deleted = await deleteOver(client, tenantId, there, testDays);
    return { deleted, next: met.length === runsAtOnce ? met.at(-1)?.id : undefined };
  });
}

/** Deletes those of the runs that ended more than `days` ago, and returns how many. */
async function deleteOver(client: SystemTx, tenantId: string, ids: number[], days: number): Promise<number> {
  if (ids.length === 0) return 0;
  // Locked, so that none is retried while its steps are deleted.
  const { rows: over } = await client.query<{ id: number }>(
    `SELECT r.id FROM runs r
     WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[]) AND r.status IN ('succeeded', 'failed', 'cancelled') AND ${isOver('$3')}
     ORDER BY r.id FOR UPDATE OF r SKIP LOCKED`,
    [tenantId, ids, days],
  );
  if (over.length > 0)
    await deleteRuns(
      client,
      tenantId,
      over.map(({ id }) => id),
    );
  return over.length;
}

/** `ids` must be in ascending order. */
async function deleteRuns(client: SystemTx, tenantId: string, ids: number[]): Promise<void> {
  for (const table of ['steps', 'run_log_lines'] as const) {
    const { key } = details[table];
    for (let deleted = maxRows; deleted === maxRows;) {
      // Deletes up to the last of the first rows: a comparison walks the primary key, where a list of rows would need a join.
      const { rowCount } = await client.query(
        `DELETE FROM ${table} WHERE tenant_id = $1 AND run_id = ANY($2::bigint[]) AND (run_id, ${key}) <= (
           SELECT run_id, ${key} FROM (
             SELECT run_id, ${key} FROM ${table} WHERE tenant_id = $1 AND run_id = ANY($2::bigint[]) ORDER BY run_id, ${key} LIMIT ${maxRows}
           ) AS first ORDER BY ${descending('run_id', key)} LIMIT 1
         )`,
        [tenantId, ids],
      );
      deleted = rowCount ?? 0;
    }
  }
  // A key is claimed in the transaction that creates its run, so both have the same time, and it can be found by that.
  await client.query(
    `DELETE FROM run_keys k USING runs r WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[])
       AND k.created_at = r.created_at AND k.tenant_id = r.tenant_id AND k.run_id = r.id`,
    [tenantId, ids],
  );
  for (const table of ['run_payloads', 'run_results', 'test_run_outputs', 'test_run_state', 'test_runs'])
    await client.query(`DELETE FROM ${table} WHERE tenant_id = $1 AND run_id = ANY($2::bigint[])`, [tenantId, ids]);
  await client.query('DELETE FROM runs WHERE tenant_id = $1 AND id = ANY($2::bigint[])', [tenantId, ids]);
}

/**
 * Deletes the rows of ended runs among the table's next rows, from run `from` on. It walks the table itself, so it never
 * searches again for rows that were already deleted.
 */
export async function purgeDetails(
  { system }: Database,
  table: keyof typeof details,
  scope: { tenantId: string; days: number },
  from: number,
): Promise<Pass> {
  const { key, of } = details[table];
  const { rows } = await system.query<{ met: number; last: number | null; is_old: boolean | null; deleted: number }>(
    `WITH met AS MATERIALIZED (
       SELECT tenant_id, run_id, ${key} FROM ${table} WHERE tenant_id = $1 AND run_id >= $3 ORDER BY run_id, ${key} LIMIT ${maxRows}
     ), over AS MATERIALIZED (
       -- By key: a join read all of the tenant's runs when the table was not analysed yet, and took sixty times as long.
       SELECT r.id FROM runs r WHERE r.tenant_id = $1 AND r.id = ANY(ARRAY(SELECT DISTINCT run_id FROM met))
         AND r.status IN (${of}) AND ${isOver('$2')}
     ), gone AS (
       DELETE FROM ${table} WHERE tenant_id = $1 AND run_id >= $3 AND run_id = ANY(ARRAY(SELECT id FROM over)) AND (run_id, ${key}) <= (
         SELECT run_id, ${key} FROM met ORDER BY ${descending('run_id', key)} LIMIT 1
       ) RETURNING 1
     )
     SELECT (SELECT count(*) FROM met) AS met, (SELECT count(*) FROM gone) AS deleted, last.run_id AS last,
       (SELECT r.created_at < now() - $2 * interval '1 day' FROM runs r WHERE r.tenant_id = $1 AND r.id = last.run_id) AS is_old
     FROM (SELECT max(run_id) AS run_id FROM met) AS last`,
    [scope.tenantId, scope.days, from],
  );
  const { met, last, is_old: isOld, deleted } = rows[0] as (typeof rows)[number];
  if (met < maxRows || last === null || isOld === false) return { deleted, next: undefined };
  // The last run may have more rows than were examined; one that fills a pass and keeps them all is skipped.
  return { deleted, next: last > from || deleted > 0 ? last : last + 1 };
}
