import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inheritedEnv } from '#test/setup/child-env.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

const module = join(import.meta.dirname, '../../workers/child.ts');

let dataDir: string;
let worker: ChildProcess;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'worker-settings-test-'));
  worker = fork(module, { env: { ...inheritedEnv, NODE_ENV: 'development', DATA_DIR: dataDir }, silent: true });
});
afterEach(async () => {
  worker.kill('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

describe('the worker of an API process', () => {
  test('ends with its parent while it waits for its settings', startsProcesses, async () => {
    worker.disconnect();
    const [code] = await once(worker, 'exit');
    expect(code).toBe(0);
  });

  test('refuses settings of another version in one sentence', startsProcesses, async () => {
    const said = text(worker.stderr as Readable);
    worker.send({ DATABASE_URL: 'postgres://localhost/causeway' });
    const [code] = await once(worker, 'exit');
    expect(code).toBe(1);
    expect(await said).toBe('The parent process sent settings that this version of the worker does not know.\n');
  });

  test('ends on a signal while it waits for its settings', startsProcesses, async () => {
    await once(worker, 'spawn');
    worker.kill('SIGTERM');
    const [code, signal] = await once(worker, 'exit');
    expect([code, signal]).toBeOneOf([
      [0, null],
      [null, 'SIGTERM'],
    ]);
  });
});
