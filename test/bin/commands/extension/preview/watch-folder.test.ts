import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { watchFolder } from '#bin/commands/extension/preview/watch-folder.ts';

test('later changes are handled after one whose handling failed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-watch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const errors: unknown[] = [];
  let calls = 0;
  const changed = async () => {
    calls += 1;
    if (calls === 1) throw new Error('The extension does not start.');
  };
  const watcher = watchFolder(folder, changed, (error) => errors.push(error));
  await writeFile(join(folder, 'a'), '1');
  await expect.poll(() => calls).toBe(1);
  await writeFile(join(folder, 'a'), '2');
  await expect.poll(() => calls).toBe(2);
  await watcher.close();
  expect(errors).toEqual([new Error('The extension does not start.')]);
});
