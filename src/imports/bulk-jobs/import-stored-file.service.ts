import type { BulkJob } from '#prisma/client.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { maxUploadBytes } from '#src/imports/uploads/uploads.inputs.ts';
import type { Actor } from '#src/infra/deps.ts';
import { AppError } from '#src/infra/errors.ts';
import { keepObject } from '#src/infra/storage/object-references.ts';
import { createImportJob, profileNamed } from './bulk-jobs.service.ts';
import { startOnce } from './start-once.service.ts';

interface StoredFileImport {
  file: { name: string; type: string; size: number; storageKey: string };
  /** A profile's name. */
  profile: string;
  dryRun: boolean;
  idempotencyKey: string;
}

/**
 * Imports a file that storage has already: its upload refers to the same object, so nothing is copied. The same key again answers the same
 * job. Throws ValidationError for an unknown profile, and PAYLOAD_TOO_LARGE for a file larger than an upload may be.
 */
export async function importStoredFile(
  deps: ImportDeps,
  actor: Actor,
  { file, profile: profileName, dryRun, idempotencyKey }: StoredFileImport,
): Promise<BulkJob> {
  const { tenantId } = actor;
  if (file.size > maxUploadBytes)
    throw new AppError('PAYLOAD_TOO_LARGE', `An import reads at most ${maxUploadBytes} bytes. Split the file.`);
  return deps.database.withTenant(tenantId, (tx) =>
    startOnce(tx, { tenantId, idempotencyKey }, async () => {
      const profile = await profileNamed(tx, tenantId, profileName);
      await keepObject(tx, deps, file.storageKey);
      const { id: uploadId } = await tx.upload.create({
        data: {
          tenantId,
          filename: file.name,
          contentType: file.type,
          storageKey: file.storageKey,
          bytes: BigInt(file.size),
        },
      });
      return createImportJob(tx, deps, actor, { uploadId, profile, dryRun, idempotencyKey });
    }),
  );
}
