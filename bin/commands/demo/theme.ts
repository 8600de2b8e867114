import { once } from 'node:events';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Command, CommandError, type CommandIo, textOption } from '#bin/command.ts';
import { signDevelopmentToken } from '#bin/development-token.ts';
import { type ServerProcess, startServerProcess } from '#bin/server-process.ts';
import { readSettings } from '#bin/settings.ts';
import { demoExtension, demoTheme } from '#src/demo/demo-theme.ts';
import { demoOrg, demoTenant } from '#src/demo/demo-workflow.ts';
import { freePort } from '#src/process/listen.ts';
import { createDemoClient } from './demo-client.ts';
import { installDemoTheme } from './install-demo-theme.ts';

export const command: Command = {
  usage: '[options]',
  options: { url: { type: 'string', about: 'The Causeway; http://localhost:<PORT> by default.' } },
  async run(values, _positionals, io) {
    const env = readSettings(io);
    const url = textOption(values, 'url') ?? io.env.CAUSEWAY_URL ?? `http://localhost:${env.PORT}`;
    const person = { sub: 'demo', email: 'demo@example.com', name: 'Demo', ttlSeconds: 600 };
    const acting = { roles: ['admin', 'operator'], org: demoOrg.id, tenant: demoTenant.id };
    const token = await signDevelopmentToken(env, { ...person, ...acting });
    const client = createDemoClient({ url, token, tenant: demoTenant.id });
    await client.query('{ me { claims { sub } } }');

    const ended = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    const running: ServerProcess[] = [];
    try {
      // The registration reads the site, and shows the secret that its islands need.
      const unregistered = await startExample(demoExtension, 'reviews-extension', {}, io);
      running.push(unregistered);
      const { extensionSecret, key } = await installDemoTheme(client, `http://${demoExtension.address}`);
      await unregistered.close();
      running.push(await startExample(demoExtension, 'reviews-extension', { EXTENSION_SECRET: extensionSecret }, io));
      const access = { CAUSEWAY_URL: url, CAUSEWAY_TENANT: demoTenant.id, CAUSEWAY_KEY: key };
      running.push(await startExample(demoTheme, 'theme', access, io));
      const page = `http://${demoTheme.host}:${demoTheme.port}/products/chair-01`;
      io.out(
        values.json === true
          ? `${JSON.stringify({ url: page })}\n`
          : `${page} shows the blocks of opinio/reviews. Ctrl+C ends it.\n`,
      );
      await ended;
    } finally {
      await Promise.all(running.map((server) => server.close()));
    }
    return 0;
  },
};

const examples = {
  theme: new URL('../../../examples/theme/server.ts', import.meta.url),
  'reviews-extension': new URL('../../../examples/reviews-extension/server.ts', import.meta.url),
};

async function startExample(
  { host, port }: { host: string; port: number },
  name: keyof typeof examples,
  settings: Readonly<Record<string, string>>,
  io: CommandIo,
): Promise<ServerProcess> {
  if ((await freePort(host, port)) === undefined)
    throw new CommandError(`Port ${port} is taken: end what listens there, perhaps another npm run demo:theme.`);
  const entry = fileURLToPath(examples[name]);
  const folder = dirname(entry);
  const env = { ...io.env, ...settings, HOST: host, PORT: String(port) };
  const server = await startServerProcess({ folder, entry, env, url: `http://${host}:${port}`, io });
  if (server.hasEnded()) throw new CommandError(`examples/${name} has not started.`);
  return server;
}
