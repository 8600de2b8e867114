import type { Database } from '#src/infra/postgres/database.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

export interface DraftRow {
  tenantId: string;
  workflowId: number;
  version: number;
  baseRevision: number;
  /** The workflow has a newer revision. */
  isBehind: boolean;
  /** Email address of who saved it, or the subject if there is none; null for the system. */
  savedBy: string | null;
  /** ISO 8601. */
  savedAt: string;
  /** Null unless it was read. */
  blob: unknown;
  pins: unknown;
}

/** The drafts of workflows that are not deleted, by the workflow's id; `withContent` reads blobs and pins too. */
export async function loadDrafts(
  database: Database,
  tenantId: string,
  workflowIds: readonly string[],
  withContent: boolean,
): Promise<Map<string, DraftRow>> {
  const content = withContent ? 'd.blob, d.pins' : 'NULL::jsonb AS blob, NULL::jsonb AS pins';
  const rows = await database.tenantQuery<DraftRow & Record<string, unknown>>(tenantId, {
    text: `SELECT d.tenant_id AS "tenantId", d.workflow_id AS "workflowId", d.version, d.base_revision AS "baseRevision",
        d.base_revision < w.revision AS "isBehind", d.saved_at AS "savedAt", coalesce(u.email, u.sub) AS "savedBy", ${content}
      FROM workflow_drafts d
      JOIN workflows w ON w.tenant_id = $1 AND w.id = d.workflow_id AND w.deleted_at IS NULL
      LEFT JOIN users u ON u.id = d.saved_by
      WHERE d.tenant_id = $1 AND d.workflow_id = ANY($2::bigint[])`,
    values: [tenantId, workflowIds],
    types: isoInstants,
  });
  return new Map(rows.map((row) => [String(row.workflowId), row]));
}
