import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a start waits for the processes of an earlier server to end. */
export const takeoverMs = 20_000;

/** A pid above every system's limit, so that no process can have it. */
const unusedPid = 2_147_483_647;

/**
 * Ends a Postgres that a killed process left behind in `dataDir`, and then frees its lock files there and in `sockets`. Postgres refuses
 * to start while a lock file names any process of its user: pids repeat in containers, and a killed server keeps its pid until its parent
 * reaps it. The caller holds the claim on the directory, so no other start can own these files.
 */
export async function clearLeftovers(dataDir: string, sockets: string): Promise<void> {
  const dataLock = join(dataDir, 'postmaster.pid');
  const names = (await readdir(sockets)).filter((name) => name.endsWith('.lock'));
  const socketLocks = names.map((name) => join(sockets, name));
  for (const file of [dataLock, ...socketLocks]) await endServer(await pidIn(file), dataDir);
  for (const file of socketLocks) await rm(file, { force: true });
  await freeDataLock(dataLock);
}

async function pidIn(file: string): Promise<number | undefined> {
  const [first] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(first);
  return Number.isInteger(pid) && pid > 1 ? pid : undefined;
}

/**
 * Keeps the file for its last lines: by these Postgres finds out whether backends of a killed server still use the data, and refuses to
 * start beside them. Without a pid, as after a crash that interrupted its first write, it says nothing.
 */
async function freeDataLock(file: string): Promise<void> {
  if ((await pidIn(file)) === undefined) return rm(file, { force: true });
  const [, ...lines] = (await readFile(file, 'utf8')).split('\n');
  await writeFile(file, [unusedPid, ...lines].join('\n'));
}

async function endServer(pid: number | undefined, dataDir: string): Promise<void> {
  if (pid === undefined || !isServerFor(pid, dataDir)) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It has already exited: its guard stopped it.
  }
  for (const deadline = Date.now() + takeoverMs; isServerFor(pid, dataDir); await delay(50)) {
    if (Date.now() > deadline) {
      throw new Error(
        `Postgres (pid ${pid}) from an earlier start still uses ${dataDir} and does not stop. End it first.`,
      );
    }
  }
}

/** False for a process that has ended and waits to be reaped: its command line is empty. */
function isServerFor(pid: number, dataDir: string): boolean {
  try {
    const commandLine = existsSync('/proc/self')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return commandLine.includes(`postgres -D ${dataDir} `);
  } catch {
    return false;
  }
}
