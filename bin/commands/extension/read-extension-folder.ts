import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type AssetFile, readAssets } from '@causeway/extension-kit/integrity';
import { CommandError } from '#bin/command.ts';
import { findElements } from '#src/themes/extensions/elements.rules.ts';
import { checkManifest, type Fault, toPointer, formatFault } from '#src/themes/manifest/manifest.rules.ts';
import type { Manifest } from '#src/themes/manifest/manifest.ts';
import { repeatedKeys } from '#src/themes/manifest/repeated-keys.ts';

export const manifestFile = 'theme-extensions.json';

export interface ExtensionFolder {
  manifest: Manifest;
  assets: AssetFile[];
}

/** The reasons why a folder is not an extension that could be registered. */
export class ExtensionFaults extends CommandError {
  constructor(faults: readonly Fault[]) {
    const errors = faults.map((fault) => ({ pointer: toPointer(fault), message: formatFault(fault) }));
    const lines = errors.map(({ message }) => `  ${message}`);
    super([`${manifestFile} cannot be registered:`, ...lines].join('\n'), { details: { errors } });
  }
}

/** Reads an extension and checks it as its registration would. Throws an ExtensionFaults with every fault. */
export async function readExtensionFolder(folder: string): Promise<ExtensionFolder> {
  const { manifest, faults } = checkManifest(await readManifest(folder), { integrity: 'optional' });
  if (!manifest) throw new ExtensionFaults(faults);
  const missing = await missingFiles(folder, manifest);
  if (missing.length > 0) throw new ExtensionFaults(missing);
  const assets = await readAssets(folder, manifest);
  const foreign = foreignElements(manifest, assets);
  if (foreign.length > 0) throw new ExtensionFaults(foreign);
  return { manifest, assets };
}

async function readManifest(folder: string): Promise<unknown> {
  const path = join(folder, manifestFile);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new CommandError(`There is no ${path}. Name the folder of an extension; "extension init" creates one.`);
  });
  const document = parseJson(text, path);
  const repeated = repeatedKeys(text);
  if (repeated.length > 0) throw new ExtensionFaults(repeated);
  return document;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandError(`${path} is not JSON: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}

async function missingFiles(folder: string, { assets = {}, icon }: Manifest): Promise<Fault[]> {
  const named = [
    ...Object.entries<string>({ ...assets }).map(([kind, path]) => ({ at: ['assets', kind], path })),
    ...(icon === undefined ? [] : [{ at: ['icon'], path: icon }]),
  ];
  const found = await Promise.all(
    named.map(async ({ path }) => (await stat(join(folder, path)).catch(() => null))?.isFile() === true),
  );
  return named
    .filter((_, index) => !found[index])
    .map(({ at, path }) => ({ at, message: `names ${path}, but the extension has no such file` }));
}

function foreignElements({ vendor }: Manifest, assets: readonly AssetFile[]): Fault[] {
  const prefix = `${vendor}-`;
  return assets
    .filter(({ path }) => !path.endsWith('.css'))
    .flatMap(({ content }) => findElements(content.toString('utf8')))
    .filter((name) => !name.startsWith(prefix))
    .map((name) => ({
      at: ['assets', 'javascript'],
      message: `defines the custom element ${name}; the names of an extension's elements begin with ${prefix}`,
    }));
}
