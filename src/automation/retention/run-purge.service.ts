import type { Database, SystemTx } from '#src/infra/postgres/database.ts';

/** Rows that one statement meets, and so deletes, at most. */
export const mostRows = 5_000;
const runsAtOnce = 500;

/**
 * What may go of `runs r`: it has ended, and nothing that is under way has a part in it. A sub-workflow's run stays while any
 * run above it lives, and a run while one that it started lives.
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

/** What is kept for its own number of days, of runs that are kept longer. */
const details = {
  // A failed run may be retried, which goes on from the steps that it has: without them it would do them all again.
  steps: { key: 'path, attempt', of: `'succeeded', 'cancelled'` },
  run_log_lines: { key: 'id', of: `'succeeded', 'failed', 'cancelled'` },
};

const descending = (...keys: string[]): string =>
  keys
    .flatMap((key) => key.split(', '))
    .map((key) => `${key} DESC`)
    .join(', ');

/** How far a walk from the oldest rows to the younger ones has come. */
export interface Pass {
  deleted: number;
  /** Where the next pass begins; undefined when what follows is too young or there is nothing more. */
  next: number | undefined;
}

/**
 * Deletes what belongs to the ended runs among the next few after `from` (an id), those of one workflow where given, with all
 * that belongs to them. Ids grow with time, so the walk ends at the first run that was made within `days`.
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
    if (old.length === 0) return { deleted: 0, next };
    // Locked, so that none of them is retried while its steps go.
    const { rows: over } = await client.query<{ id: number }>(
      `SELECT r.id FROM runs r
       WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[]) AND r.status IN ('succeeded', 'failed', 'cancelled') AND ${isOver('$3')}
       ORDER BY r.id FOR UPDATE OF r SKIP LOCKED`,
      [tenantId, old, days],
    );
    const ids = over.map(({ id }) => id);
    if (ids.length > 0) await deleteRuns(client, tenantId, ids);
    return { deleted: ids.length, next };
  });
}

/** `ids` in order. */
async function deleteRuns(client: SystemTx, tenantId: string, ids: number[]): Promise<void> {
  for (const table of ['steps', 'run_log_lines'] as const) {
    const { key } = details[table];
    for (let deleted = mostRows; deleted === mostRows;) {
      // Up to the last of the first rows: a comparison walks the primary key, where a list of rows would be joined.
      const { rowCount } = await client.query(
        `DELETE FROM ${table} WHERE tenant_id = $1 AND run_id = ANY($2::bigint[]) AND (run_id, ${key}) <= (
           SELECT run_id, ${key} FROM (
             SELECT run_id, ${key} FROM ${table} WHERE tenant_id = $1 AND run_id = ANY($2::bigint[]) ORDER BY run_id, ${key} LIMIT ${mostRows}
           ) AS first ORDER BY ${descending('run_id', key)} LIMIT 1
         )`,
        [tenantId, ids],
      );
      deleted = rowCount ?? 0;
    }
  }
  // A key is claimed in the transaction that makes its run, so both bear the same time, which is what keys can be found by.
  await client.query(
    `DELETE FROM run_keys k USING runs r WHERE r.tenant_id = $1 AND r.id = ANY($2::bigint[])
       AND k.created_at = r.created_at AND k.tenant_id = r.tenant_id AND k.run_id = r.id`,
    [tenantId, ids],
  );
  for (const table of ['run_payloads', 'run_results'])
    await client.query(`DELETE FROM ${table} WHERE tenant_id = $1 AND run_id = ANY($2::bigint[])`, [tenantId, ids]);
  await client.query('DELETE FROM runs WHERE tenant_id = $1 AND id = ANY($2::bigint[])', [tenantId, ids]);
}

/**
 * Deletes rows of ended runs among the next few rows of the table, from run `from` on. The walk is over the table itself, so
 * what went once is not looked for again.
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
       SELECT tenant_id, run_id, ${key} FROM ${table} WHERE tenant_id = $1 AND run_id >= $3 ORDER BY run_id, ${key} LIMIT ${mostRows}
     ), over AS MATERIALIZED (
       -- By key: a join read all of the tenant's runs where the table was not analysed yet, and took sixty times as long.
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
  if (met < mostRows || last === null || isOld === false) return { deleted, next: undefined };
  // The last run may have more rows than were met; one that fills a pass and keeps them all is stepped over.
  return { deleted, next: last > from || deleted > 0 ? last : last + 1 };
}
