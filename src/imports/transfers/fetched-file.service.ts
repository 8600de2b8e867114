import { createImportJob, profileNamed } from '#src/imports/bulk-jobs/bulk-jobs.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { systemActor } from '#src/infra/deps.ts';
import type { TenantTx } from '#src/infra/postgres/database.ts';
import { keepObject } from '#src/infra/storage/object-references.ts';
import type { StoredObject } from '#src/infra/storage/storage.ts';
import { TransferFault } from './transfer-fault.rules.ts';
import { holdTransfer, type TakenTransfer } from './transfers.store.ts';

export interface FetchedFile {
  name: string;
  version: string;
  stored: StoredObject;
}

/** Throws a ValidationError where the profile is gone, before a file is fetched for nothing. */
export async function assertProfile(
  { database }: ImportDeps,
  { tenantId, profile }: Pick<TakenTransfer, 'tenantId' | 'profile'>,
): Promise<void> {
  await database.withTenant(tenantId, (tx) => profileNamed(tx, tenantId, profile ?? ''));
}

/**
 * Creates the job that imports a fetched file, and records the file as fetched, in one transaction: a worker that dies before it has
 * fetched nothing, and after it the file is not fetched again. `isKnown` tells whether it was fetched in the meantime.
 */
export async function importFetched(
  deps: ImportDeps,
  transfer: TakenTransfer,
  {
    file: { name, version, stored },
    isKnown,
    isSettled = false,
  }: {
    file: FetchedFile;
    isKnown: (tx: TenantTx) => Promise<boolean>;
    /** True if the file needs nothing more once its job has ended. */
    isSettled?: boolean;
  },
): Promise<void> {
  const { tenantId, orgId, id } = transfer;
  await deps.database.withTenant(tenantId, async (tx) => {
    if (!(await holdTransfer(tx, transfer))) throw new TransferFault('Another worker has taken it up.');
    if (await isKnown(tx)) return;
    await keepObject(tx, deps, stored.key);
    const profile = await profileNamed(tx, tenantId, transfer.profile ?? '');
    const upload = await tx.upload.create({
      data: {
        tenantId,
        filename: name,
        contentType: 'application/octet-stream',
        storageKey: stored.key,
        bytes: BigInt(stored.bytes),
      },
    });
    const actor = systemActor(orgId, tenantId, 'schedule');
    const job = await createImportJob(tx, deps, actor, { uploadId: upload.id, profile });
    await tx.transferFile.create({
      data: {
        tenantId,
        transferId: BigInt(id),
        name,
        version,
        bulkJobId: job.id,
        ...(isSettled && { settledAt: new Date() }),
      },
    });
  });
}
