import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** A process that runs `code` with a `log`, and a channel to tell us of it. */
function run(code: string): ChildProcess {
  const whole = `
    import { createLogger } from '#src/infra/logs/logger.ts';
    const log = createLogger({ level: 'info' });
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', whole], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  started.push(child);
  return child;
}

/** How the process ended; 'never' when it still lives after a minute. */
const waitForExit = async (child: ChildProcess): Promise<unknown> =>
  Promise.race([
    once(child, 'exit').then(([code, signal]) => (signal ?? code) as unknown),
    delay(60_000, 'never', { ref: false }),
  ]);

/** Reads what the process writes; `until` waits for a text in it. */
function read(child: ChildProcess) {
  let text = '';
  const onData = (chunk: string): void => {
    text += chunk;
  };
  child.stdout?.setEncoding('utf8').on('data', onData).resume();
  return {
    seen: () => text,
    until: (part: string) => expect.poll(() => text.includes(part), { timeout: 60_000 }).toBe(true),
  };
}

describe('log lines on standard output', () => {
  test('are written completely and in order, including those before the exit', async () => {
    const child = run(`
      for (let n = 0; n < 5_000; n += 1) log.info({ n }, 'x'.repeat(200));
      process.on('message', () => { log.info({ n: 5_000 }, 'last'); log.info({ n: 5_001 }, 'very last'); process.exit(7); });`);
    const { seen, until } = read(child);
    await until('"n":4999,');
    child.send('go');
    expect(await waitForExit(child)).toBe(7);
    await until('"n":5001,');
    const numbers = seen().trim().split('\n');
    expect(numbers.map((line) => (JSON.parse(line) as { n: number }).n)).toEqual([...Array(5_002).keys()]);
  });

  test('do not keep a process whose reader is gone from exiting', async () => {
    const child = run(`
      process.on('message', () => { log.warn('Nobody'); log.warn('reads this.'); process.exit(7); });
      process.send('ready');`);
    await once(child, 'message');
    child.stdout?.destroy();
    child.send('go');
    expect(await waitForExit(child)).toBe(7);
  });

  test('do not block a process whose reader is stalled, and are buffered only up to a limit', async () => {
    const child = run(`
      for (let n = 0; n < 20_000; n += 1) log.info({ n }, 'x'.repeat(1_000));
      process.on('message', () => process.exit(7));
      setTimeout(() => process.send('still here'), 100);`);
    child.stdout?.pause();
    expect(await once(child, 'message')).toContain('still here');
    const { seen, until } = read(child);
    await until(' log lines were dropped."');
    expect(seen()).toMatch(/"msg":"\d+ log lines were dropped\."/);
    child.send('go');
    expect(await waitForExit(child)).toBe(7);
  });

  test('that are never read do not keep a process from exiting', async () => {
    const child = run(`
      for (let n = 0; n < 2_000; n += 1) log.info({ n }, 'x'.repeat(1_000));
      setTimeout(() => { process.send('ends'); process.exit(7); }, 1_500);`);
    child.stdout?.pause();
    await once(child, 'message');
    expect([7, 'SIGKILL']).toContain(await waitForExit(child));
  });
});
