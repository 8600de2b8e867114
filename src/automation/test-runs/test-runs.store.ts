import { createHash } from 'node:crypto';
import type { TriggerType } from '#prisma/enums.ts';
import type { WorkflowBundleContent } from '#src/automation/blob/bundle.rules.ts';
import { NotFoundError } from '#src/infra/errors.ts';
import type { Database } from '#src/infra/postgres/database.ts';
import { toColumns } from '#src/infra/postgres/statements/columns.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

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
