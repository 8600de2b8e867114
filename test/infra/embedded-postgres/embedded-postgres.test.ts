import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { copyCluster } from '#test/setup/cluster.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

const starter = fileURLToPath(new URL('../../setup/start-postgres.ts', import.meta.url));
const settings = { fsync: 'off' };
let directory: string;
let dataDir: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'postgres-test-'));
  dataDir = join(directory, 'pg');
  await copyCluster(dataDir);
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Starts Postgres from another process; answers both pids. */
async function startElsewhere(): Promise<{ owner: number; server: number; kill: () => Promise<void> }> {
  const child = fork(starter, [dataDir]);
  const [server] = (await once(child, 'message')) as [number];
  return {
    owner: child.pid ?? 0,
    server,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

test(
  'a server whose owner was killed stops by itself, and the next start finds its data directory free',
  startsProcesses,
  async () => {
    const elsewhere = await startElsewhere();
    expect(isAlive(elsewhere.server)).toBe(true);
    await elsewhere.kill();
    await vi.waitFor(() => expect(isAlive(elsewhere.server)).toBe(false), 60_000);
    const server = await startEmbeddedPostgres({ dataDir, settings });
    await server.stop();
  },
);

test('a start right after the owner was killed takes over', startsProcesses, async () => {
  const elsewhere = await startElsewhere();
  await elsewhere.kill();
  const server = await startEmbeddedPostgres({ dataDir, settings });
  // The old server has ended, but whoever inherited it may take a moment to bury it.
  await expect.poll(() => isAlive(elsewhere.server), { timeout: 60_000 }).toBe(false);
  await server.stop();
});

test('a data directory in use is refused, and its server left alone', startsProcesses, async () => {
  const elsewhere = await startElsewhere();
  await expect(startEmbeddedPostgres({ dataDir, settings })).rejects.toThrow('Another Causeway is running on');
  expect(isAlive(elsewhere.server)).toBe(true);
  await elsewhere.kill();
  await vi.waitFor(() => expect(isAlive(elsewhere.server)).toBe(false), 60_000);
});

test('a lock file that names another program is not a live server', startsProcesses, async () => {
  const first = await startEmbeddedPostgres({ dataDir, settings });
  await first.stop();
  await writeFile(join(dataDir, 'postmaster.pid'), `${process.pid}\n${dataDir}\n`);
  const server = await startEmbeddedPostgres({ dataDir, settings });
  expect(server.pid).not.toBe(process.pid);
  await server.stop();
});
