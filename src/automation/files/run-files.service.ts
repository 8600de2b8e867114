import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  type FileReference,
  isFileReference,
  toFileName,
  toMediaType,
} from '#src/automation/node-api/file-reference.ts';
import { NodeError } from '#src/automation/node-api/node-error.ts';
import type { FilesPort, OpenFile } from '#src/automation/node-api/ports.ts';
import type { Deps } from '#src/infra/deps.ts';
import { AppError, NotFoundError } from '#src/infra/errors.ts';
import { keepObject } from '#src/infra/storage/object-references.ts';
import { type FileOwner, findFile, insertFile, readUse, type StoredFile, takeFile } from './run-files.store.ts';

export interface FileLimits {
  /** The most bytes of one file. */
  fileBytes: number;
  filesPerRun: number;
  /** The most bytes of all files of a tenant. */
  tenantBytes: number;
}

export interface FileDeps extends Pick<Deps, 'database' | 'storage'> {
  fileLimits: FileLimits;
}

/** The files of a run. `clean` removes secrets from the names that are stored. */
export const openRunFiles = (deps: FileDeps, owner: FileOwner, clean: (name: string) => string): FilesPort => ({
  open: (reference) => openRunFile(deps, owner, reference),
  create: ({ name, type, size }, content) =>
    createRunFile(deps, owner, { name: clean(toFileName(name)), type: toMediaType(type), size }, content),
});

const notFound = (): NodeError =>
  new NodeError(
    'FILE_NOT_FOUND',
    'There is no such file. It has expired with its run, or the reference is not from the outputs of a step of this tenant.',
  );

async function openRunFile(deps: FileDeps, owner: FileOwner, reference: unknown): Promise<OpenFile> {
  if (!isFileReference(reference)) throw notFound();
  const found = await takeFile(deps.database, owner, reference.file);
  if (!found) throw notFound();
  return {
    ...toReference(found),
    stream: () =>
      deps.storage.stream(found.storageKey).catch((error: unknown) => {
        throw isMissing(error) ? notFound() : toNodeError(error);
      }),
  };
}

const isMissing = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND';

const toReference = ({ id, name, type, bytes, storageKey }: StoredFile): FileReference => ({
  file: id,
  name,
  type,
  size: bytes,
  sha256: storageKey.slice(storageKey.lastIndexOf('/') + 1),
});

/** Stores a stream as a file of a run. The stream is read to its end or destroyed. */
export async function createRunFile(
  deps: FileDeps,
  owner: FileOwner,
  { name, type, size = 0 }: { name: string; type: string; size?: number | undefined },
  content: Readable,
): Promise<FileReference> {
  const { database, storage } = deps;
  const maxBytes = await findRoom(deps, owner).catch((error: unknown) => {
    content.destroy();
    throw error;
  });
  if (size > maxBytes) {
    content.destroy();
    throw tooLarge(maxBytes);
  }
  try {
    const stored = await storage.put(content, { maxBytes });
    const file = { id: newId(), storageKey: stored.key, name, type, bytes: stored.bytes };
    await database.withTenantSql(owner.tenantId, async (tx) => {
      await keepObject(tx, deps, stored.key);
      await insertFile(tx, owner, file);
    });
    return toReference(file);
  } catch (error) {
    if (error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE') throw tooLarge(maxBytes);
    throw toNodeError(error);
  }
}

const tooLarge = (maxBytes: number): NodeError =>
  new NodeError('FILE_TOO_LARGE', `The file is larger than ${maxBytes} bytes, which is the limit here.`);

const newId = (): string => `file_${randomBytes(16).toString('base64url')}`;

/** The number of bytes that another file may have. Throws a NodeError if no other file is allowed. */
async function findRoom({ database, fileLimits }: FileDeps, owner: FileOwner): Promise<number> {
  const { files, bytes } = await readUse(database, owner);
  const { fileBytes, filesPerRun, tenantBytes } = fileLimits;
  if (owner.runId !== 0 && files >= filesPerRun)
    throw new NodeError(
      'FILES_LIMIT',
      `A run may have ${filesPerRun} files. Pack several into one zip, or split the run.`,
    );
  if (bytes >= tenantBytes)
    throw new NodeError(
      'FILES_LIMIT',
      `The files of all runs have ${bytes} bytes; ${tenantBytes} are allowed. Keep runs for a shorter time, or ask the operator to raise RUN_FILES_TENANT_BYTES.`,
    );
  return Math.min(fileBytes, tenantBytes - bytes);
}

/** Makes the error retryable, because storage that is full or unavailable may work at the next attempt. */
const toNodeError = (error: unknown): unknown =>
  error instanceof AppError && error.code === 'UNAVAILABLE'
    ? new NodeError(error.code, error.message, { retryable: true, cause: error })
    : error;

/** The reference of a file, for people who may read the tenant's runs. */
export async function findReference(
  { database }: Pick<Deps, 'database'>,
  tenantId: string,
  id: string,
): Promise<FileReference | undefined> {
  const found = await findFile(database, tenantId, id);
  return found && toReference(found);
}

/** Opens a file with its bytes. Throws NOT_FOUND if it does not exist or has expired. */
export async function openDownload(
  { database, storage }: Pick<Deps, 'database' | 'storage'>,
  tenantId: string,
  id: string,
): Promise<FileReference & { content: Readable }> {
  const found = await findFile(database, tenantId, id);
  if (!found) throw new NotFoundError();
  return { ...toReference(found), content: await storage.stream(found.storageKey) };
}
