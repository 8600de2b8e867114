import type { Database } from '#src/infra/postgres/database.ts';

/** The backlog of the whole installation, over all tenants. */
export interface Backlog {
  /** Queued runs that a worker could take now. */
  ready: number;
  /** Queued runs that wait for their workflow's concurrency limit. */
  held: number;
  /** How long the oldest of the ready ones has been queued. */
  oldestSeconds: number;
  pendingDeadLetters: number;
}

/** Counting stops here, so that it does not slow down a queue that is already long. */
export const maxCounted = 10_000;

/** Exported for the test of its plan. Runs are found by the partial index of live ones, dead letters by the key of each tenant. */
export const backlogSql = `
  WITH queued AS MATERIALIZED (
    SELECT held, updated_at FROM runs WHERE status = 'queued' ORDER BY id LIMIT ${maxCounted})
  SELECT count(*) FILTER (WHERE NOT held) AS ready, count(*) FILTER (WHERE held) AS held,
    coalesce(greatest(0, extract(epoch FROM now() - min(updated_at) FILTER (WHERE NOT held))), 0)::float8 AS "oldestSeconds",
    (SELECT count(*) FROM (
       SELECT FROM tenants t CROSS JOIN LATERAL (
         SELECT FROM dead_letters d WHERE d.tenant_id = t.id AND d.status = 'pending' LIMIT ${maxCounted}) AS pending
       LIMIT ${maxCounted}) AS counted) AS "pendingDeadLetters"
  FROM queued`;

export async function readBacklog({ system }: Database): Promise<Backlog> {
  const { rows } = await system.query<Backlog>(backlogSql);
  return rows[0] as Backlog;
}

/** Exported for the test of its plan. Events of open transactions are counted by a later reading, each exactly once. */
export const failedRunsSql = `
  SELECT (count(*) FILTER (WHERE topic = 'run.failed'))::int AS failed,
    (outbox_settled() + (SELECT moved FROM outbox_order))::text AS until
  FROM (SELECT topic FROM outbox_events
        WHERE xid >= $1::bigint - (SELECT moved FROM outbox_order) AND xid < outbox_settled()
        ORDER BY xid LIMIT 100000) AS written`;

/**
 * How many runs have failed since the reading that returned `since`; the next reading starts at `until`. The first counts none. Both are
 * places as they would be if none had ever been moved, so that a reading after a change of the order of events continues.
 */
export async function countFailedRuns(
  { system }: Database,
  since: string | undefined,
): Promise<{ failed: number; until: string }> {
  const none = '9223372036854775807';
  const { rows } = await system.query<{ failed: number; until: string }>(failedRunsSql, [since ?? none]);
  return rows[0] as { failed: number; until: string };
}
