import { resolve } from 'node:path';
import { CommandError, textOption, type Command } from '#bin/command.ts';
import { postToServer, serverOptions, readToken } from '#bin/reach-server.ts';
import { checkNodeFolder } from './read-node-folder.ts';

export const command: Command = {
  usage: '[folder] --org <id> [options]',
  options: {
    url: serverOptions.url,
    org: { type: 'string', about: 'Organisation to publish for; else CAUSEWAY_ORG.' },
    token: serverOptions.token,
  },
  async run(values, [folder = '.'], io) {
    const org = textOption(values, 'org') ?? io.env.CAUSEWAY_ORG;
    const token = readToken(values, io);
    if (org === undefined) throw new CommandError('Name the org with --org or CAUSEWAY_ORG.', { exitCode: 2 });
    if (token === undefined) throw new CommandError('Give a token with CAUSEWAY_TOKEN or --token.', { exitCode: 2 });
    const { archive, description } = await checkNodeFolder(resolve(io.cwd, folder));
    const { status, body } = await postToServer(values, io, {
      path: `/api/v1/admin/orgs/${encodeURIComponent(org)}/node-packages`,
      token,
      type: 'application/gzip',
      body: new Uint8Array(archive),
      expected: [200, 201],
      missing: `There is no org "${org}", or no Causeway server at this address.`,
    });
    const isNew = status === 201;
    if (values.json === true) io.out(`${JSON.stringify({ published: isNew, package: body })}\n`);
    else io.out(`${description.name} ${description.version} ${isNew ? 'is published' : 'was published already'}.\n`);
    return 0;
  },
};
