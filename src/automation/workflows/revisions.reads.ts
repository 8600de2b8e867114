import type { Database } from '#src/infra/postgres/database.ts';
import type { Cursors, KeyPage } from '#src/infra/postgres/lists/keyset.ts';
import { isoInstants } from '#src/infra/postgres/statements/instants.ts';

/** A revision without its blob: the current one or an earlier one. */
export interface RevisionRow {
  workflowId: number;
  revision: number;
  /** ISO 8601. */
  createdAt: string;
  /** Email address of its author, or the subject if there is none; null for the system. */
  createdBy: string | null;
  note: string | null;
}

export interface RevisionKey {
  tenantId: string;
  workflowId: bigint | number;
}

export const revisionCursors: Cursors<RevisionRow, number> = {
  write: ({ revision }) => `revision:${revision}`,
  read: (text) => (/^revision:\d{1,9}$/.test(text) ? Number(text.slice('revision:'.length)) : undefined),
};

/** The current revision is stored with the workflow, earlier ones in the archive. A deleted workflow has none. */
const revisions = `
  SELECT revision, revision_author AS author, revision_created_at AS created_at, revision_note AS note
  FROM workflows WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL
  UNION ALL
  SELECT revision, created_by, created_at, note FROM workflow_revisions WHERE tenant_id = $1 AND workflow_id = $2
    AND EXISTS (SELECT FROM workflows WHERE tenant_id = $1 AND id = $2 AND deleted_at IS NULL)`;

/** One page of a workflow's revisions, newest first. */
export function listRevisions(
  database: Database,
  { tenantId, workflowId }: RevisionKey,
  { take, skip, backwards, after, before }: KeyPage<number>,
): Promise<RevisionRow[]> {
  const way = backwards ? 'ASC' : 'DESC';
  return database.tenantQuery<RevisionRow>(tenantId, {
    text: `SELECT $2::bigint AS "workflowId", r.revision, r.created_at AS "createdAt", r.note, coalesce(u.email, u.sub) AS "createdBy"
      FROM (
        SELECT * FROM (${revisions}) AS every WHERE revision < coalesce($3::bigint, 2147483648)
          AND revision > coalesce($4::bigint, 0)
        ORDER BY revision ${way} LIMIT $5 OFFSET $6
      ) AS r LEFT JOIN users u ON u.id = r.author ORDER BY r.revision ${way}`,
    values: [tenantId, String(workflowId), after, before, take, skip],
    types: isoInstants,
  });
}

export async function countRevisions(
  database: Database,
  { tenantId, workflowId }: RevisionKey,
  most: number,
): Promise<number> {
  const [row] = await database.tenantQuery<{ count: number }>(tenantId, {
    text: `SELECT count(*) FROM (SELECT FROM (${revisions}) AS every LIMIT ${most}) AS met`,
    values: [tenantId, String(workflowId)],
  });
  return row?.count ?? 0;
}

export async function findRevision(
  database: Database,
  key: RevisionKey,
  revision: number,
): Promise<RevisionRow | null> {
  const only = { take: 1, skip: 0, backwards: false, after: revision + 1, before: revision - 1 };
  const [row] = await listRevisions(database, key, only);
  return row ?? null;
}

/** The revisions with these keys (see `blobKey`), by key; those that are not there are left out. */
export async function findRevisions(
  database: Database,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, RevisionRow>> {
  const parts = keys.map((key) => key.split('/'));
  const rows = await database.tenantQuery<RevisionRow>(tenantId, {
    text: `SELECT k.workflow_id AS "workflowId", k.revision, found.created_at AS "createdAt", found.note, coalesce(u.email, u.sub) AS "createdBy"
      FROM unnest($2::bigint[], $3::int[]) AS k(workflow_id, revision)
      CROSS JOIN LATERAL (
        SELECT revision_author AS author, revision_created_at AS created_at, revision_note AS note
        FROM workflows WHERE tenant_id = $1 AND id = k.workflow_id AND revision = k.revision AND deleted_at IS NULL
        UNION ALL
        SELECT r.created_by, r.created_at, r.note FROM workflow_revisions r
        JOIN workflows w ON w.tenant_id = $1 AND w.id = r.workflow_id AND w.deleted_at IS NULL
        WHERE r.tenant_id = $1 AND r.workflow_id = k.workflow_id AND r.revision = k.revision
        LIMIT 1
      ) AS found LEFT JOIN users u ON u.id = found.author`,
    values: [tenantId, parts.map(([workflowId]) => workflowId), parts.map(([, revision]) => revision)],
    types: isoInstants,
  });
  return new Map(rows.map((row) => [blobKey(row.workflowId, row.revision), row]));
}

/** `12/3`: revision 3 of workflow 12. */
export const blobKey = (workflowId: bigint | number, revision: number): string => `${workflowId}/${revision}`;

/** Blobs of workflows that are not deleted, by `blobKey`; missing ones are left out. */
export async function loadBlobs(
  database: Database,
  tenantId: string,
  keys: readonly string[],
): Promise<Map<string, unknown>> {
  const parts = [...new Set(keys)].map((key) => key.split('/'));
  const rows = await database.tenantQuery<{ workflow_id: number; revision: number; blob: unknown }>(tenantId, {
    text: `SELECT k.workflow_id, k.revision, CASE WHEN w.revision = k.revision THEN w.blob ELSE r.blob END AS blob
      FROM unnest($2::bigint[], $3::int[]) AS k(workflow_id, revision)
      JOIN workflows w ON w.tenant_id = $1 AND w.id = k.workflow_id AND w.deleted_at IS NULL
      LEFT JOIN workflow_revisions r ON r.tenant_id = $1 AND r.workflow_id = k.workflow_id AND r.revision = k.revision
      WHERE w.revision = k.revision OR r.revision IS NOT NULL`,
    values: [tenantId, parts.map(([workflowId]) => workflowId), parts.map(([, revision]) => revision)],
  });
  return new Map(rows.map(({ workflow_id: id, revision, blob }) => [blobKey(id, revision), blob]));
}
