import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildAhead } from '#src/console/build-ahead.ts';
import { readBuild, writeBuild } from '#src/console/build-cache.ts';
import { buildConsole } from '#src/console/build-console.ts';
import { hashInputs, productDir } from '#src/console/build-inputs.ts';
import type { ConsoleBuild } from '#src/console/console-build.ts';
import { startsProcesses } from '#test/setup/timeouts.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'causeway-console-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

/** A console of a few lines, with the real packages. */
async function writeConsole(files: Record<string, string> = {}): Promise<void> {
  const all = {
    'console/main.tsx': "import './ui/styles/main.css';\nvoid import('./later.ts');\n",
    'console/later.ts': 'export const later = 1;\n',
    'console/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'console/ui/styles/main.css': 'body { margin: 0 }\n',
    'src/console/builder.ts': '',
    'packages/node-kit/src/define.ts': '',
    'docs/a.md': '# A page\n',
    'schema.graphql': 'type Query { a: Int }\n',
    'package-lock.json': '{}\n',
    ...files,
  };
  for (const [path, content] of Object.entries(all)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  await symlink(join(productDir, 'node_modules'), join(directory, 'node_modules')).catch(() => undefined);
}

const build = (): Promise<ConsoleBuild> => buildConsole(directory);

test('the id of a build changes with each of its inputs, and with nothing else', async () => {
  await writeConsole();
  const ids = [hashInputs(directory)];
  await writeFile(join(directory, 'README.md'), 'more');
  expect(hashInputs(directory)).toBe(ids[0]);
  for (const path of [
    'console/later.ts',
    'src/console/builder.ts',
    'packages/node-kit/src/define.ts',
    'docs/a.md',
    'schema.graphql',
    'package-lock.json',
  ]) {
    await writeFile(join(directory, path), 'changed');
    ids.push(hashInputs(directory));
  }
  expect(new Set(ids).size).toBe(7);
});

test('two processes that build at the same time leave one build, whole, and nothing unfinished', async () => {
  await writeConsole();
  const cache = join(directory, 'cache');
  const builds = await Promise.all([build(), build()]);
  await Promise.all(builds.map((one) => writeBuild(one, cache)));
  const [first] = builds;
  expect(await readdir(cache)).toEqual([first.id]);
  expect(await readBuild(first.id, cache)).toEqual(first);
});

test('a build whose files are damaged is made again', async () => {
  await writeConsole();
  const cache = join(directory, 'cache');
  const one = await build();
  await writeBuild(one, cache);
  await rm(join(cache, one.id, one.page.entry));
  expect(await readBuild(one.id, cache)).toBeUndefined();
  await writeBuild(one, cache);
  expect(await readBuild(one.id, cache)).toEqual(one);
});

test('only the builds that were used last are kept', async () => {
  await writeConsole();
  const cache = join(directory, 'cache');
  const one = await build();
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) {
    await writeBuild({ ...one, id }, cache);
    expect((await readBuild('a', cache))?.id).toBe('a');
  }
  expect((await readdir(cache)).toSorted()).toEqual(['a', 'd', 'e', 'f', 'g']);
});

test('a build that is made ahead replaces that of a start, and has its files compressed', startsProcesses, async () => {
  const cache = join(directory, 'cache');
  const started = await buildConsole();
  await writeBuild(started, cache);
  const ahead = await buildAhead(cache);
  expect(ahead.id).toBe(started.id);
  const { content, br, gzip } = (await readBuild(ahead.id, cache))?.assets.get(started.page.entry) ?? {};
  expect(content).toEqual(started.assets.get(started.page.entry)?.content);
  expect(brotliDecompressSync(br ?? '')).toEqual(content);
  expect(gunzipSync(gzip ?? '')).toEqual(content);
});

test('a fault in the sources is shown with its place', async () => {
  await writeConsole({ 'console/later.ts': 'export const later = ;\n' });
  await expect(build()).rejects.toThrow(/could not be built[^]*console\/later\.ts:1:21/);
});

test('a second stylesheet is refused, with the file that should import it', async () => {
  await writeConsole({ 'console/later.ts': "import './later.css';\n", 'console/later.css': 'p { margin: 0 }' });
  await expect(build()).rejects.toThrow('import each file from console/ui/styles/main.css alone');
});
