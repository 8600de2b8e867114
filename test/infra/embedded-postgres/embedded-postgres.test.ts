import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
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
  // The old server has ended, but its new parent may take a moment to reap it.
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

const asServer = process.getuid?.() === 0 ? { uid: 65_534 } : {};

/** A living process of the server's user. */
async function stranger(): Promise<number> {
  const child = spawn('sleep', ['60'], asServer);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid ?? 0;
}

/** A process of the server's user that has ended and that nobody reaps: its parent has become another program. */
async function unreaped(): Promise<number> {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec cat'], {
    ...asServer,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  // The echo shows that the parent is now cat. Before, it is a shell, which may still reap processes that end under it.
  parent.stdin.write('\n');
  await once(parent.stdout, 'data');
  process.kill(Number(pid), 'SIGKILL');
  return Number(pid);
}

const lockFiles = () => [join(dataDir, 'postmaster.pid'), join(`${dataDir}.run`, '.s.PGSQL.5432.lock')];

async function kill(server: EmbeddedPostgres): Promise<void> {
  process.kill(server.pid, 'SIGKILL');
  await server.exited;
}

test.each([
  ['a living process of the same user', stranger],
  ['a process that nobody has reaped', unreaped],
])(
  'lock files of a killed server do not keep the next one from starting where their pid is that of %s',
  startsProcesses,
  async (_whose, start) => {
    await kill(await startEmbeddedPostgres({ dataDir, settings }));
    const pid = await start();
    for (const file of lockFiles()) {
      const [, ...lines] = (await readFile(file, 'utf8')).split('\n');
      await writeFile(file, [pid, ...lines].join('\n'));
    }
    const server = await startEmbeddedPostgres({ dataDir, settings });
    expect(isAlive(pid)).toBe(true);
    await server.stop();
  },
);

test('lock files that a crash left empty do not keep the next server from starting', startsProcesses, async () => {
  await kill(await startEmbeddedPostgres({ dataDir, settings }));
  for (const file of lockFiles()) await writeFile(file, '');
  const server = await startEmbeddedPostgres({ dataDir, settings });
  expect(isAlive(server.pid)).toBe(true);
  await server.stop();
});

test('a start waits until a killed server has no backend left', startsProcesses, async () => {
  const killed = await startEmbeddedPostgres({ dataDir, settings });
  const client = new pg.Client({ connectionString: killed.url() });
  client.on('error', () => undefined);
  await client.connect();
  // A backend that computes looks for its parent only between statements.
  const computes = `DO $$ BEGIN WHILE clock_timestamp() < statement_timestamp() + interval '1 s' LOOP END LOOP; END $$`;
  let isComputing = true;
  void client.query(computes).finally(() => (isComputing = false));
  await kill(killed);
  const server = await startEmbeddedPostgres({ dataDir, settings });
  expect(isComputing).toBe(false);
  await server.stop();
});
