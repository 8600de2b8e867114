import { resolve } from 'node:path';
import type { Command } from '#bin/command.ts';
import { readExtensionFolder } from '#bin/read-extension-folder.ts';

export const command: Command = {
  name: 'extension hash',
  summary: "Print the integrity map of a theme extension's assets.",
  usage: '[folder] [options]',
  options: {},
  async run(values, [folder = '.'], io) {
    const { assets } = await readExtensionFolder(resolve(io.cwd, folder));
    const map = Object.fromEntries(assets.map(({ path, integrity }) => [path, integrity]));
    io.out(`${JSON.stringify(map, undefined, values.json === true ? 0 : 2)}\n`);
    return 0;
  },
};
