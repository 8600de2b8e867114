import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { pause } from '#src/infra/timing/timers.ts';
import type { CommandIo } from './command.ts';

export interface ServerProcess {
  /** True once it has ended, by itself or by `close`. */
  hasEnded(): boolean;
  close(): Promise<void>;
}

export interface ServerProcessOptions {
  /** The folder with the module. */
  folder: string;
  /** The module, and the options of node before it. */
  entry: string;
  nodeOptions?: readonly string[];
  env: CommandIo['env'];
  /** The URL at which it listens once it is up. */
  url: string;
  io: Pick<CommandIo, 'err'>;
}

const answersWithinMs = 15_000;
const lookEveryMs = 50;
const killAfterMs = 2_000;

/** Runs a module that serves HTTP in a process of its own. Resolves once it responds, has ended, or after 15 s. */
export async function startServerProcess(options: ServerProcessOptions): Promise<ServerProcess> {
  const { folder, entry, nodeOptions = [], env, url, io } = options;
  const child = spawn(process.execPath, [...nodeOptions, entry], {
    cwd: folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (chunk: Buffer) => io.err(chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => io.err(chunk.toString('utf8')));
  child.on('error', (error) => io.err(`${entry} cannot be started: ${error.message}\n`));
  await answering(child, url);
  return {
    hasEnded: () => hasEnded(child),
    async close() {
      if (hasEnded(child)) return;
      const ended = once(child, 'exit');
      child.kill();
      const stubborn = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
      await ended;
      clearTimeout(stubborn);
    },
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
