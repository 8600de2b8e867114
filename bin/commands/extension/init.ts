import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { calledAs, CommandError, textOption, type Command } from '#bin/command.ts';
import { kitFolder } from '#bin/kits.ts';
import { extensionFiles } from './scaffold.ts';

const named = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

export const command: Command = {
  usage: '<folder> [options]',
  options: {
    vendor: { type: 'string', about: 'Who makes it, the prefix of its custom elements; acme by default.' },
    name: { type: 'string', about: "Its name; the folder's by default." },
    theme: { type: 'string', about: '<vendor>/<name> of the theme it is for; acme/starter by default.' },
  },
  async run(values, [folder], io) {
    if (folder === undefined)
      throw new CommandError(`Name the folder to create: ${calledAs(io)} extension init my-extension`, { exitCode: 2 });
    const path = resolve(io.cwd, folder);
    const vendor = checkName('vendor', textOption(values, 'vendor') ?? 'acme');
    const name = checkName('name', textOption(values, 'name') ?? nameFrom(basename(path)));
    const theme = textOption(values, 'theme') ?? 'acme/starter';
    if (!/^[^/\s]+\/[a-z][a-z0-9-]*$/.test(theme))
      throw new CommandError(`"${theme}" is not a theme. Name one as <vendor>/<name> with --theme.`, { exitCode: 2 });
    const present = await readdir(path).catch(() => []);
    if (present.length > 0) throw new CommandError(`${path} is not empty; name a new folder.`);

    // Links the kit beside this CLI, so that it is found after `npm install` without a registry.
    const files = extensionFiles({ vendor, name, theme, kit: `file:${relative(path, kitFolder('extension-kit'))}` });
    for (const [file, content] of Object.entries(files)) {
      await mkdir(join(path, dirname(file)), { recursive: true });
      await writeFile(join(path, file), content, { flag: 'wx' });
    }
    const created = Object.keys(files);
    if (values.json === true) io.out(`${JSON.stringify({ folder: path, vendor, name, files: created })}\n`);
    else
      io.out(
        `${created.map((file) => `${join(folder, file)}\n`).join('')}\nNow: ${calledAs(io)} extension dev ${folder}\n`,
      );
    return 0;
  },
};

const nameFrom = (folder: string): string =>
  folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');

function checkName(option: string, name: string): string {
  if (named.test(name) && name.length >= 2 && name.length <= 40) return name;
  const rule = 'use 2 to 40 lower-case letters, digits and single hyphens, beginning with a letter';
  throw new CommandError(`"${name}" cannot be the ${option}: ${rule}. Choose one with --${option}.`, { exitCode: 2 });
}
