import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPageFiles } from './docs/page-names.ts';

/** The directory of the product, in which `console/` and `node_modules/` stand. */
export const productDir = fileURLToPath(new URL('../../', import.meta.url));

/** What a build depends on, with the pages of the docs: the console, the builder, and the lock file for the packages of both. */
const inputs = ['console', 'src/console', 'schema.graphql', 'package-lock.json'];

/** Identifies the build of the sources in `directory`: the same files give the same 16 hexadecimal digits. */
export async function hashInputs(directory = productDir): Promise<string> {
  const sources = await Promise.all(inputs.map((path) => listFiles(directory, path)));
  const paths = [...sources.flat(), ...listPageFiles(directory)];
  const contents = await Promise.all(paths.map((path) => readFile(join(directory, path))));
  const hash = createHash('sha256');
  for (const [index, path] of paths.entries()) {
    const content = contents[index] ?? Buffer.alloc(0);
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** The files at or below `path`, in an order that does not depend on the file system. */
async function listFiles(directory: string, path: string): Promise<string[]> {
  const entries = await readdir(join(directory, path), { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') return undefined;
      throw error;
    },
  );
  if (!entries) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(directory, '/').length))
    .filter((file) => !file.includes('node_modules/'))
    .toSorted();
}
