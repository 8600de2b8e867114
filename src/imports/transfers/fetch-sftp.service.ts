import { sftpLogin } from '#src/imports/sftp-accounts/sftp-login.service.ts';
import type { ImportDeps } from '#src/imports/targets/import-deps.ts';
import { maxUploadBytes } from '#src/imports/uploads/uploads.inputs.ts';
import { SftpError } from '#src/infra/sftp/sftp-error.ts';
import { type RemoteFile, type SftpSession, withSftp } from '#src/infra/sftp/sftp-session.ts';
import { deleteUnused } from '#src/infra/storage/object-references.ts';
import { pause } from '#src/infra/timing/timers.ts';
import { assertProfile, importFetched } from './fetched-file.service.ts';
import { compilePattern, formatVersion } from './remote-files.rules.ts';
import { remotePath } from './remote-paths.rules.ts';
import { settleFetched } from './settle-fetched.service.ts';
import { faultSentence } from './transfer-failures.service.ts';
import { TransferFault } from './transfer-fault.rules.ts';
import { fileKey, knownFiles } from './transfer-files.store.ts';
import type { TakenTransfer } from './transfers.store.ts';

/**
 * Moves imported files aside, and imports new ones. A file that cannot be handled does not hold up the others; a TransferFault names it
 * at the end. Returns whether it looked for new files.
 */
export async function fetchFromSftp(deps: ImportDeps, transfer: TakenTransfer, signal: AbortSignal): Promise<boolean> {
  const login = await sftpLogin(deps, { tenantId: transfer.tenantId, id: Number(transfer.accountId) });
  const isAsked = transfer.requestedAt !== null;
  const faults: string[] = [];
  const collect = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      const sentence = isOfFile(error) ? faultSentence(error) : undefined;
      if (sentence === undefined) throw error;
      faults.push(`${name}: ${sentence}`);
    }
  };
  await withSftp(deps.egress, login, {
    signal,
    async work(session) {
      await settleFetched(deps, transfer, { session, collect });
      if (!isAsked) return;
      await assertProfile(deps, transfer);
      for (const file of await newFiles(deps, transfer, { session, signal }))
        await collect(file.name, () => fetchFile(deps, transfer, { session, file }));
    },
  });
  if (faults.length > 0) throw new TransferFault(faults.join(' '));
  return isAsked;
}

/** True if other files may succeed although one failed. */
const isOfFile = (error: unknown): boolean =>
  !(error instanceof SftpError) ||
  error.code === 'not_found' ||
  error.code === 'permission' ||
  error.code === 'protocol';

/** Files that fit the pattern and were not fetched yet, as they were when first seen; the oldest come first. */
async function newFiles(
  { database, settings }: ImportDeps,
  transfer: TakenTransfer,
  { session, signal }: { session: SftpSession; signal: AbortSignal },
): Promise<RemoteFile[]> {
  const fits = compilePattern(transfer.pattern ?? '*');
  const found = (await session.list(transfer.path)).filter(({ name }) => fits(name));
  const known = await database.withTenantSql(transfer.tenantId, (tx) => knownFiles(tx, transfer, found.map(versioned)));
  const unknown = found
    .filter((file) => !known.has(fileKey(versioned(file))))
    .toSorted((a, b) => a.modifiedAt - b.modifiedAt || (a.name < b.name ? -1 : 1))
    .slice(0, transfer.maxFiles);
  if (unknown.length > 0) await pause(settings.sftpStableMs, signal);
  return unknown;
}

const versioned = (file: RemoteFile) => ({ name: file.name, version: formatVersion(file) });

/** Imports a file unless it is still being written: it must look as before, also once it has been read. */
async function fetchFile(
  deps: ImportDeps,
  transfer: TakenTransfer,
  { session, file }: { session: SftpSession; file: RemoteFile },
): Promise<void> {
  const { name, size } = file;
  const version = formatVersion(file);
  const path = remotePath(transfer, name);
  const isAsBefore = async (): Promise<boolean> => {
    const now = await session.find(path);
    return now !== undefined && formatVersion(now) === version;
  };
  if (!(await isAsBefore())) return;
  if (size > maxUploadBytes)
    throw new TransferFault(`It has more than ${maxUploadBytes} bytes. Split it, or pack it with gzip.`);
  const stored = await deps.storage.put(session.read(path, size), { maxBytes: maxUploadBytes });
  try {
    if (stored.bytes !== size || !(await isAsBefore())) return;
    await importFetched(deps, transfer, {
      file: { name, version, stored },
      isKnown: async (tx) => (await knownFiles(tx, transfer, [{ name, version }])).size > 0,
    });
  } finally {
    await deleteUnused(deps, [stored.key]);
  }
}
