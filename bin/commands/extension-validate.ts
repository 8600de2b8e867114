import { resolve } from 'node:path';
import type { Command } from '#bin/command.ts';
import { writeManifestTypes } from '#bin/manifest-types.ts';
import { manifestFile, readExtensionFolder } from '#bin/read-extension-folder.ts';

export const command: Command = {
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
