import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import type { SftpSession } from '#src/infra/sftp/sftp-session.ts';
import { formatVersion } from './remote-files.rules.ts';
import { directoryAfter, remotePath } from './remote-paths.rules.ts';
import { type EndedFile, endedFiles, settleFile } from './transfer-files.store.ts';
import type { TakenTransfer } from './transfers.store.ts';

/**
 * Moves aside, deletes or leaves the files whose import has ended. A file that is gone or was replaced is left alone, because it was
 * handled before, or is a new file.
 */
export async function settleFetched(
  { database }: ImportDeps,
  transfer: TakenTransfer,
  { session, collect }: { session: SftpSession; collect: (name: string, work: () => Promise<void>) => Promise<void> },
): Promise<void> {
  for (const file of await endedFiles(database, transfer)) {
    await collect(file.name, async () => {
      const there = await session.find(remotePath(transfer, file.name));
      if (there && formatVersion(there) === file.version) await putAside(session, transfer, file);
      await settleFile(database, transfer.tenantId, file.id);
    });
  }
}

async function putAside(
  session: SftpSession,
  transfer: TakenTransfer,
  { name, bulkJobId, status }: EndedFile,
): Promise<void> {
  const { afterwards } = transfer;
  const hasFailed = status !== 'completed';
  const path = remotePath(transfer, name);
  if (afterwards === 'leave') return;
  if (afterwards === 'delete' && !hasFailed) return session.remove(path);
  const directory = directoryAfter(transfer, hasFailed);
  await session.makeDirectory(directory);
  await session.rename(path, `${directory}/${bulkJobId}-${name}`);
}
