import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { productDir } from './build-inputs.ts';
import { type Asset, type ConsoleBuild, page } from './console-build.ts';

/** Builds by id, a directory each. */
export const cacheDir = join(productDir, 'node_modules/.cache/causeway-console');

/** The one build of a release, which has no sources of the console. */
export const releasedDir = join(productDir, 'console-build');

/** Older ones are removed when another is added. */
const keptBuilds = 5;

const manifest = z.object({ page, assets: z.array(z.string()) });
const manifestFile = 'build.json';

/** As PERSISTED_DOCUMENTS takes them. */
const documentsFile = 'documents.json';
const documentTexts = z.record(z.string(), z.string());

/** How the compressed copies of a file are named beside it. */
const suffixes = { br: '.br', gzip: '.gz' } as const;

/** The build with this id, unless there is none that can be read. */
export async function readBuild(id: string, cache = cacheDir): Promise<ConsoleBuild | undefined> {
  const directory = join(cache, id);
  try {
    const readJson = async (name: string): Promise<unknown> =>
      JSON.parse(await readFile(join(directory, name), 'utf8'));
    const { page, assets: names } = manifest.parse(await readJson(manifestFile));
    const documents = new Map(Object.entries(documentTexts.parse(await readJson(documentsFile))));
    const assets = await Promise.all(
      names.map(async (name): Promise<[string, Asset]> => [name, await readAsset(join(directory, name))]),
    );
    // Its age decides which builds are kept.
    await utimes(directory, new Date(), new Date()).catch(() => undefined);
    return { id, page, documents, assets: new Map(assets) };
  } catch {
    return undefined;
  }
}

/** The build of a release; undefined in a clone, which builds its own. */
export async function readReleased(released = releasedDir): Promise<ConsoleBuild | undefined> {
  const [id] = await readdir(released).catch(() => []);
  return id === undefined ? undefined : readBuild(id, released);
}

async function readAsset(path: string): Promise<Asset> {
  const optional = (suffix: string) => readFile(path + suffix).catch(() => undefined);
  const [content, br, gzip] = await Promise.all([readFile(path), optional(suffixes.br), optional(suffixes.gzip)]);
  return { content, ...(br && { br }), ...(gzip && { gzip }) };
}

/**
 * Adds a build, whole or not at all: two processes that build the same at the same time both succeed, and neither reads a part of the
 * other's.
 */
export async function writeBuild({ id, page, documents, assets }: ConsoleBuild, cache = cacheDir): Promise<void> {
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, `.${id}-`));
  try {
    for (const [name, { content, br, gzip }] of assets) {
      await writeFile(join(unfinished, name), content);
      if (br) await writeFile(join(unfinished, name + suffixes.br), br);
      if (gzip) await writeFile(join(unfinished, name + suffixes.gzip), gzip);
    }
    await writeFile(join(unfinished, documentsFile), JSON.stringify(Object.fromEntries(documents)));
    await writeFile(join(unfinished, manifestFile), JSON.stringify({ page, assets: [...assets.keys()] }));
    await rename(unfinished, join(cache, id)).catch(async (error: NodeJS.ErrnoException) => {
      // Another process was faster. What it has written is the same, unless it cannot be read.
      if (await readBuild(id, cache)) return;
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
      await rm(join(cache, id), { recursive: true, force: true });
      await rename(unfinished, join(cache, id));
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  await removeOld(cache);
}

/** Leaves unfinished builds alone, because their processes may still run. */
async function removeOld(cache: string): Promise<void> {
  const ids = (await readdir(cache)).filter((name) => !name.startsWith('.'));
  const dated = await Promise.all(
    ids.map(async (id) => ({ id, usedMs: (await stat(join(cache, id)).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  const old = dated.toSorted((a, b) => b.usedMs - a.usedMs).slice(keptBuilds);
  for (const { id } of old) await rm(join(cache, id), { recursive: true, force: true });
}
