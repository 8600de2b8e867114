import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { createServer, connect, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const takeoverMs = 20_000;

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

/** Refuses a directory that another process has claimed, before there is anything to claim it for. */
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
 * Stops a Postgres that a killed process left behind in `dataDir`. Removes a lock file whose pid now belongs to another
 * program (pids repeat in containers), because Postgres would mistake it for a live server.
 */
export async function endLeftover(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return;
  if (!isServerOf(pid, dataDir)) {
    await rm(file, { force: true });
    return;
  }
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It already exited; its guard stopped it.
  }
  for (const deadline = Date.now() + takeoverMs; isAlive(pid); await delay(50)) {
    if (Date.now() > deadline) {
      throw new Error(
        `Postgres (pid ${pid}) from an earlier start still uses ${dataDir} and does not stop. End it first.`,
      );
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isServerOf(pid: number, dataDir: string): boolean {
  try {
    const commandLine = existsSync('/proc/self')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return commandLine.includes(`postgres -D ${dataDir} `);
  } catch {
    return false;
  }
}

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
