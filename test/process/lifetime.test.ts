import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A process with a lifetime of at most `limitMs` once it ends, which says that it has begun. */
async function begin(code: string, { limitMs = 1_000 } = {}): Promise<ChildProcess> {
  const whole = `
    import { createLogger } from '#src/infra/logs/logger.ts';
    import { beginLifetime } from '#src/process/lifetime.ts';
    const log = createLogger({ level: 'info' });
    const lifetime = beginLifetime({ limitMs: ${limitMs}, log });
    setInterval(() => undefined, 1_000);
    ${code}
    process.send('begun');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', whole], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  });
  started.push(child);
  await once(child, 'message');
  return child;
}

/** The exit code, or the signal that ended it; 'never' when it still lives after a minute. */
const waitForExit = async (child: ChildProcess): Promise<unknown> =>
  Promise.race([
    once(child, 'exit').then(([code, signal]) => (signal ?? code) as unknown),
    delay(60_000, 'never', { ref: false }),
  ]);

const talkative = `lifetime.onEnd(async () => { for (const n of [1, 2, 3]) log.warn({ n }, 'Closing.'); });`;

describe('a process', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('ends with %s, closing what was opened, last first', async (signal) => {
    const child = await begin(`
      lifetime.onEnd(async () => log.info('first opened'));
      lifetime.onEnd(async () => log.info('last opened'));`);
    const output = text(child.stdout as Readable);
    child.kill(signal);
    expect(await waitForExit(child)).toBe(0);
    expect(await output).toMatch(/last opened[\s\S]*first opened/);
  });

  test('ends when its parent ends, even if its log is no longer read', async () => {
    const child = await begin(talkative);
    child.stdout?.destroy();
    child.disconnect();
    expect(await waitForExit(child)).toBe(0);
  });

  test('ends on a signal, even if its log is no longer read', async () => {
    const child = await begin(talkative);
    child.stdout?.destroy();
    child.kill('SIGTERM');
    expect(await waitForExit(child)).toBe(0);
  });

  test('ends within its limit, even if a part never closes and a thread never returns', async () => {
    const child = await begin(`
      const { read } = await import('node:fs');
      read(0, Buffer.alloc(1), 0, 1, null, () => undefined);
      lifetime.onEnd(() => new Promise(() => undefined));`);
    child.kill('SIGTERM');
    expect(await waitForExit(child)).toBe('SIGKILL');
  });

  test('ends immediately on a second signal', async () => {
    const child = await begin(
      `lifetime.onEnd(() => {
        process.send('ending');
        return new Promise(() => undefined);
      });`,
      { limitMs: 60_000 },
    );
    child.kill('SIGTERM');
    await once(child, 'message');
    // A signal sooner than this counts as the first one, forwarded.
    await delay(400);
    child.kill('SIGTERM');
    expect(await waitForExit(child)).toBe(1);
  });

  test('that starts after its parent has ended exits immediately', async () => {
    const whole = `
      process.once('disconnect', async () => {
        const { createLogger } = await import('#src/infra/logs/logger.ts');
        const { beginLifetime } = await import('#src/process/lifetime.ts');
        beginLifetime({ limitMs: 1_000, log: createLogger({ level: 'info' }) });
        setInterval(() => undefined, 1_000);
      });
      process.send('begun');`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', whole], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    started.push(child);
    await once(child, 'message');
    child.disconnect();
    expect(await waitForExit(child)).toBe(0);
  });
});
