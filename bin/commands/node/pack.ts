import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { textOption, type Command } from '#bin/command.ts';
import { checkNodeFolder } from './read-node-folder.ts';

export const command: Command = {
  usage: '[folder] [options]',
  options: {
    out: { type: 'string', short: 'o', about: 'Where to write the archive; <name>-<version>.tgz by default.' },
  },
  async run(values, [folder = '.'], io) {
    const { archive, description } = await checkNodeFolder(resolve(io.cwd, folder));
    const file = resolve(io.cwd, textOption(values, 'out') ?? archiveName(description));
    await writeFile(file, archive);
    const sha256 = createHash('sha256').update(archive).digest('hex');
    if (values.json === true) {
      io.out(`${JSON.stringify({ file, bytes: archive.byteLength, sha256, ...toSummary(description) })}\n`);
    } else {
      io.out(`${file}\n${archive.byteLength} bytes, sha256 ${sha256}\n`);
    }
    return 0;
  },
};

const archiveName = ({ name, version }: { name: string; version: string }): string =>
  `${name.replace(/^@/, '').replaceAll('/', '-')}-${version}.tgz`;

const toSummary = ({ name, version, nodes }: { name: string; version: string; nodes: { slug: string }[] }): object => ({
  name,
  version,
  nodes: nodes.map(({ slug }) => slug),
});
