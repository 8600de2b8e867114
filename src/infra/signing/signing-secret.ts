import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFileOnce } from '#src/infra/storage/kept-file.ts';

const secretBytes = 32;

/**
 * The secret that signs URLs: `given` when the environment sets one (processes on several machines need the same), else one
 * kept in `dataDir`, generated at the first start.
 */
export async function openSigningSecret(dataDir: string, given?: string): Promise<Uint8Array> {
  if (given !== undefined) return Buffer.from(given, 'utf8');
  const file = join(dataDir, 'url-signing-secret');
  const kept = await readFile(file).catch(() => undefined);
  if (kept?.length === secretBytes) return kept;
  await makeFileOnce(file, randomBytes(secretBytes));
  return readFile(file);
}
