import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { differingFiles } from '#scripts/client.ts';

let directory: string;
let made: string;
let committed: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'client-test-'));
  made = join(directory, 'made');
  committed = join(directory, 'committed');
  for (const dir of [made, committed]) {
    await mkdir(join(dir, 'models'), { recursive: true });
    await writeFile(join(dir, 'client.ts'), 'export {};\n');
    await writeFile(join(dir, 'models/Run.ts'), 'export {};\n');
  }
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('a generated client has no differences', async () => {
  expect(await differingFiles(made, committed)).toEqual([]);
});

test('a changed, an additional and a missing file are found, also in folders', async () => {
  await writeFile(join(committed, 'models/Run.ts'), 'export type Run = never;\n');
  await writeFile(join(committed, 'models/Gone.ts'), '');
  await writeFile(join(made, 'enums.ts'), '');
  expect(await differingFiles(made, committed)).toEqual(['enums.ts', 'models/Gone.ts', 'models/Run.ts']);
});
