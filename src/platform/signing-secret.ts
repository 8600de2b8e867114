import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const secretBytes = 32;

/**
 * The secret that URLs are signed with: `given` where the environment names one (processes on several machines need the
 * same), else the one kept in `dataDir`, made at the first time.
 */
export async function openSigningSecret(dataDir: string, given?: string): Promise<Uint8Array> {
  if (given !== undefined) return Buffer.from(given, 'utf8');
  const file = join(dataDir, 'url-signing-secret');
  const kept = await readFile(file).catch(() => undefined);
  if (kept?.length === secretBytes) return kept;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Linked into place whole, and only by the first of several processes that start together.
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, randomBytes(secretBytes), { mode: 0o600 });
  await link(draft, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft, { force: true });
  return readFile(file);
}
