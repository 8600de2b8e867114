import type { Deps } from '#src/infra/deps.ts';
import { deleteUnused } from '#src/infra/storage/object-references.ts';

const filesAtOnce = 500;
/** How many days a file without a run is kept, for example the body of a call that became a dead letter. */
const ownerlessDays = 30;

export interface FilePlace {
  runId: number;
  id: string;
}

/** Checks the tenant's next batch of files after `from`. Deletes files whose run was deleted, and objects that nothing else refers to. */
export async function purgeFiles(
  deps: Pick<Deps, 'database' | 'storage'>,
  tenantId: string,
  from: FilePlace,
): Promise<{ deleted: number; next: FilePlace | undefined }> {
  const { rows: met } = await deps.database.system.query<FilePlace & { key: string; is_over: boolean }>(
    `SELECT f.run_id AS "runId", f.id, f.storage_key AS key, CASE f.run_id
       WHEN 0 THEN f.created_at < now() - ${ownerlessDays} * interval '1 day'
       ELSE NOT EXISTS (SELECT FROM runs r WHERE r.tenant_id = f.tenant_id AND r.id = f.run_id) END AS is_over
     FROM run_files f WHERE f.tenant_id = $1 AND (f.run_id, f.id) > ($2, $3) ORDER BY f.run_id, f.id LIMIT ${filesAtOnce}`,
    [tenantId, from.runId, from.id],
  );
  const over = met.filter((file) => file.is_over);
  await deleteUnused(
    deps,
    over.map(({ key }) => key),
    async (tx, key) => {
      const named = over.filter((file) => file.key === key);
      await tx.query(
        `DELETE FROM run_files f USING unnest($2::bigint[], $3::text[]) AS gone (run_id, id)
         WHERE f.tenant_id = $1 AND f.run_id = gone.run_id AND f.id = gone.id`,
        [tenantId, named.map(({ runId }) => runId), named.map(({ id }) => id)],
      );
    },
  );
  const last = met.length === filesAtOnce ? met.at(-1) : undefined;
  return { deleted: over.length, next: last && { runId: last.runId, id: last.id } };
}
