import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listPageFiles } from './docs/page-names.ts';

/** The directory of the product, in which `console/` and `node_modules/` stand. */
export const productDir = fileURLToPath(new URL('../../', import.meta.url));

/** The types of nodes of packages, by which the editor checks the code of code nodes, too. */
export const nodeKitFile = 'packages/node-kit/src/define.ts';

/** What a build depends on besides the pages of docs: the console, the builder, and the lock file for the packages of both. */
const inputs = ['console', 'src/console', nodeKitFile, 'schema.graphql', 'package-lock.json'];

/**
 * Identifies the build of the sources in `directory`: the same files give the same 16 hexadecimal digits. Reads without giving way, which
 * takes 30 ms for 260 files; reads that queue behind the modules of a start took 400.
 */
export function hashInputs(directory = productDir): string {
  const hash = createHash('sha256');
  for (const path of [...inputs.flatMap((input) => listFiles(directory, input)), ...listPageFiles(directory)]) {
    const content = readFileSync(join(directory, path));
    hash.update(`${path}\n${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

/** The file at `path`, or the files below it, in an order that does not depend on the file system. */
export function listFiles(directory: string, path: string): string[] {
  if (!statSync(join(directory, path)).isDirectory()) return [path];
  return readdirSync(join(directory, path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(directory, '/').length))
    .filter((file) => !file.includes('node_modules/'))
    .toSorted();
}
