import { notifyBulkJob } from '#src/imports/bulk-jobs/bulk-job-notices.service.ts';
import { Interrupted, interruptedBy } from '#src/imports/bulk-jobs/bulk-jobs.rules.ts';
import type { TakenJob } from '#src/imports/bulk-jobs/bulk-jobs.store.ts';
import { FileFault } from '#src/imports/formats/records/records.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { Tx } from '#src/infra/postgres/tx.ts';
import { deleteUnused, keepObject } from '#src/infra/storage/object-references.ts';
import { storeExport } from './export-file.service.ts';
import { keptExport } from './exports.inputs.ts';
import { recordExported } from './exports.store.ts';

/** Writes the file of an export from its beginning. Throws FileFault and Interrupted. */
export async function runExport(deps: ImportDeps, job: TakenJob): Promise<void> {
  const { database } = deps;
  const { tenantId } = job;
  const target = deps.exportTargets.get(job.target);
  if (!target) throw new FileFault(`There is no target ${job.target} any more.`);
  const record = async (tx: Tx, made: Parameters<typeof recordExported>[2]): Promise<void> => {
    const interruption = interruptedBy(await recordExported(tx, job, made), deps.ending.aborted);
    if (interruption) throw new Interrupted(interruption);
    notifyBulkJob(tx, tenantId, job.id);
  };
  const { stored, rows } = await storeExport(deps, {
    tenantId,
    target,
    kept: keptExport.parse(job.profile),
    onProgress: (sent, of) =>
      database.withTenantSql(tenantId, (tx) => record(tx, { rows: sent, progress: Math.min(0.99, sent / (of || 1)) })),
  });
  try {
    await database.withTenantSql(tenantId, async (tx) => {
      await keepObject(tx, deps, stored.key);
      await record(tx, { rows, progress: 0.99, resultKey: stored.key });
    });
  } catch (error) {
    await deleteUnused(deps, [stored.key]);
    throw error;
  }
}
