import type { SentCall } from '#src/automation/node-api/sent-calls.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';
import type { StepStatus } from './run-status.rules.ts';

/** The most steps of a run that one read returns. */
export const detailLimits = { steps: 2_000 };

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
  /** Absent from the rows of a page: these four are read where they are selected, because outputs have up to 4 MiB. */
  inputs?: unknown;
  outputs?: unknown;
  error?: unknown;
  calls?: SentCall[] | null;
  resumeToken: string | null;
  /** The reason why a step waits: `time`, `resume`, `run:<id>` or `rate_limit:<credential>`. */
  waitingFor: string | null;
  wakeAt: string | null;
  startedAt: string;
  completedAt: string | null;
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

/** Columns of `steps` s that make a StepRow without its values. */
export const listedStepColumns = `s.run_id AS "runId", s.path, s.node_id AS "nodeId", s.attempt, s.node, s.node_version AS "nodeVersion", s.status,
  s.branch, s.origin, CASE s.status WHEN 'waiting' THEN s.resume_token END AS "resumeToken",
  CASE s.status WHEN 'waiting' THEN s.waiting_for END AS "waitingFor",
  CASE WHEN s.status IN ('waiting', 'failed') THEN s.wake_at END AS "wakeAt", s.started_at AS "startedAt", s.completed_at AS "completedAt"`;

/** Columns of `steps` s that make a StepRow. */
export const stepColumns = `${listedStepColumns}, s.inputs, s.outputs, s.error`;

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

/** The key of a step, in a global id and in a link: `run/attempt/path`. */
export const writeStepKey = ({ runId, attempt, path }: Pick<StepRow, 'runId' | 'attempt' | 'path'>): string =>
  `${runId}/${attempt}/${path}`;

/** Undefined if no step can have this key. */
export function readStepKey(key: string): Pick<StepRow, 'runId' | 'attempt' | 'path'> | undefined {
  const [, runId, attempt, path] = /^(\d{1,16})\/(\d{1,4})\/([^\0]{1,2000})$/s.exec(key) ?? [];
  return path === undefined ? undefined : { runId: Number(runId), attempt: Number(attempt), path };
}

/** The step that a global id names. Null if the tenant has none. */
export async function findStep(database: Database, tenantId: string, id: string): Promise<StepRow | null> {
  const key = readStepKey(id);
  if (!key) return null;
  const [step] = await database.tenantQuery<StepRow>(tenantId, {
    text: `SELECT ${stepColumns} FROM steps s WHERE s.tenant_id = $1 AND s.run_id = $2 AND s.attempt = $3 AND s.path = $4`,
    values: [tenantId, key.runId, key.attempt, key.path],
    types: isoInstants,
  });
  return step ?? null;
}

/** An expression over `steps` s for each of these steps, by its key; steps that are gone are left out. */
export async function readOfSteps<Value>(
  database: Database,
  tenantId: string,
  keys: readonly string[],
  { name, expression }: { name: string; expression: string },
): Promise<Map<string, Value>> {
  const wanted = keys.flatMap((key) => readStepKey(key) ?? []);
  const rows = await database.tenantQuery<Pick<StepRow, 'runId' | 'attempt' | 'path'> & { value: Value }>(tenantId, {
    name: `steps-${name}`,
    text: `
      SELECT s.run_id AS "runId", s.attempt, s.path, ${expression} AS value
      FROM unnest($2::bigint[], $3::smallint[], $4::text[]) AS wanted(run_id, attempt, path)
      JOIN steps s ON s.tenant_id = $1 AND s.run_id = wanted.run_id AND s.path = wanted.path AND s.attempt = wanted.attempt`,
    values: [tenantId, ...toColumns(wanted, 'runId', 'attempt', 'path')],
    types: isoInstants,
  });
  return new Map(rows.map((row) => [writeStepKey(row), row.value]));
}
