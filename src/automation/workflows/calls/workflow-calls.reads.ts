import type { Database } from '#src/infra/postgres/database.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';

/** A workflow that names another one. */
export interface WorkflowCaller {
  /** Id of the calling workflow. */
  id: number;
  /** The paths of its sub-workflow nodes that do. */
  nodeIds: string[];
  /** True if the caller names the workflow as its error workflow. */
  onError: boolean;
}

/** One page of the workflows that name each of these, by their ids, in the order they were made. */
export async function listCallers(
  database: Database,
  tenantId: string,
  workflowIds: readonly bigint[],
  page: KeyPage<bigint>,
): Promise<Map<bigint, WorkflowCaller[]>> {
  const parameters = new SqlParameters();
  const [tenant, wanted] = [parameters.add(tenantId), parameters.add(workflowIds.map(String))];
  const after = page.after === undefined ? '' : ` AND workflow_id > ${parameters.add(page.after)}`;
  const before = page.before === undefined ? '' : ` AND workflow_id < ${parameters.add(page.before)}`;
  const direction = page.backwards ? 'DESC' : 'ASC';
  // The index is in the order of the groups, so the scan ends with the page.
  const rows = await database.tenantQuery<WorkflowCaller & { called: number }>(tenantId, {
    text: `SELECT wanted.id AS called, callers.* FROM unnest(${wanted}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT workflow_id AS id, array_remove(array_agg(node_id ORDER BY node_id), '') AS "nodeIds", bool_or(node_id = '') AS "onError"
        FROM workflow_calls WHERE tenant_id = ${tenant} AND called_id = wanted.id${after}${before}
        GROUP BY workflow_id ORDER BY workflow_id ${direction} LIMIT ${page.take} OFFSET ${page.skip}
      ) AS callers ORDER BY callers.id ${direction}`,
    values: parameters.values,
  });
  return Map.groupBy(rows, ({ called }) => BigInt(called));
}

/** How many workflows name each of these, up to `most`. */
export async function countCallers(
  database: Database,
  tenantId: string,
  workflowIds: readonly bigint[],
  most: number,
): Promise<Map<bigint, number>> {
  const rows = await database.tenantQuery<{ called: number; count: number }>(tenantId, {
    text: `SELECT wanted.id AS called, counted.count FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT count(*) FROM (
          SELECT FROM workflow_calls WHERE tenant_id = $1 AND called_id = wanted.id GROUP BY workflow_id LIMIT ${most}
        ) AS met
      ) AS counted`,
    values: [tenantId, workflowIds.map(String)],
  });
  return new Map(rows.map(({ called, count }) => [BigInt(called), count]));
}
