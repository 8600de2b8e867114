import { listedStepColumns, type StepRow } from '#src/automation/runs/run-details.reads.ts';
import { type StepStatus, stepStatuses } from '#src/automation/runs/run-status.rules.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import type { KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

/** All given filters must match; one that is null or left out does not filter. */
export interface StepFilter {
  nodeId?: string | null;
  /** The ids of the node and of the loops around it: `each/send`. */
  nodePath?: string | null;
  status?: readonly StepStatus[] | null;
  /** The path begins with this text. */
  pathPrefix?: string | null;
}

/** A step of a page, without its inputs, outputs and error. */
export interface ListedStep extends StepRow {
  /** `startedAt` in microseconds since 1970: the steps of one millisecond are in the order they began. */
  startedMicros: number;
}

/** A place in the list: by start, then path, then attempt. */
export type StepPlace = Pick<ListedStep, 'startedMicros' | 'attempt' | 'path'>;

/** The path of a step without the numbers of items: `each/send` for `each/3/send`. */
const nodePathSql = `CASE WHEN s.path = s.node_id THEN s.path ELSE regexp_replace(s.path, '/[0-9]+/', '/', 'g') END`;

/** Conditions on `steps` s within the filter, to be appended to those on its tenant and run. */
function filterConditions({ nodeId, nodePath, status, pathPrefix }: StepFilter, parameters: SqlParameters): string {
  const conditions = [
    ...(nodeId == null ? [] : [`s.node_id = ${parameters.add(nodeId)}`]),
    ...(nodePath == null ? [] : [`${nodePathSql} = ${parameters.add(nodePath)}`]),
    ...(status && status.length > 0 ? [`s.status = ANY(${parameters.add([...new Set(status)])}::text[])`] : []),
    ...(pathPrefix ? [`starts_with(s.path, ${parameters.add(pathPrefix)})`] : []),
  ];
  return conditions.map((condition) => ` AND ${condition}`).join('');
}

/** The condition that a step is beyond a cursor; its first member walks the index of starts. */
function beyond(key: StepPlace | undefined, sign: '<' | '>', parameters: SqlParameters): string {
  if (!key) return '';
  const started = `('epoch'::timestamptz + ${parameters.add(key.startedMicros)} * interval '1 microsecond')`;
  return ` AND (s.started_at, s.path, s.attempt) ${sign} (${started}, ${parameters.add(key.path)}, ${parameters.add(key.attempt)}::smallint)`;
}

/** One page of the steps of each run, in the order they began. */
export async function listSteps(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  { filter, page }: { filter: StepFilter; page: KeyPage<StepPlace> },
): Promise<Map<number, ListedStep[]>> {
  const parameters = new SqlParameters();
  const [tenant, runs] = [parameters.add(tenantId), parameters.add(runIds)];
  const where = [
    `s.tenant_id = ${tenant} AND s.run_id = wanted.id`,
    filterConditions(filter, parameters),
    beyond(page.after, '>', parameters),
    beyond(page.before, '<', parameters),
  ].join('');
  const direction = page.backwards ? 'DESC' : 'ASC';
  const rows = await database.tenantQuery<ListedStep>(tenantId, {
    text: `
      SELECT s.* FROM unnest(${runs}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT ${listedStepColumns}, (extract(epoch FROM s.started_at) * 1000000)::bigint AS "startedMicros"
        FROM steps s WHERE ${where}
        ORDER BY s.started_at ${direction}, s.path ${direction}, s.attempt ${direction} LIMIT ${page.take} OFFSET ${page.skip}
      ) AS s`,
    values: parameters.values,
    types: isoInstants,
  });
  return Map.groupBy(rows, ({ runId }) => runId);
}

/** The number of each run's steps within the filter, up to `most`. */
export async function countSteps(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  { filter, most }: { filter: StepFilter; most: number },
): Promise<Map<number, number>> {
  const parameters = new SqlParameters();
  const [tenant, runs] = [parameters.add(tenantId), parameters.add(runIds)];
  const filters = filterConditions(filter, parameters);
  const rows = await database.tenantQuery<{ runId: number; count: number }>(tenantId, {
    text: `
      SELECT wanted.id AS "runId", counted.count FROM unnest(${runs}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT count(*) FROM (
          SELECT FROM steps s WHERE s.tenant_id = ${tenant} AND s.run_id = wanted.id${filters} LIMIT ${most}
        ) AS met
      ) AS counted`,
    values: parameters.values,
    types: isoInstants,
  });
  return new Map(rows.map(({ runId, count }) => [runId, count]));
}

/** How many attempts at a node have each status, and the branches that they went along. */
export interface NodeStepCounts {
  nodeId: string;
  /** The ids of the loops around it and its own: `each/send`. */
  nodePath: string;
  total: number;
  byStatus: Record<StepStatus, number>;
  branches: string[];
}

/** The counts of each run's nodes that have steps within the filter, by the path of the node. A run has at most as many nodes as its revision. */
export async function countNodeSteps(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  filter: StepFilter,
): Promise<Map<number, NodeStepCounts[]>> {
  const parameters = new SqlParameters();
  const [tenant, runs] = [parameters.add(tenantId), parameters.add(runIds)];
  const rows = await database.tenantQuery<CountedSteps>(tenantId, {
    text: `
      SELECT s.run_id AS "runId", s.node_id AS "nodeId", ${nodePathSql} AS "nodePath", s.status, s.branch, count(*) FROM steps s
      WHERE s.tenant_id = ${tenant} AND s.run_id = ANY(${runs}::bigint[])${filterConditions(filter, parameters)}
      GROUP BY 1, 2, 3, 4, 5 ORDER BY s.run_id, (${nodePathSql}) COLLATE "C", s.branch COLLATE "C"`,
    values: parameters.values,
    types: isoInstants,
  });
  const byRun = new Map<number, Map<string, NodeStepCounts>>();
  for (const { runId, nodeId, nodePath, status, branch, count } of rows) {
    const nodes = byRun.get(runId) ?? new Map<string, NodeStepCounts>();
    byRun.set(runId, nodes);
    const counts = nodes.get(nodePath) ?? { nodeId, nodePath, total: 0, byStatus: { ...zeros }, branches: [] };
    nodes.set(nodePath, counts);
    counts.byStatus[status] += count;
    counts.total += count;
    if (branch !== null && !counts.branches.includes(branch)) counts.branches.push(branch);
  }
  return new Map([...byRun].map(([runId, nodes]) => [runId, [...nodes.values()]]));
}

interface CountedSteps {
  runId: number;
  nodeId: string;
  nodePath: string;
  status: StepStatus;
  branch: string | null;
  count: number;
}

const zeros = Object.fromEntries(stepStatuses.map((status) => [status, 0])) as Record<StepStatus, number>;
