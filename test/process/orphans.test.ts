import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '#src/infra/embedded-postgres/embedded-postgres.ts';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { copyMigratedCluster } from '#test/setup/cluster.ts';
import { templateDatabase } from '#test/setup/template-database.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';
import { v8Flags } from '#test/setup/v8-flags.ts';

const worker = join(import.meta.dirname, '../../workers/main.ts');
/** 5 s for an orphan, and what the machine takes beyond that under load. */
const goneWithinMs = 20_000;

/** Starts the worker as a supervisor does, with its output in pipes that end with it, and reports its process id. */
const supervisor = `
  import { spawn } from 'node:child_process';
  const child = spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
  child.stdout.resume();
  child.stderr.resume();
  child.on('message', (message) => process.send(message));
  process.send(child.pid);`;

let directory: string;
let postgres: EmbeddedPostgres;
let parent: ChildProcess;
let pid: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orphans-test-'));
  const dataDir = join(directory, 'pg');
  await copyMigratedCluster(dataDir);
  postgres = await startEmbeddedPostgres({ dataDir });
  parent = spawn(process.execPath, ['--input-type=module', '-e', supervisor, '--', ...v8Flags, worker], {
    env: {
      ...inheritedEnv,
      NODE_ENV: 'development',
      ROLE: 'worker',
      DATABASE_URL: postgres.url(templateDatabase),
      DATA_DIR: join(directory, 'data'),
    },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  [pid] = (await once(parent, 'message')) as [number];
});
afterEach(async () => {
  parent.kill('SIGKILL');
  if (await lives(pid)) process.kill(pid, 'SIGKILL');
  await postgres.stop().catch(() => undefined);
  await rm(directory, { recursive: true, force: true });
});

/** True if the process is running, and not only waiting to be reaped. */
const lives = (id: number): Promise<boolean> =>
  readFile(`/proc/${id}/stat`, 'utf8').then(
    (stat) => !/\) [ZX] /.test(stat),
    () => false,
  );

async function untilGone(id: number): Promise<number> {
  const started = performance.now();
  while (await lives(id)) {
    if (performance.now() - started > goneWithinMs) throw new Error(`The worker lives ${goneWithinMs} ms later.`);
    await delay(50);
  }
  return performance.now() - started;
}

describe('a worker whose parent and database are gone together', () => {
  test('exits during its start', startsProcesses, async () => {
    await delay(600);
    process.kill(postgres.pid, 'SIGKILL');
    parent.kill('SIGKILL');
    expect(await untilGone(pid)).toBeLessThan(goneWithinMs);
  });

  test('exits on a signal while it is working', startsProcesses, async () => {
    await once(parent, 'message');
    process.kill(postgres.pid, 'SIGKILL');
    parent.kill('SIGKILL');
    await delay(100);
    if (await lives(pid)) process.kill(pid, 'SIGTERM');
    expect(await untilGone(pid)).toBeLessThan(goneWithinMs);
  });
});
