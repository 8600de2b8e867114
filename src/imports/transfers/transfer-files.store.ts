import type { Database } from '#src/infra/postgres/database.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import type { HeldTransfer } from './transfers.store.ts';

/** A file whose job has ended. */
export interface EndedFile {
  id: number;
  name: string;
  version: string;
  bulkJobId: number;
  status: 'completed' | 'failed' | 'cancelled';
  /** Where the file of an export is stored. */
  resultKey: string | null;
}

const hasNotFailed = "j.status NOT IN ('failed', 'cancelled')";

type Of = Pick<HeldTransfer, 'tenantId' | 'id'>;

/** Files whose job has ended and that still have to be handled, the oldest first. */
export const endedFiles = (
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  { tenantId, id }: Of,
): Promise<EndedFile[]> =>
  tenantQuery<EndedFile>(tenantId, {
    name: 'ended-transfer-files',
    text: `SELECT f.id, f.name, f.version, f.bulk_job_id AS "bulkJobId", j.status, j.result_key AS "resultKey"
      FROM transfer_files f JOIN bulk_jobs j ON j.tenant_id = f.tenant_id AND j.id = f.bulk_job_id
      WHERE f.tenant_id = $1 AND f.transfer_id = $2 AND f.settled_at IS NULL AND j.status NOT IN ('queued', 'running')
      ORDER BY f.id LIMIT 1000`,
    values: [tenantId, id],
  });

/** Records that a file needs nothing more. */
export async function settleFile(
  { tenantQuery }: Pick<Database, 'tenantQuery'>,
  tenantId: string,
  fileId: number,
): Promise<void> {
  await tenantQuery(tenantId, {
    text: 'UPDATE transfer_files SET settled_at = now() WHERE tenant_id = $1 AND id = $2',
    values: [tenantId, fileId],
  });
}

/**
 * Returns the files that were fetched before, in this version. One that was moved aside or deleted since its import failed and is there
 * again was put back by somebody, to be imported.
 */
export async function knownFiles(
  { query }: Pick<Tx, 'query'>,
  { tenantId, id }: Of,
  files: readonly { name: string; version: string }[],
): Promise<Set<string>> {
  const { rows } = await query<{ name: string; version: string }>(
    `SELECT DISTINCT f.name, f.version FROM unnest($3::text[], $4::text[]) AS g(name, version)
     JOIN transfer_files f ON f.tenant_id = $1 AND f.transfer_id = $2 AND f.name = g.name AND f.version = g.version
     JOIN transfers t ON t.tenant_id = $1 AND t.id = $2
     JOIN bulk_jobs j ON j.tenant_id = $1 AND j.id = f.bulk_job_id
     WHERE t.afterwards = 'leave' OR f.settled_at IS NULL OR ${hasNotFailed}`,
    [tenantId, id, files.map(({ name }) => name), files.map(({ version }) => version)],
  );
  return new Set(rows.map(fileKey));
}

export const fileKey = ({ name, version }: { name: string; version: string }): string => `${name}/${version}`;

/** The version that the transfer last fetched; undefined if there is none. */
export async function lastVersion({ query }: Pick<Tx, 'query'>, { tenantId, id }: Of): Promise<string | undefined> {
  const { rows } = await query<{ version: string }>(
    'SELECT version FROM transfer_files WHERE tenant_id = $1 AND transfer_id = $2 ORDER BY id DESC LIMIT 1',
    [tenantId, id],
  );
  return rows[0]?.version;
}

/** Forgets the files whose import failed, so that the next run fetches them again where they still are. */
export async function forgetFailed({ query }: Pick<Tx, 'query'>, { tenantId, id }: Of): Promise<void> {
  await query(
    `DELETE FROM transfer_files f USING bulk_jobs j WHERE f.tenant_id = $1 AND f.transfer_id = $2 AND f.settled_at IS NOT NULL
       AND j.tenant_id = f.tenant_id AND j.id = f.bulk_job_id AND NOT (${hasNotFailed})`,
    [tenantId, id],
  );
}
