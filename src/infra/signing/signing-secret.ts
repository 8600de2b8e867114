import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFileOnce } from '#src/infra/storage/kept-file.ts';

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
  await makeFileOnce(file, randomBytes(secretBytes));
  return readFile(file);
}
