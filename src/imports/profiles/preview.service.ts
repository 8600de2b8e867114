import { FileFault } from '#src/imports/formats/file-fault.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { unknownUpload, uploadIdOf } from '#src/imports/uploads/upload-id.rules.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { readFileRows } from './file-rows.service.ts';
import { previewInput } from './profiles.inputs.ts';
import { keptOf, targetOf } from './profiles.service.ts';
import { createRowReader } from './row-reader.rules.ts';

/** What the expressions of a preview may take: somebody waits for it. */
const computingMs = 5_000;

export interface PreviewRow {
  line: number;
  /** By field. */
  values: Record<string, string | null>;
  errors: { column: string | null; reason: string }[];
}

/**
 * The first rows of an uploaded file as an import would read them. The upload stays to be imported. ValidationError at `uploadId`
 * for an unknown upload, and for a file that cannot be read.
 */
export async function previewImport(
  deps: ImportDeps,
  tenantId: string,
  profileId: bigint,
  given: unknown,
): Promise<PreviewRow[]> {
  const { uploadId, rows: wanted } = parseInput(previewInput, given);
  const db = deps.database.reader(tenantId);
  const profile = await db.importProfile.findUnique({ where: { tenantId_id: { tenantId, id: profileId } } });
  if (!profile) throw new NotFoundError();
  const upload = await db.upload.findFirst({ where: { tenantId, id: uploadIdOf(uploadId) } });
  if (!upload) throw unknownUpload();
  if (upload.storageKey === null)
    throw new ConflictError('The file has not been sent yet. PUT it to the address of the upload first.');
  const kept = keptOf(profile);
  const reader = createRowReader(targetOf(deps.targets, profile.target), kept, {
    ...deps.expressions,
    mostMs: computingMs,
  });
  const many = wanted ?? 100;
  const found: PreviewRow[] = [];
  try {
    for await (const rows of readFileRows(deps.storage, { key: upload.storageKey, profile: kept, reader })) {
      for (const { line, cells, faults } of rows.slice(0, many - found.length)) {
        const values = Object.fromEntries(reader.columns.map(({ name }, index) => [name, cells[index] ?? null]));
        found.push({ line, values, errors: faults.map(({ column, reason }) => ({ column, reason })) });
      }
      if (found.length === many) break;
    }
  } catch (error) {
    if (error instanceof FileFault) throw new ValidationError({ uploadId: [error.message] });
    throw error;
  }
  return found;
}
