import type { Workflow } from '#prisma/client.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';

export interface WorkflowKey {
  tenantId: string;
  workflowId: number;
}

/** True when the workflow is still at `revision`; if so it stays there until the transaction ends. */
export async function lockRevision(
  tx: TenantTx,
  { tenantId, workflowId }: WorkflowKey,
  revision: number,
): Promise<boolean> {
  const rows = await tx.$queryRaw<object[]>`
    SELECT 1 FROM workflows WHERE tenant_id = ${tenantId} AND id = ${workflowId} AND revision = ${revision}
      AND deleted_at IS NULL FOR NO KEY UPDATE`;
  return rows.length > 0;
}

/** How many earlier revisions are kept: an editor that saves automatically makes thousands, of up to 1 MiB each. */
const keptRevisions = 1_000;
/** The most revisions that one change deletes, so that a change after a long history stays fast. */
const prunedAtOnce = 100;

/** Deletes a batch of the oldest revisions that a workflow no longer keeps. */
export async function pruneRevisions(tx: TenantTx, { tenantId, id, revision }: Workflow): Promise<void> {
  await tx.$executeRaw`
    DELETE FROM workflow_revisions WHERE tenant_id = ${tenantId} AND workflow_id = ${id} AND revision IN (
      SELECT revision FROM workflow_revisions WHERE tenant_id = ${tenantId} AND workflow_id = ${id}
        AND revision <= ${revision - keptRevisions} ORDER BY revision LIMIT ${prunedAtOnce}
    )`;
}
