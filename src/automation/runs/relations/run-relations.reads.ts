import { runColumns, type RunRow } from '#src/automation/runs/runs.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import { type Cause, readCause, type StoredCause } from '#src/infra/tracing/cause.ts';

/** The column by which a run names the run that started it, or that it runs again. */
export type RunRelation = 'parent_run_id' | 'rerun_of_id';

type Related = RunRow & { of: number };

/** The run that each of these names, by their ids; without those that name none, or one that is no longer kept. */
export async function findNamedRuns(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  relation: RunRelation,
): Promise<Map<number, RunRow>> {
  const rows = await database.tenantQuery<Related>(tenantId, {
    name: `named-runs-${relation}`,
    text: `SELECT named.id AS of, ${runColumns} FROM runs named
      JOIN runs r ON r.tenant_id = $1 AND r.id = named.${relation}
      JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id
      WHERE named.tenant_id = $1 AND named.id = ANY($2::bigint[])`,
    values: [tenantId, runIds],
    types: isoInstants,
  });
  return new Map(rows.map(({ of, ...run }) => [of, run]));
}

/** The cause of each of these runs, by the id of the run. */
export async function findCauses(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
): Promise<Map<number, Cause>> {
  const rows = await database.tenantQuery<{ id: number } & StoredCause>(tenantId, {
    name: 'causes-of-runs',
    text: `SELECT id, traceparent, request_id FROM runs WHERE tenant_id = $1 AND id = ANY($2::bigint[])`,
    values: [tenantId, runIds],
  });
  return new Map(rows.map(({ id, ...stored }) => [id, readCause(stored)]));
}

/** One page of the runs that name each of these, in the order they were made. */
export async function listNamingRuns(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  { relation, page }: { relation: RunRelation; page: KeyPage<bigint> },
): Promise<Map<number, RunRow[]>> {
  const parameters = new SqlParameters();
  const [tenant, runs] = [parameters.add(tenantId), parameters.add(runIds)];
  const after = page.after === undefined ? '' : ` AND id > ${parameters.add(page.after)}`;
  const before = page.before === undefined ? '' : ` AND id < ${parameters.add(page.before)}`;
  const direction = page.backwards ? 'DESC' : 'ASC';
  const rows = await database.tenantQuery<Related>(tenantId, {
    text: `SELECT wanted.id AS of, ${runColumns} FROM unnest(${runs}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT * FROM runs WHERE tenant_id = ${tenant} AND ${relation} = wanted.id${after}${before}
        ORDER BY id ${direction} LIMIT ${page.take} OFFSET ${page.skip}
      ) AS r JOIN workflows w ON w.tenant_id = r.tenant_id AND w.id = r.workflow_id ORDER BY r.id ${direction}`,
    values: parameters.values,
    types: isoInstants,
  });
  return Map.groupBy(rows, ({ of }) => of);
}

/** How many runs name each of these, up to `most`. */
export async function countNamingRuns(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  { relation, most }: { relation: RunRelation; most: number },
): Promise<Map<number, number>> {
  const rows = await database.tenantQuery<{ of: number; count: number }>(tenantId, {
    text: `SELECT wanted.id AS of, counted.count FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT count(*) FROM (SELECT FROM runs WHERE tenant_id = $1 AND ${relation} = wanted.id LIMIT ${most}) AS met
      ) AS counted`,
    values: [tenantId, runIds],
    types: isoInstants,
  });
  return new Map(rows.map(({ of, count }) => [of, count]));
}

export const starterKinds = ['user', 'api-key', 'trigger', 'schedule', 'run'] as const;

/** What started a run. */
export interface RunStarter {
  kind: (typeof starterKinds)[number];
  /** Null once the user, key, trigger or run is gone. */
  name: string | null;
}

/** What started each of these runs, by their ids; without those of which it is not known. */
export async function findStarters(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
): Promise<Map<number, RunStarter>> {
  const rows = await database.tenantQuery<RunStarter & { of: number }>(tenantId, {
    name: 'run-starters',
    text: `SELECT found.of, found.kind, CASE found.kind
          WHEN 'run' THEN (SELECT w.name FROM runs p JOIN workflows w ON w.tenant_id = p.tenant_id AND w.id = p.workflow_id
            WHERE p.tenant_id = $1 AND p.id = found.parent_run_id)
          WHEN 'user' THEN (SELECT coalesce(name, email, sub) FROM users WHERE id = substr(found.started_by, 6)::bigint)
          WHEN 'api-key' THEN (SELECT name FROM api_keys WHERE tenant_id = $1 AND prefix = substr(found.started_by, 9))
          ELSE (SELECT name FROM triggers WHERE tenant_id = $1 AND id = found.trigger_id) END AS name
      FROM (
        SELECT id AS of, parent_run_id, started_by, trigger_id, CASE
          WHEN parent_run_id IS NOT NULL THEN 'run'
          WHEN starts_with(started_by, 'user/') THEN 'user'
          WHEN starts_with(started_by, 'api-key/') THEN 'api-key'
          WHEN trigger_type = 'schedule' THEN 'schedule'
          WHEN trigger_type IN ('webhook', 'event') THEN 'trigger' END AS kind
        FROM runs WHERE tenant_id = $1 AND id = ANY($2::bigint[])
      ) AS found WHERE found.kind IS NOT NULL`,
    values: [tenantId, runIds],
    types: isoInstants,
  });
  return new Map(rows.map(({ of, ...starter }) => [of, starter]));
}
