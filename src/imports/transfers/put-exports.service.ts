import { createExportJob } from '#src/imports/exports/export-start.service.ts';
import { sftpLogin } from '#src/imports/sftp-accounts/sftp-login.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { systemActor } from '#src/infra/deps.ts';
import { type SftpSession, withSftp } from '#src/infra/sftp/sftp-session.ts';
import { exportFileName } from './export-file-name.rules.ts';
import { remotePath } from './remote-paths.rules.ts';
import { TransferFault } from './transfer-fault.rules.ts';
import { type EndedFile, endedFiles, settleFile } from './transfer-files.store.ts';
import { clearRequest, type TakenTransfer } from './transfers.store.ts';

/** Starts the requested export, and uploads the files of exports that have ended. Returns whether it uploaded one. */
export async function putExports(deps: ImportDeps, transfer: TakenTransfer, signal: AbortSignal): Promise<boolean> {
  if (transfer.requestedAt !== null) await startRequested(deps, transfer);
  const ended = await endedFiles(deps.database, transfer);
  const written = ended.filter(({ resultKey, status }) => resultKey !== null && status === 'completed');
  const lost = ended.filter((file) => !written.includes(file));
  if (written.length > 0) {
    const login = await sftpLogin(deps, { tenantId: transfer.tenantId, id: Number(transfer.accountId) });
    await withSftp(deps.egress, login, {
      signal,
      async work(session) {
        for (const file of written) await putFile(deps, transfer, { session, file });
      },
    });
  }
  for (const { id } of lost) await settleFile(deps.database, transfer.tenantId, id);
  if (lost.length > 0) throw new TransferFault(lost.map(describeLoss).join(' '));
  return written.length > 0;
}

const describeLoss = ({ name, status, bulkJobId }: EndedFile): string =>
  status === 'completed'
    ? `${name}: it could not be put for a day, after which the file of an export is deleted.`
    : `${name}: the export, bulk job ${bulkJobId}, ${status === 'failed' ? 'failed' : 'was cancelled'}.`;

/** Starts the export in the transaction that removes the request, so that a request leads to one file. */
async function startRequested(deps: ImportDeps, transfer: TakenTransfer): Promise<void> {
  const { tenantId, orgId, id, profile, target, format, filter, timezone } = transfer;
  await deps.database.withTenant(tenantId, async (tx) => {
    if (!(await clearRequest(tx, transfer))) throw new TransferFault('Another worker has taken it up.');
    const actor = systemActor(orgId, tenantId, 'schedule');
    const job = await createExportJob(tx, deps, actor, { profile, target, format, filter });
    const name = exportFileName(transfer.filename ?? '', { at: new Date(), timezone, job: Number(job.id) });
    await tx.transferFile.create({
      data: { tenantId, transferId: BigInt(id), name, version: '', bulkJobId: job.id },
    });
  });
}

/** Writes under another name first, so that a reader never finds half of the file. */
async function putFile(
  { database, storage }: ImportDeps,
  transfer: TakenTransfer,
  { session, file }: { session: SftpSession; file: EndedFile },
): Promise<void> {
  const draft = remotePath(transfer, `.${file.name}.part`);
  await session.write(draft, await storage.stream(file.resultKey ?? ''));
  await session.rename(draft, remotePath(transfer, file.name));
  await settleFile(database, transfer.tenantId, file.id);
}
