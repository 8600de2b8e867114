import { FileFault } from '#src/imports/formats/records/records.ts';
import { assertEncoding, readFileRows } from '#src/imports/profiles/file-rows.service.ts';
import { type KeptProfile, settingsPreviewInput } from '#src/imports/profiles/profiles.inputs.ts';
import { findTarget, readSettings, toKeptProfile } from '#src/imports/profiles/profiles.service.ts';
import { createRowReader, type ReadRow, type RowReader } from '#src/imports/profiles/row-reader.rules.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { ImportTarget } from '#src/imports/targets/target.ts';
import { unknownUpload, readUploadId } from '#src/imports/uploads/upload-id.rules.ts';
import { ConflictError, NotFoundError, ValidationError } from '#src/infra/errors.ts';
import { parseInput } from '#src/infra/inputs.ts';
import { tryRows } from './tried-rows.service.ts';

/** Milliseconds that the expressions of a preview may take: a user waits for it. */
const computingMs = 5_000;

export interface PreviewRow {
  line: number;
  /** By field. */
  values: Record<string, string | null>;
  errors: { column: string | null; reason: string }[];
}

/**
 * The first rows of an uploaded file as an import would read and merge them, by a profile or, where `profileId` is null, by settings that
 * are given. The upload stays to be imported. ValidationError at `uploadId` for an unknown upload, and for a file that cannot be read.
 */
export async function previewImport(
  deps: ImportDeps,
  tenantId: string,
  profileId: bigint | null,
  given: unknown,
): Promise<PreviewRow[]> {
  const { uploadId, rows: wanted, settings } = parseInput(settingsPreviewInput, given);
  if ((profileId === null) === (settings == null))
    throw new ValidationError({ settings: ['Give either a profile or settings.'] });
  const { target, kept } = settings
    ? readSettings(deps, settings)
    : await findProfile(deps, tenantId, profileId as bigint);
  const upload = await deps.database
    .reader(tenantId)
    .upload.findFirst({ where: { tenantId, id: readUploadId(uploadId) } });
  if (!upload) throw unknownUpload();
  if (upload.storageKey === null)
    throw new ConflictError('The file has not been sent yet. PUT it to the address of the upload first.');
  const reader = createRowReader(target, kept, { ...deps.expressions, maxMs: computingMs });
  const file = { key: upload.storageKey, profile: kept };
  const rows = await readFirst(deps, { ...file, reader, many: wanted ?? 100 });
  const refused = await tryRows(deps, tenantId, { target, profile: kept, reader, rows });
  return rows.map(({ line, cells, faults }, at) => ({
    line,
    values: Object.fromEntries(reader.columns.map(({ name }, index) => [name, cells[index] ?? null])),
    errors: [...faults, ...(refused.get(at + 1) ?? [])].map(({ column, reason }) => ({ column, reason })),
  }));
}

async function findProfile(
  { database, targets }: ImportDeps,
  tenantId: string,
  id: bigint,
): Promise<{ target: ImportTarget; kept: KeptProfile }> {
  const profile = await database
    .reader(tenantId)
    .importProfile.findUnique({ where: { tenantId_id: { tenantId, id } } });
  if (!profile) throw new NotFoundError();
  return { target: findTarget(targets, profile.target), kept: toKeptProfile(profile) };
}

async function readFirst(
  { storage }: ImportDeps,
  { many, ...file }: { key: string; profile: KeptProfile; reader: RowReader; many: number },
): Promise<ReadRow[]> {
  const found: ReadRow[] = [];
  try {
    await assertEncoding(storage, file);
    for await (const rows of readFileRows(storage, file)) {
      for (const row of rows.slice(0, many - found.length)) found.push(row);
      if (found.length === many) break;
    }
  } catch (error) {
    if (error instanceof FileFault) throw new ValidationError({ uploadId: [error.message] });
    throw error;
  }
  return found;
}
