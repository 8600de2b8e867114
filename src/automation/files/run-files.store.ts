import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/** The run that makes or reads a file; 0 for a file that belongs to no run yet. */
export interface FileOwner {
  tenantId: string;
  runId: number;
}

export interface StoredFile {
  id: string;
  storageKey: string;
  name: string;
  type: string;
  bytes: number;
}

const columns = `id, storage_key AS "storageKey", name, content_type AS type, bytes`;

type Sql = Pick<Database, 'tenantQuery'>;

/** The number of files of a run, and the bytes of all files of its tenant. */
export async function readUse(
  { tenantQuery }: Sql,
  { tenantId, runId }: FileOwner,
): Promise<{ files: number; bytes: number }> {
  const [row] = await tenantQuery<{ files: number; bytes: number }>(tenantId, {
    name: 'run-files-use',
    text: `SELECT (SELECT count(*) FROM run_files WHERE tenant_id = $1 AND run_id = $2) AS files,
      (SELECT coalesce(sum(bytes), 0)::bigint FROM (SELECT DISTINCT id, bytes FROM run_files WHERE tenant_id = $1) AS each) AS bytes`,
    values: [tenantId, runId],
  });
  return row as { files: number; bytes: number };
}

export async function insertFile(tx: Tx, { tenantId, runId }: FileOwner, file: StoredFile): Promise<void> {
  await tx.query({
    name: 'run-file-insert',
    text: `INSERT INTO run_files (tenant_id, id, run_id, storage_key, name, content_type, bytes) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [tenantId, file.id, runId, file.storageKey, file.name, file.type, file.bytes],
  });
}

/** Finds a file and keeps it for another run. The lock makes a sweep that would delete the file's last row wait for the new row. */
export async function takeFile(
  { tenantQuery }: Sql,
  { tenantId, runId }: FileOwner,
  id: string,
): Promise<StoredFile | undefined> {
  const [row] = await tenantQuery<StoredFile>(tenantId, {
    name: 'run-file-take',
    text: `WITH found AS MATERIALIZED (SELECT * FROM run_files WHERE tenant_id = $1 AND id = $2 ORDER BY run_id DESC LIMIT 1 FOR SHARE),
      kept AS (INSERT INTO run_files (tenant_id, id, run_id, storage_key, name, content_type, bytes)
        SELECT tenant_id, id, $3, storage_key, name, content_type, bytes FROM found ON CONFLICT DO NOTHING)
      SELECT ${columns} FROM found`,
    values: [tenantId, id, runId],
  });
  return row;
}

export async function findFile({ tenantQuery }: Sql, tenantId: string, id: string): Promise<StoredFile | undefined> {
  const [row] = await tenantQuery<StoredFile>(tenantId, {
    text: `SELECT ${columns} FROM run_files WHERE tenant_id = $1 AND id = $2 LIMIT 1`,
    values: [tenantId, id],
  });
  return row;
}

/** Gives files that belong to no run to the run that they started. A run may have read one already. */
export async function assignFiles({ tenantQuery }: Sql, { tenantId, runId }: FileOwner, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tenantQuery(tenantId, {
    text: `UPDATE run_files f SET run_id = $3 WHERE tenant_id = $1 AND id = ANY($2) AND run_id = 0
      AND NOT EXISTS (SELECT FROM run_files o WHERE o.tenant_id = $1 AND o.id = f.id AND o.run_id = $3)`,
    values: [tenantId, ids, runId],
  });
}

/** Makes files that belong to no run expire. The next sweep deletes them and their bytes. */
export async function expireUnassigned({ tenantQuery }: Sql, tenantId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tenantQuery(tenantId, {
    text: `UPDATE run_files SET created_at = '-infinity' WHERE tenant_id = $1 AND id = ANY($2) AND run_id = 0`,
    values: [tenantId, ids],
  });
}
