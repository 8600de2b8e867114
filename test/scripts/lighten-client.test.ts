import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { clientDir } from '#scripts/client.ts';
import { lightenClient } from '#scripts/lighten-client.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lighten-client-test-'));
  await mkdir(join(directory, 'internal'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test('the committed client imports no compiler, and has no character that takes two bytes in V8', async () => {
  for (const name of ['class.ts', 'prismaNamespace.ts']) {
    const text = await readFile(join(clientDir, 'internal', name), 'utf8');
    expect(text).not.toContain('const { wasm } = await import');
    // oxlint-disable-next-line no-control-regex -- the first 256 characters are what V8 stores in a byte
    expect(text).toMatch(/^[\u0000-\u00ff]*$/);
  }
});

test('a client that loads its compiler in another way is refused', async () => {
  await writeFile(join(directory, 'internal/class.ts'), 'export {};\n');
  await expect(lightenClient(directory)).rejects.toThrow('loads its compiler in another way');
});
