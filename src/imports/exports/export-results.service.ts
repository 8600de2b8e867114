import type { Readable } from 'node:stream';
import { writers } from '#src/imports/formats/formats.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { deleteUnused } from '#src/infra/storage/object-references.ts';
import { keptExport } from './exports.inputs.ts';
import { forgetOldResults } from './exports.store.ts';

interface ResultFile {
  name: string;
  mediaType: string;
  content: Readable;
}

/** The file of an export. Throws GONE after it was deleted, a day after it was written. */
export async function findResult(
  { database, storage }: Pick<Deps, 'database' | 'storage'>,
  tenantId: string,
  id: bigint,
): Promise<ResultFile> {
  const job = await database.reader(tenantId).bulkJob.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!job?.resultKey) throw new AppError('GONE', 'The file has been deleted. Start the export again.');
  const { format } = keptExport.parse(job.profile);
  return {
    name: `${job.target}-${id}.${format}`,
    mediaType: writers[format]?.mediaType ?? 'application/octet-stream',
    content: await storage.stream(job.resultKey),
  };
}

/** Deletes the files of exports that ended a day ago; returns whether there may be more. */
export async function sweepExports(deps: Pick<Deps, 'database' | 'storage'>): Promise<boolean> {
  const keys = await forgetOldResults(deps.database.system);
  await deleteUnused(deps, keys);
  return keys.length > 0;
}
