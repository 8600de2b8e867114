import { runColumns, type RunRow } from '#src/automation/runs/runs.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

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
