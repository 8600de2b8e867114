import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { CommandIo } from '#bin/command.ts';
import { pause } from '#src/infra/pause.ts';

export interface ExtensionProcess {
  /** Where it listens. */
  readonly url: string;
  /** Ends it and starts it anew, with the files as they are now. Resolves once it answers, or has ended. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface ExtensionProcessOptions {
  folder: string;
  entry: string;
  secret: string;
  io: CommandIo;
}

const answersWithinMs = 15_000;
const lookEveryMs = 50;
const killAfterMs = 2_000;

/** Runs the author's own server on a free port of the loopback interface; its imports of the kit resolve to this CLI's copy. */
export async function startExtension({
  folder,
  entry,
  secret,
  io,
}: ExtensionProcessOptions): Promise<ExtensionProcess> {
  const kitResolver = new URL('../kit-resolver.ts', import.meta.url).href;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess;

  const start = async (): Promise<void> => {
    child = spawn(process.execPath, ['--import', kitResolver, entry], {
      cwd: folder,
      env: { ...io.env, PORT: String(port), HOST: '127.0.0.1', EXTENSION_SECRET: secret },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout?.on('data', (chunk: Buffer) => io.err(chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => io.err(chunk.toString('utf8')));
    child.on('error', (error) => io.err(`${entry} cannot be started: ${error.message}\n`));
    await answering(child, url);
  };
  const end = async (): Promise<void> => {
    if (hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill();
    const stubborn = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
    await ended;
    clearTimeout(stubborn);
  };
  await start();
  return {
    url,
    async restart() {
      await end();
      await start();
    },
    close: end,
  };
}

const hasEnded = ({ pid, exitCode, signalCode }: ChildProcess): boolean =>
  pid === undefined || exitCode !== null || signalCode !== null;

async function answering(child: ChildProcess, url: string): Promise<void> {
  const until = performance.now() + answersWithinMs;
  while (!hasEnded(child) && performance.now() < until) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    await pause(lookEveryMs);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
