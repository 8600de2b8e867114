import { resolve } from 'node:path';
import type { Command } from '#bin/command.ts';
import { readExtensionFolder } from '#bin/read-extension-folder.ts';

export const command: Command = {
  usage: '[folder] [options]',
  options: {},
  async run(values, [folder = '.'], io) {
    const { assets } = await readExtensionFolder(resolve(io.cwd, folder));
    const map = Object.fromEntries(assets.map(({ path, integrity }) => [path, integrity]));
    io.out(`${JSON.stringify(map, undefined, values.json === true ? 0 : 2)}\n`);
    return 0;
  },
};
