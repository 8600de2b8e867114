import { randomUUID } from 'node:crypto';
import { link, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** A new file name is durable only after its directory is synced. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a file that only its owner may read, unless it exists. The first of several processes that start together writes it, completely,
 * and it is on disk before this resolves: sealed data survives a crash only if its key does.
 */
export async function makeFileOnce(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  // Not named by the process id, which two containers on one volume may share.
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600, flush: true });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
  await syncDirectory(dirname(file));
}
