import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { calledAs, CommandError, textOf } from '#bin/command.ts';
import type { Command } from '#bin/command.ts';
import { scaffoldFiles } from '#bin/node-scaffold.ts';

const kitFolder = dirname(dirname(fileURLToPath(import.meta.resolve('@causeway/node-kit'))));

export const command: Command = {
  usage: '<folder> [options]',
  options: {
    namespace: { type: 'string', about: "Prefix of the package's slugs; derived from the folder's name by default." },
  },
  async run(values, [folder], io) {
    if (folder === undefined)
      throw new CommandError(`Name the folder to create: ${calledAs(io)} node init my-nodes`, { exitCode: 2 });
    const path = resolve(io.cwd, folder);
    const namespace = textOf(values, 'namespace') ?? namespaceFrom(basename(path));
    const isName = namespace.length <= 63 && /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(namespace);
    if (!isName || ['core', 'commerce'].includes(namespace)) {
      const rule = 'use at most 63 lower-case letters, digits and dashes, and neither core nor commerce';
      throw new CommandError(`"${namespace}" cannot be a namespace: ${rule}. Choose one with --namespace.`, {
        exitCode: 2,
      });
    }
    const present = await readdir(path).catch(() => []);
    if (present.length > 0) throw new CommandError(`${path} is not empty; name a new folder.`);

    // Links the kit beside this CLI, so that an editor finds its types after `npm install` without a registry.
    const files = scaffoldFiles({ namespace, kit: `file:${relative(path, kitFolder)}` });
    for (const [file, content] of Object.entries(files)) {
      await mkdir(join(path, dirname(file)), { recursive: true });
      await writeFile(join(path, file), content, { flag: 'wx' });
    }
    const created = Object.keys(files);
    if (values.json === true) io.out(`${JSON.stringify({ folder: path, namespace, files: created })}\n`);
    else
      io.out(
        `${created.map((file) => `${join(folder, file)}\n`).join('')}\nNow: ${calledAs(io)} node test ${folder}\n`,
      );
    return 0;
  },
};

const namespaceFrom = (folder: string): string =>
  folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .replace(/-?nodes?$/, '');
