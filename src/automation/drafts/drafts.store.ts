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

export interface WrittenDraft {
  version: number;
  blob: unknown;
  baseRevision: number;
  savedAt: Date;
  savedBy: bigint | null;
  /** Undefined: they stay as they are. */
  pins?: unknown;
}

/** Creates or replaces the draft. In SQL, because Prisma goes through every value of the blob, a third of the work of a large save. */
export async function writeDraft(tx: TenantTx, { tenantId, workflowId }: DraftKey, draft: WrittenDraft): Promise<void> {
  const { version, baseRevision, savedAt, savedBy } = draft;
  const blob = JSON.stringify(draft.blob);
  const pins = draft.pins === undefined ? null : JSON.stringify(draft.pins);
  await tx.$executeRaw`
    INSERT INTO workflow_drafts AS d (tenant_id, workflow_id, version, blob, base_revision, pins, saved_by, saved_at)
    VALUES (${tenantId}, ${workflowId}, ${version}, ${blob}::jsonb, ${baseRevision}, coalesce(${pins}::jsonb, '{}'), ${savedBy}, ${savedAt})
    ON CONFLICT (tenant_id, workflow_id) DO UPDATE SET version = excluded.version, blob = excluded.blob,
      base_revision = excluded.base_revision, pins = coalesce(${pins}::jsonb, d.pins), saved_by = excluded.saved_by,
      saved_at = excluded.saved_at`;
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
