import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheDir, readBuild, writeBuild } from './build-cache.ts';
import { buildConsole } from './build-console.ts';
import type { Asset, ConsoleBuild } from './console-build.ts';
import { compressBest } from './encodings.ts';
import { fileFormat } from './file-formats.ts';

/** Makes the build that the next start finds, with each file compressed as far as it goes, which takes seconds that a start does not have. */
export async function buildAhead(cache = cacheDir): Promise<ConsoleBuild> {
  const built = await buildConsole();
  const assets = new Map<string, Asset>();
  for (const [name, asset] of built.assets) {
    assets.set(name, fileFormat(name).isText ? await compressBest(asset) : asset);
  }
  // A start may have left one that is not compressed.
  await rm(join(cache, built.id), { recursive: true, force: true });
  await writeBuild({ ...built, assets }, cache);
  const build = await readBuild(built.id, cache);
  if (!build) throw new Error(`The build in ${cache} cannot be read back. Is something else writing there?`);
  return build;
}
