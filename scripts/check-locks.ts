import { readFile } from 'node:fs/promises';

// Checks the lock files of the current directory: npm must be able to verify every package that it downloads.

interface Entry {
  resolved?: string;
  integrity?: string;
  link?: boolean;
  optional?: boolean;
  os?: string[];
}

/**
 * Platform-specific programs, which not every registry serves, may lack a checksum among the tools: they check the code and are never part
 * of the product.
 */
const locks = [
  { file: 'package-lock.json', platformsMayLack: false },
  { file: 'bench/peers/package-lock.json', platformsMayLack: false },
  { file: 'tools/package-lock.json', platformsMayLack: true },
];

for (const { file, platformsMayLack } of locks) {
  const { packages } = JSON.parse(await readFile(file, 'utf8')) as { packages: Record<string, Entry> };
  for (const [path, entry] of Object.entries(packages)) {
    // The project itself, its workspaces and the links to them are not downloaded.
    if (!/(^|\/)node_modules\//.test(path) || entry.link) continue;
    const forOnePlatform = entry.optional === true && entry.os !== undefined;
    if (entry.integrity === undefined && !(platformsMayLack && forOnePlatform))
      fault(`${file}: ${path} has no integrity. Replace the package, or move it to tools/package.json.`);
    if (entry.resolved !== undefined)
      fault(`${file}: ${path} names a registry. Keep omit-lockfile-registry-resolved=true in .npmrc.`);
  }
}

function fault(message: string): void {
  console.error(message);
  process.exitCode = 1;
}
