import { NotFoundError } from '#src/infra/errors.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';

export interface DraftKey {
  tenantId: string;
  workflowId: bigint;
}

/** Locks a workflow that is not deleted until the transaction ends, without reading its blob. */
export async function lockRevision(tx: TenantTx, { tenantId, workflowId }: DraftKey): Promise<{ revision: number }> {
  const rows = await tx.$queryRaw<{ revision: number }[]>`
    SELECT revision FROM workflows WHERE tenant_id = ${tenantId} AND id = ${workflowId} AND deleted_at IS NULL
    FOR NO KEY UPDATE`;
  if (!rows[0]) throw new NotFoundError();
  return rows[0];
}

/** How many replaced versions of a draft are kept: an editor that saves every few seconds is a minute behind at most. */
const keptVersions = 20;

/** Keeps the present draft as an earlier version, and deletes the versions that are too old. In SQL, so that no blob leaves the database. */
export async function archiveDraft(tx: TenantTx, { tenantId, workflowId }: DraftKey): Promise<void> {
  await tx.$executeRaw`
    WITH kept AS (
      INSERT INTO workflow_draft_versions (tenant_id, workflow_id, version, blob)
      SELECT tenant_id, workflow_id, version, blob FROM workflow_drafts
      WHERE tenant_id = ${tenantId} AND workflow_id = ${workflowId} RETURNING version
    )
    DELETE FROM workflow_draft_versions d USING kept WHERE d.tenant_id = ${tenantId} AND d.workflow_id = ${workflowId}
      AND d.version <= kept.version - ${keptVersions}`;
}

/** The last version of a draft that was published or discarded; 0 if there was none. */
export async function lastVersion(tx: TenantTx, { tenantId, workflowId }: DraftKey): Promise<number> {
  const rows = await tx.$queryRaw<{ version: number }[]>`
    SELECT version FROM workflow_draft_versions WHERE tenant_id = ${tenantId} AND workflow_id = ${workflowId}
    ORDER BY version DESC LIMIT 1`;
  return rows[0]?.version ?? 0;
}
