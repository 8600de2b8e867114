import { resolve } from 'node:path';
import type { Command } from '#bin/command.ts';
import { writeManifestTypes } from './manifest-types.ts';
import { manifestFile, readExtensionFolder } from './read-extension-folder.ts';

export const validate: Command = {
  usage: '[folder] [options]',
  options: {},
  async run(values, [folder = '.'], io) {
    const path = resolve(io.cwd, folder);
    const { manifest, assets } = await readExtensionFolder(path);
    await writeManifestTypes(path, manifest);
    const { vendor, name, version, blocks, target } = manifest;
    if (values.json === true) {
      const files = assets.map((asset) => ({ path: asset.path, bytes: asset.content.length }));
      io.out(
        `${JSON.stringify({ ok: true, vendor, name, version, blocks: blocks.map(({ id }) => id), assets: files })}\n`,
      );
      return 0;
    }
    for (const { id, island } of blocks) io.out(`ext__${vendor}__${name}__${id}  rendered by ${island}\n`);
    for (const { path: file, content } of assets) io.out(`${file}  ${content.length} bytes\n`);
    io.out(`${manifestFile} is valid: ${vendor}/${name} ${version} for ${target.theme} ${target.version}.\n`);
    return 0;
  },
};

export const hash: Command = {
  usage: '[folder] [options]',
  options: {},
  async run(values, [folder = '.'], io) {
    const { assets } = await readExtensionFolder(resolve(io.cwd, folder));
    const map = Object.fromEntries(assets.map(({ path, integrity }) => [path, integrity]));
    io.out(`${JSON.stringify(map, undefined, values.json === true ? 0 : 2)}\n`);
    return 0;
  },
};
