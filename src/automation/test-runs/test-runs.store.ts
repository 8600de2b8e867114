import { createHash } from 'node:crypto';
import type { TriggerType } from '#prisma/enums.ts';
import type { WorkflowBundleContent } from '#src/automation/blob/bundle.rules.ts';
import { NotFoundError, ValidationError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { ReusedStep } from './reuse.rules.ts';

/** The trigger at which a test run starts: the one with the handle, else the oldest manual one. It need not be active. */
export async function findTestTrigger(
  tx: Tx,
  { tenantId, workflowId }: { tenantId: string; workflowId: number },
  handle: string | null,
): Promise<{ id: number; handle: string; type: TriggerType } | undefined> {
  const { rows } = await tx.query<{ id: number; handle: string; type: TriggerType }>(
    `SELECT id, handle, type FROM triggers WHERE tenant_id = $1 AND workflow_id = $2
       AND CASE WHEN $3::uuid IS NULL THEN type = 'manual' ELSE handle = $3 END ORDER BY active DESC, id LIMIT 1`,
    [tenantId, workflowId, handle],
  );
  return rows[0];
}

export async function readBundle(database: Database, tenantId: string, id: number): Promise<WorkflowBundleContent> {
  const [row] = await database.tenantQuery<{ content: WorkflowBundleContent }>(tenantId, {
    text: 'SELECT content FROM workflow_bundles WHERE tenant_id = $1 AND id = $2',
    values: [tenantId, id],
  });
  if (!row) throw new NotFoundError();
  return row.content;
}

/** A bundle is deleted a day after it was made, unless an active run has it: no new run takes one that is nearly as old. */
const takenForHours = 12;

/**
 * The id of a bundle with this content, which is stored once however often it is tested. Its nodes name their code by hash, so
 * nothing is built. Two calls at the same time may store it twice.
 */
export async function storeTestBundle(
  tx: Tx,
  { tenantId, workflowId }: { tenantId: string; workflowId: number },
  revision: number,
  content: WorkflowBundleContent,
): Promise<number> {
  const text = JSON.stringify(content);
  const hash = createHash('sha256').update(text).digest('hex');
  const { rows: known } = await tx.query<{ id: number }>(
    `SELECT id FROM workflow_bundles WHERE tenant_id = $1 AND workflow_id = $2 AND revision = $3 AND content_hash = $4
       AND created_at > now() - interval '${takenForHours} hours' ORDER BY id DESC LIMIT 1`,
    [tenantId, workflowId, revision, hash],
  );
  if (known[0]) return known[0].id;
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO workflow_bundles (tenant_id, workflow_id, revision, content, content_hash)
     VALUES ($1, $2, $3, $4::jsonb, $5) RETURNING id`,
    [tenantId, workflowId, revision, text, hash],
  );
  return rows[0]?.id as number;
}

/** `outputs` is storable JSON text. */
export interface PinnedOutputs {
  path: string;
  branch: string;
  outputs: string;
}

/** The run of the workflow whose outputs a test run takes, with what its nodes were. */
export interface ReusedRun {
  runId: number;
  triggerId: number | null;
  triggerHandle: string | null;
  triggerType: TriggerType;
  payload: unknown;
  /** Null once retention has deleted the bundle. */
  content: WorkflowBundleContent | null;
}

export async function findReusedRun(
  database: Database,
  { tenantId, workflowId }: { tenantId: string; workflowId: number },
  runId: bigint,
): Promise<ReusedRun | undefined> {
  const [run] = await database.tenantQuery<ReusedRun & Record<string, unknown>>(tenantId, {
    text: `SELECT r.id AS "runId", r.trigger_id AS "triggerId", r.trigger_handle AS "triggerHandle", r.trigger_type AS "triggerType", p.payload, b.content
      FROM runs r LEFT JOIN run_payloads p ON p.tenant_id = r.tenant_id AND p.run_id = r.id
      LEFT JOIN workflow_bundles b ON b.tenant_id = r.tenant_id AND b.id = r.bundle_id
      WHERE r.tenant_id = $1 AND r.workflow_id = $2 AND r.id = $3`,
    values: [tenantId, workflowId, runId],
  });
  return run;
}

/** The last attempt at each node outside of loops. */
export function listLastSteps(database: Database, tenantId: string, runId: number): Promise<ReusedStep[]> {
  return database.tenantQuery<ReusedStep & Record<string, unknown>>(tenantId, {
    text: `SELECT DISTINCT ON (path) path, status, branch FROM steps
      WHERE tenant_id = $1 AND run_id = $2 AND path = node_id ORDER BY path, attempt DESC`,
    values: [tenantId, runId],
  });
}

/** Paths at which the pins of a run and these differ. */
export async function listChangedPins(
  database: Database,
  tenantId: string,
  runId: number,
  pins: readonly PinnedOutputs[],
): Promise<string[]> {
  const rows = await database.tenantQuery<{ path: string }>(tenantId, {
    text: `SELECT path FROM unnest($3::text[], $4::text[], $5::text[]) AS n(path, branch, outputs)
      FULL JOIN (
        SELECT path, branch, outputs FROM test_run_outputs WHERE tenant_id = $1 AND run_id = $2 AND origin = 'pinned'
      ) AS o USING (path)
      WHERE n.branch IS DISTINCT FROM o.branch OR n.outputs::jsonb IS DISTINCT FROM o.outputs`,
    values: [tenantId, runId, ...toColumns(pins, 'path', 'branch', 'outputs')],
  });
  return rows.map(({ path }) => path);
}

/** As stored, which is less than as text. */
const maxReusedBytes = 64 * 1024 * 1024;

/** Copies the outputs of these nodes, so that the test run does not depend on how long the other is kept. */
export async function copyOutputs(
  tx: Tx,
  tenantId: string,
  runId: number,
  from: { runId: number; paths: readonly string[] },
): Promise<void> {
  const { rows } = await tx.query<{ bytes: number }>(
    `WITH copied AS (
       INSERT INTO test_run_outputs (tenant_id, run_id, path, origin, branch, outputs)
       SELECT $1, $2, path, 'reused', coalesce(branch, 'default'), coalesce(outputs, '{}') FROM (
         SELECT DISTINCT ON (path) path, branch, outputs FROM steps
         WHERE tenant_id = $1 AND run_id = $3 AND path = ANY($4::text[]) AND status = 'succeeded' ORDER BY path, attempt DESC
       ) AS last RETURNING pg_column_size(outputs) AS bytes
     ) SELECT coalesce(sum(bytes), 0)::bigint AS bytes FROM copied`,
    [tenantId, runId, from.runId, from.paths],
  );
  if ((rows[0]?.bytes ?? 0) > maxReusedBytes)
    throw new ValidationError({ reuse: [`The outputs of that run are more than ${maxReusedBytes} bytes.`] });
}

export async function insertPins(
  tx: Tx,
  tenantId: string,
  runId: number,
  pins: readonly PinnedOutputs[],
): Promise<void> {
  await tx.query(
    `INSERT INTO test_run_outputs (tenant_id, run_id, path, origin, branch, outputs)
     SELECT $1, $2, path, 'pinned', branch, outputs::jsonb FROM unnest($3::text[], $4::text[], $5::text[]) AS t(path, branch, outputs)`,
    [tenantId, runId, ...toColumns(pins, 'path', 'branch', 'outputs')],
  );
}
