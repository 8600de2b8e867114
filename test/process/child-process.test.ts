import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '#src/infra/logs/logger.ts';
import { superviseProcess } from '#src/process/child-process.ts';

test('a child that ends with its parent, as on Ctrl-C, is neither an error nor restarted', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-child-'));
  const module = join(directory, 'child.mjs');
  await writeFile(module, `process.send('ready'); setTimeout(() => process.exit(130), 300);`);
  const lines: string[] = [];
  const log = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const ending = new AbortController();
  const child = superviseProcess({ name: 'child', module, env: {}, drainMs: 5_000, ending: ending.signal, log });
  await expect.poll(() => child.isReady(), { timeout: 10_000 }).toBe(true);
  ending.abort();
  await expect.poll(() => child.isReady()).toBe(false);
  await child.stop();
  expect(lines).toEqual([]);
  await rm(directory, { recursive: true });
});

test('a child gets messages that were sent before it listened, and so does its replacement', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'causeway-child-'));
  const module = join(directory, 'child.mjs');
  const heard = join(directory, 'heard');
  await writeFile(
    module,
    `import { appendFileSync } from 'node:fs';
    setTimeout(() => process.on('message', ({ word }) => {
      appendFileSync(${JSON.stringify(heard)}, word + ' ');
      process.exit(1);
    }), 50);`,
  );
  const log = createLogger({ level: 'silent' });
  const { signal: ending } = new AbortController();
  const child = superviseProcess({ name: 'child', module, env: {}, drainMs: 5_000, ending, log });
  child.tell({ word: 'first' });
  // It is restarted after longer and longer pauses.
  const restarts = { timeout: 20_000 };
  await expect.poll(() => readFile(heard, 'utf8').catch(() => ''), restarts).toMatch(/^first first /);
  child.tell({ word: 'second' });
  await expect.poll(() => readFile(heard, 'utf8'), restarts).toContain('second second ');
  await child.stop();
  await rm(directory, { recursive: true });
});
