import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { CommandIo } from '#bin/command.ts';
import { type ServerProcess, startServerProcess } from '#bin/server-process.ts';

export interface ExtensionProcess {
  /** Its address. */
  readonly url: string;
  /** Restarts it with the current files. Resolves once it responds, or has ended. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface ExtensionProcessOptions {
  folder: string;
  entry: string;
  secret: string;
  io: CommandIo;
}

/** Runs the author's own server on a free port of the loopback interface; its imports of the kit resolve to this CLI's copy. */
export async function startExtension({
  folder,
  entry,
  secret,
  io,
}: ExtensionProcessOptions): Promise<ExtensionProcess> {
  const kitResolver = new URL('../../../kit-resolver.ts', import.meta.url).href;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { ...io.env, PORT: String(port), HOST: '127.0.0.1', EXTENSION_SECRET: secret };
  const start = (): Promise<ServerProcess> =>
    startServerProcess({ folder, entry, nodeOptions: ['--import', kitResolver], env, url, io });
  let server = await start();
  return {
    url,
    async restart() {
      await server.close();
      server = await start();
    },
    close: () => server.close(),
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
