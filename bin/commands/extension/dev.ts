import { once } from 'node:events';
import { resolve } from 'node:path';
import { CommandError, textOption, type Command } from '#bin/command.ts';
import { startPreview } from './preview/preview.ts';
import { readExtensionFolder } from './read-extension-folder.ts';

export const command: Command = {
  usage: '[folder] [options]',
  options: {
    port: { type: 'string', about: 'Port of the page and of the extension; 4600 by default.' },
    entry: { type: 'string', about: 'The module that listens on PORT; server.ts by default.' },
  },
  async run(values, [folder = '.'], io) {
    const path = resolve(io.cwd, folder);
    const port = Number(textOption(values, 'port') ?? 4600);
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new CommandError('--port must be a number from 0 to 65535.', { exitCode: 2 });
    await readExtensionFolder(path);
    const preview = await startPreview({ folder: path, entry: textOption(values, 'entry') ?? 'server.ts', port, io });
    if (values.json === true) io.out(`${JSON.stringify({ url: preview.url })}\n`);
    else io.out(`${preview.url} shows the blocks and reloads them when a file changes. Ctrl+C ends it.\n`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await preview.close();
    return 0;
  },
};
