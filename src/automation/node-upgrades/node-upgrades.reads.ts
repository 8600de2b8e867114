import type { Database } from '#src/infra/postgres/database.ts';

/** The blob that an editor shows: that of the draft, without one that of the newest revision. */
export interface EditedBlob {
  blob: unknown;
  /** The draft's version; 0 without a draft. */
  version: number;
  /** The revision whose changes the blob contains. */
  baseRevision: number;
}

/** Undefined for a workflow that the tenant does not have, or that was deleted. */
export async function readEditedBlob(
  database: Database,
  tenantId: string,
  workflowId: bigint,
): Promise<EditedBlob | undefined> {
  const [row] = await database.tenantQuery<EditedBlob & Record<string, unknown>>(tenantId, {
    text: `SELECT coalesce(d.blob, w.blob) AS blob, coalesce(d.version, 0) AS version, coalesce(d.base_revision, w.revision) AS "baseRevision"
      FROM workflows w LEFT JOIN workflow_drafts d ON d.tenant_id = w.tenant_id AND d.workflow_id = w.id
      WHERE w.tenant_id = $1 AND w.id = $2 AND w.deleted_at IS NULL`,
    values: [tenantId, workflowId],
  });
  return row;
}
