import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import { readStepKey, writeStepKey } from '#src/automation/runs/run-details.reads.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { contains, SqlParameters } from '#src/infra/postgres/lists/sql-parameters.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

/** The most lines of one step, and of all steps of a list, that one read returns. */
export const logLimits = { step: 2_000, steps: 10_000 };

export interface LogLine {
  id: number;
  runId: number;
  path: string;
  attempt: number;
  level: NodeLogLine['level'];
  message: string;
  at: string;
}

/** All given filters must match; one that is null or left out does not filter. */
export interface LogFilter {
  level?: readonly NodeLogLine['level'][] | null;
  /** Part of the message, in any case. */
  search?: string | null;
}

const lineColumns = `l.run_id AS "runId", l.id, l.step_path AS path, l.attempt, l.level, l.message, l.at`;

/** Conditions on `run_log_lines`, to be appended to others. */
function filterConditions({ level, search }: LogFilter, parameters: SqlParameters): string {
  const conditions = [
    ...(level && level.length > 0 ? [`level = ANY(${parameters.add([...new Set(level)])}::text[])`] : []),
    ...(search ? [contains(['message'], search, parameters)] : []),
  ];
  return conditions.map((condition) => ` AND ${condition}`).join('');
}

/** Only a statement without filters has a text that repeats. */
const preparedAs = (name: string, filters: string) => (filters === '' ? { name } : {});

/** Log lines of each run in order: at most `limit` a run, after the line `after` where given. */
export async function readLogLines(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  { limit, after, filter }: { limit: number; after: number; filter: LogFilter },
): Promise<Map<number, LogLine[]>> {
  const parameters = new SqlParameters();
  const [tenant, runs, last, most] = [tenantId, runIds, after, limit].map((value) => parameters.add(value));
  const filters = filterConditions(filter, parameters);
  const rows = await database.tenantQuery<LogLine>(tenantId, {
    ...preparedAs('run-log-lines', filters),
    text: `
      SELECT ${lineColumns}
      FROM unnest(${runs}::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT * FROM run_log_lines WHERE tenant_id = ${tenant} AND run_id = wanted.id AND id > ${last}${filters}
        ORDER BY id LIMIT ${most}
      ) AS l ORDER BY l.run_id, l.id`,
    values: parameters.values,
    types: isoInstants,
  });
  return Map.groupBy(rows, ({ runId }) => runId);
}

/** Log lines of each step in order, by the step's key. */
export async function readStepLogLines(
  database: Database,
  tenantId: string,
  keys: readonly string[],
  filter: LogFilter,
): Promise<Map<string, LogLine[]>> {
  const wanted = keys.flatMap((key) => readStepKey(key) ?? []);
  const parameters = new SqlParameters();
  const [tenant, runs, attempts, paths] = [tenantId, ...toColumns(wanted, 'runId', 'attempt', 'path')].map((value) =>
    parameters.add(value),
  );
  const filters = filterConditions(filter, parameters);
  const rows = await database.tenantQuery<LogLine>(tenantId, {
    ...preparedAs('step-log-lines', filters),
    text: `
      SELECT ${lineColumns}
      FROM unnest(${runs}::bigint[], ${attempts}::smallint[], ${paths}::text[]) WITH ORDINALITY AS wanted(run_id, attempt, path, ord)
      CROSS JOIN LATERAL (
        SELECT * FROM run_log_lines
        WHERE tenant_id = ${tenant} AND run_id = wanted.run_id AND step_path = wanted.path AND attempt = wanted.attempt${filters}
        ORDER BY id LIMIT ${logLimits.step}
      ) AS l ORDER BY wanted.ord, l.id LIMIT ${logLimits.steps}`,
    values: parameters.values,
    types: isoInstants,
  });
  return Map.groupBy(rows, writeStepKey);
}
