import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';

/**
 * Takes the right to send the upload's file, which only one request has; undefined where it was sent, or is being sent. A request
 * that ended with its process loses the right after an hour.
 */
export async function claimUpload(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  id: number,
): Promise<{ size: number | null; contentType: string } | undefined> {
  const [row] = await tenantQuery<{ size: number | null; contentType: string }>(tenantId, {
    text: `UPDATE uploads SET receiving_since = now() WHERE tenant_id = $1 AND id = $2 AND storage_key IS NULL
      AND (receiving_since IS NULL OR receiving_since < now() - interval '1 hour') RETURNING size, content_type AS "contentType"`,
    values: [tenantId, id],
  });
  return row;
}

/** Deletes uploads older than a day that no unfinished job reads, and returns their storage keys. */
export async function deleteStaleUploads(system: Pick<Tx, 'query'>): Promise<(string | null)[]> {
  const { rows } = await system.query<{ storage_key: string | null }>(
    `DELETE FROM uploads WHERE (tenant_id, id) IN (
      SELECT u.tenant_id, u.id FROM uploads u WHERE created_at < now() - interval '1 day' AND NOT EXISTS (
        SELECT FROM bulk_jobs j WHERE j.tenant_id = u.tenant_id AND j.upload_id = u.id AND j.status IN ('queued', 'running'))
      ORDER BY created_at LIMIT 100)
     RETURNING storage_key`,
  );
  return rows.map(({ storage_key }) => storage_key);
}
