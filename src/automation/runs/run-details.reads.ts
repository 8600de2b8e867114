import type { NodeLogLine } from '#src/automation/node-api/node-runtime.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { StepStatus } from './run-status.rules.ts';

/** The most steps of a run that one read returns, and the most log lines of one run shown with its steps. */
export const detailLimits = { steps: 2_000, logLines: 10_000 };

export interface StepRow {
  runId: number;
  path: string;
  nodeId: string;
  attempt: number;
  node: string | null;
  nodeVersion: string | null;
  status: StepStatus;
  branch: string | null;
  /** How a test run got its outputs; null for a node that was executed. */
  origin: 'pinned' | 'reused' | null;
  inputs: unknown;
  outputs: unknown;
  error: unknown;
  resumeToken: string | null;
  startedAt: string;
  completedAt: string | null;
}

export interface LogLine {
  id: number;
  runId: number;
  path: string;
  attempt: number;
  level: NodeLogLine['level'];
  message: string;
  at: string;
}

/** Values by run id; a run without one is left out. */
export async function readRunValues(
  database: Database,
  tenantId: string,
  kind: 'payload' | 'result',
  runIds: readonly number[],
): Promise<Map<number, unknown>> {
  const rows = await database.tenantQuery<{ run_id: number; value: unknown }>(tenantId, {
    name: `run-${kind}s`,
    text: `SELECT run_id, ${kind} AS value FROM run_${kind}s WHERE tenant_id = $1 AND run_id = ANY($2::bigint[])`,
    values: [tenantId, runIds],
  });
  return new Map(rows.map(({ run_id: id, value }) => [id, value]));
}

/** Columns of `steps` s that make a StepRow. */
export const stepColumns = `s.run_id AS "runId", s.path, s.node_id AS "nodeId", s.attempt, s.node, s.node_version AS "nodeVersion", s.status, s.branch, s.origin,
  s.inputs, s.outputs, s.error, CASE s.status WHEN 'waiting' THEN s.resume_token END AS "resumeToken", s.started_at AS "startedAt",
  s.completed_at AS "completedAt"`;

/** The first steps of each run in the order they began, at most `detailLimits.steps`. */
export async function readSteps(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
): Promise<Map<number, StepRow[]>> {
  const rows = await database.tenantQuery<StepRow>(tenantId, {
    name: 'run-steps',
    text: `
      SELECT ${stepColumns}
      FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT * FROM steps WHERE tenant_id = $1 AND run_id = wanted.id ORDER BY started_at, path, attempt LIMIT ${detailLimits.steps}
      ) AS s ORDER BY s.run_id, s.started_at, s.path, s.attempt`,
    values: [tenantId, runIds],
    types: isoInstants,
  });
  return Map.groupBy(rows, ({ runId }) => runId);
}

/** The step that a global id names: `run/attempt/path`. Null if the tenant has none. */
export async function findStep(database: Database, tenantId: string, id: string): Promise<StepRow | null> {
  const [, runId, attempt, path] = /^(\d{1,15})\/(\d{1,4})\/([^\0]{1,2000})$/s.exec(id) ?? [];
  if (path === undefined) return null;
  const [step] = await database.tenantQuery<StepRow>(tenantId, {
    text: `SELECT ${stepColumns} FROM steps s WHERE s.tenant_id = $1 AND s.run_id = $2 AND s.attempt = $3 AND s.path = $4`,
    values: [tenantId, runId, attempt, path],
    types: isoInstants,
  });
  return step ?? null;
}

/** Log lines of each run in order: at most `limit` a run, after the line `after` where given. */
export async function readLogLines(
  database: Database,
  tenantId: string,
  runIds: readonly number[],
  { limit, after = 0 }: { limit: number; after?: number },
): Promise<Map<number, LogLine[]>> {
  const rows = await database.tenantQuery<LogLine>(tenantId, {
    name: 'run-log-lines',
    text: `
      SELECT l.run_id AS "runId", l.id, l.step_path AS path, l.attempt, l.level, l.message, l.at
      FROM unnest($2::bigint[]) AS wanted(id) CROSS JOIN LATERAL (
        SELECT * FROM run_log_lines WHERE tenant_id = $1 AND run_id = wanted.id AND id > $4 ORDER BY id LIMIT $3
      ) AS l ORDER BY l.run_id, l.id`,
    values: [tenantId, runIds, limit, after],
    types: isoInstants,
  });
  return Map.groupBy(rows, ({ runId }) => runId);
}
