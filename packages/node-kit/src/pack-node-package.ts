import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from 'tar';

interface PackageJson {
  files?: string[];
  bundledDependencies?: string[];
  bundleDependencies?: string[];
}

const maxFiles = 2000;

/** Always part of a package, whatever `files` says. */
const alwaysPacked = /^(package\.json|readme(\.[a-z]+)?|licen[cs]e(\.[a-z]+)?)$/i;

/** Never part of a package without `files`. */
const neverPacked = new Set(['node_modules', 'test', 'tests', 'package-lock.json', 'tsconfig.json']);

/**
 * Packs a node package's folder in the layout of `npm pack`: gzipped tar, everything under `package/`.
 *
 * `files` in package.json lists files and folders (no patterns); without it everything but tests, dot files and
 * `node_modules` is packed. Of `node_modules` only `bundledDependencies` are. The same contents give the same bytes.
 * Throws when there is no package.json, a listed path is missing, or there is a symbolic link.
 */
export async function packNodePackage(folder: string): Promise<Buffer> {
  const { files, bundledDependencies, bundleDependencies } = JSON.parse(
    await readFile(join(folder, 'package.json'), 'utf8'),
  ) as PackageJson;
  const top = await readdir(folder);
  const chosen =
    files ?? top.filter((name) => !name.startsWith('.') && !neverPacked.has(name) && !name.endsWith('.tgz'));
  const bundled = (bundledDependencies ?? bundleDependencies ?? []).map((name) => `node_modules/${name}`);
  const roots = [...top.filter((name) => alwaysPacked.test(name)), ...chosen.map(clean), ...bundled];
  const found = new Set<string>();
  for (const root of roots) await collect(folder, root, found);
  if (found.size > maxFiles) throw new Error(`${folder} holds more than ${maxFiles} files to pack.`);

  const stream = create(
    {
      cwd: folder,
      prefix: 'package',
      gzip: { level: 9 },
      portable: true,
      mtime: packedAt,
      noDirRecurse: true,
      strict: true,
    },
    [...found].toSorted(),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A fixed time, the one npm uses, so that packing again changes no byte. */
const packedAt = new Date('1985-10-26T08:15:00.000Z');

const clean = (path: string): string => path.replace(/^\.?\//, '').replace(/\/+$/, '');

async function collect(folder: string, path: string, found: Set<string>): Promise<void> {
  const stats = await lstat(join(folder, path));
  if (stats.isSymbolicLink()) throw new Error(`${path} is a symbolic link; packages hold plain files.`);
  if (!stats.isDirectory()) {
    found.add(path);
    return;
  }
  for (const name of await readdir(join(folder, path))) await collect(folder, `${path}/${name}`, found);
}
