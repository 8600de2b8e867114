import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createServer, connect, type Server } from 'node:net';
import { join } from 'node:path';

/**
 * Claims a data directory until this process ends, however it ends, by listening on a socket in `directory`. Unlike a pid
 * file, the socket cannot be mistaken for a live owner's after a crash. Returns the release function; throws when another
 * process holds the claim.
 */
export async function claimDirectory(directory: string, dataDir: string): Promise<() => void> {
  const path = join(directory, 'owner');
  for (let attempt = 0; attempt < 3; attempt++) {
    const server = await listenAt(path);
    if (server) return () => server.close();
    if (await answers(path)) break;
    await rm(path, { force: true });
  }
  throw inUse(dataDir);
}

/** Throws if another process has claimed the directory; does not claim it. */
export async function assertUnclaimed(directory: string, dataDir: string): Promise<void> {
  if (await answers(join(directory, 'owner'))) throw inUse(dataDir);
}

const inUse = (dataDir: string): Error =>
  new Error(`Another Causeway is running on ${dataDir}. Stop it, or choose another directory with DATA_DIR.`);

const listenAt = (path: string): Promise<Server | undefined> =>
  new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    );
    server.listen(path, () => resolve(server.unref()));
  });

const answers = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

/**
 * Stops the server `pid` if this process dies without stopping it: a shell waits on a pipe that closes with us. Returns a
 * function that cancels this.
 */
export function stopWithUs(pid: number): () => void {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$0"', String(pid)], {
    // In its own process group, so that a signal to ours does not end the guard first.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  (guard.stdin as unknown as { unref?: () => void }).unref?.();
  return () => guard.kill('SIGKILL');
}
